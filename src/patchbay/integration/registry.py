"""Loads apps (built in, from the user's folder, from installed packages) and registers them by key.

An app that can't be loaded is listed as broken and doesn't affect the others.
"""

import logging
import pkgutil
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TypeVar

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.engine import RateLimit
from patchbay.domain.errors import AppError, NotFound
from patchbay.integration.app_definition import Action, App, DynamicData, DynamicFields, Trigger
from patchbay.integration.app_descriptions import describe_fully, describe_listed
from patchbay.integration.app_index import IndexedApp, read_index
from patchbay.integration.app_rules import find_violations
from patchbay.integration.app_threads import (
    AppCodeExited,
    AppCodeTimedOut,
    run_contained,
    wrap_app_in_threads,
)
from patchbay.integration.certificate_trust import with_trust_fields
from patchbay.integration.request_actions import with_api_request

ENTRY_POINTS = "patchbay.apps"
BUILT_IN = "patchbay.apps"
LOADING_TIMEOUT_SECONDS = 10.0
"""Time limit for importing a third-party app."""
MAX_APP_FILE_BYTES = 1_000_000
"""Maximum size of an app's icon or set-up guide."""
_USER_PACKAGE = "patchbay_user_apps"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BrokenApp:
    """An app that can't be loaded, and why."""

    key: AppKey
    reason: str


class AppLoadError(Exception):
    """An app's definition is missing or invalid; the message says why."""


AppOrBroken = App | BrokenApp
ListedApp = App | IndexedApp | BrokenApp


def built_in_apps() -> Iterator[AppOrBroken]:
    """The built-in apps with their definitions, all of which are imported."""
    for key in built_in_keys():
        yield _load_or_report(partial(load_app, key, BUILT_IN), key)


def listed_built_in_apps() -> Iterator[ListedApp]:
    """The built-in apps as the index describes them. Those that it lacks are imported."""
    index = read_index()
    for key in built_in_keys():
        yield index.get(key) or _load_or_report(partial(load_app, key, BUILT_IN), key)


def built_in_keys() -> list[AppKey]:
    """The keys of the built-in apps, which no other app can use."""
    package = import_module(BUILT_IN)
    return sorted(AppKey(info.name) for info in pkgutil.iter_modules(package.__path__) if info.ispkg)


def user_apps(folder: Path) -> Iterator[AppOrBroken]:
    """The apps in `folder`, one per subfolder, imported again on each call."""
    if not folder.is_dir():
        return
    mount_apps_folder(folder, _USER_PACKAGE)
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "_")):
            key = AppKey(path.name)
            load = partial(load_app, key, _USER_PACKAGE)
            yield _load_or_report(partial(run_contained, load, LOADING_TIMEOUT_SECONDS), key)


def installed_apps() -> Iterator[AppOrBroken]:
    """Apps that installed packages provide under the entry point group `patchbay.apps`."""
    for entry in entry_points(group=ENTRY_POINTS):
        yield _load_or_report(
            partial(run_contained, partial(_load_entry_point, entry), LOADING_TIMEOUT_SECONDS),
            AppKey(entry.name),
        )


def mount_apps_folder(folder: Path, package: str) -> None:
    """Make the folders in `folder` importable as subpackages of `package`, dropping cached modules."""
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]
    module = ModuleType(package)
    module.__path__ = [str(folder)]
    sys.modules[package] = module
    invalidate_caches()


def load_app(key: AppKey, package: str) -> App:
    """Import the app `key` of a package, with icon and guide. Raises `AppLoadError` or its own errors."""
    module = import_module(f"{package}.{key}")
    app = _require_valid(_get_app(module), key)
    return _with_files(app, Path(module.__file__ or "").parent)


def _with_files(app: App, folder: Path) -> App:
    return replace(
        app,
        icon_svg=app.icon_svg or _read_text(folder, "icon.svg"),
        docs_markdown=app.docs_markdown or _read_text(folder, "docs.md"),
    )


def loaded_app(key: AppKey, package: str) -> App | None:
    """The app of an imported folder, even if its definition is invalid."""
    app = getattr(sys.modules.get(f"{package}.{key}"), "app", None)
    return app if isinstance(app, App) else None


def _load_entry_point(entry: EntryPoint) -> App:
    """Load the app an entry point refers to: an `App`, or a module that defines one."""
    loaded = entry.load()
    app = loaded if isinstance(loaded, App) else _get_app(loaded)
    folder = Path(getattr(sys.modules.get(entry.module), "__file__", None) or "").parent
    return _with_files(_require_valid(app, None), folder)


def _load_or_report(load: Callable[[], App], key: AppKey) -> AppOrBroken:
    try:
        return load()
    except Exception as error:  # noqa: BLE001 - an author's code can raise anything
        return _broken(key, error)


def _broken(key: AppKey, error: BaseException) -> BrokenApp:
    _log.warning("the app %s can't be loaded", key, exc_info=error)
    if isinstance(error, AppLoadError):
        return BrokenApp(key, str(error))
    if isinstance(error, AppError):
        return BrokenApp(key, error.text())
    if isinstance(error, AppCodeExited) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, AppCodeTimedOut):
        return BrokenApp(key, f"Loading its code timed out after {LOADING_TIMEOUT_SECONDS:g} seconds.")
    try:
        error_text = str(error)
    except Exception:  # noqa: BLE001 - an author's code can raise anything
        error_text = "(no message)"
    return BrokenApp(key, f"{type(error).__name__}: {error_text}{_error_location(error, key)}")


def _error_location(error: BaseException, key: AppKey) -> str:
    """File and line of the error inside the app's folder."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({Path(error.filename).name}, line {error.lineno})" if "line" not in str(error) else ""
    location, trace = "", error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if key in path.parts:
            location = f" ({path.name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return location


def _get_app(module: object) -> App:
    app = getattr(module, "app", None)
    if not isinstance(app, App):
        raise AppLoadError("Its __init__.py doesn't define `app = App(…)`.")
    return app


def _require_valid(app: App, folder_name: str | None) -> App:
    if found := find_violations(app, folder_name):
        raise AppLoadError(" ".join(fault.message for fault in found))
    return app


def is_own_file(folder: Path, name: str) -> bool:
    """Whether `name` is a file inside the folder (not a link out of it) and not too large."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        return False
    return path.stat().st_size <= MAX_APP_FILE_BYTES


def _read_text(folder: Path, name: str) -> str:
    if is_own_file(folder, name):
        return (folder / name).read_text(encoding="utf-8")
    if (folder / name).exists():
        _log.warning("%s of the app %s is not shown: it leads elsewhere, or is too large", name, folder.name)
    return ""


_FileStamps = tuple[tuple[str, int, int], ...]
_APP_FILE_SUFFIXES = (".py", ".svg", ".md")
Part = TypeVar("Part", Trigger, Action, DynamicData, DynamicFields)


class AppRegistry:
    """Apps by key. Definitions of indexed apps are imported when they are first used.

    `base_url` and `docs_url` fill the placeholders of icon and documentation addresses.

    The first app with a key wins; later ones are listed as broken under `<key> (2)`, so a user's folder can't
    replace a built-in app and read its credentials.
    """

    def __init__(self, found: Iterable[ListedApp] = (), *, base_url: str = "", docs_url: str = "") -> None:
        self.base_url = base_url
        self.docs_url = docs_url
        self._apps: dict[AppKey, App] = {}
        self._indexed: dict[AppKey, IndexedApp] = {}
        self._imported: dict[AppKey, AppOrBroken] = {}
        """Definitions of indexed apps that have been used."""
        self._broken: dict[AppKey, BrokenApp] = {}
        self._folder: Path | None = None
        self._static_apps: tuple[ListedApp, ...] = ()
        self._loaded_stamps: _FileStamps = ()
        self._load_lock = Lock()
        self._replace(found)

    def watch(self, folder: Path, static_apps: Iterable[ListedApp]) -> None:
        """Load `static_apps` and the apps in `folder`; `reload_changed` reloads them when files change."""
        self._folder, self._static_apps = folder, tuple(static_apps)
        self._load(folder)

    def reload_changed(self) -> bool:
        """Reload the folder's apps if files have changed. Returns whether it did. Reads files.

        Running calls continue with the old code.
        """
        with self._load_lock:
            if self._folder is None or _file_stamps(self._folder) == self._loaded_stamps:
                return False
            self._load(self._folder)
            return True

    def _load(self, folder: Path) -> None:
        self._loaded_stamps = _file_stamps(folder)
        _remove_compiled_files(folder)
        self._replace(
            [*self._static_apps, *map(_run_in_threads, map(_require_describable, user_apps(folder)))]
        )

    def _replace(self, found: Iterable[ListedApp]) -> None:
        """Replace all apps atomically, because other threads may be reading them."""
        apps: dict[AppKey, App] = {}
        indexed: dict[AppKey, IndexedApp] = {}
        broken: dict[AppKey, BrokenApp] = {}
        for entry in found:
            own_key = AppKey(entry.key)
            is_taken = own_key in apps or own_key in indexed
            if isinstance(entry, App) and not is_taken:
                apps[own_key] = _with_common_parts(entry)
                continue
            if isinstance(entry, IndexedApp) and not is_taken:
                indexed[own_key] = entry
                continue
            reason = entry.reason if isinstance(entry, BrokenApp) else "Another app already uses this key."
            key = AppKey(f"{own_key} (2)") if is_taken or own_key in broken else own_key
            broken[key] = BrokenApp(key, reason)
        self._apps, self._indexed, self._broken = apps, indexed, broken

    def get(self, key: AppKey) -> App:
        """The app with this key. Raises `NotFound`, with the reason if the app is broken."""
        found = self._apps.get(key) or self._import_indexed(key) or self._broken.get(key)
        if isinstance(found, App):
            return found
        if found is not None:
            raise NotFound(f"The app {key} can't be used.", meaning=found.reason)
        raise NotFound(f"There is no app {key}.", todo="Choose another app, or install this one.")

    def _import_indexed(self, key: AppKey) -> AppOrBroken | None:
        """The definition of an indexed app, imported at its first use; None if the app isn't indexed."""
        if key not in self._indexed:
            return None
        if key not in self._imported:
            found = _load_or_report(partial(load_app, key, BUILT_IN), key)
            self._imported[key] = _with_common_parts(found) if isinstance(found, App) else found
        return self._imported[key]

    def all(self) -> tuple[App, ...]:
        """The definitions of all usable apps, sorted by name."""
        indexed = map(self._import_indexed, tuple(self._indexed))
        apps = [app for app in (*self._apps.values(), *indexed) if isinstance(app, App)]
        return tuple(sorted(apps, key=lambda app: app.name.casefold()))

    def rate_limits(self) -> Mapping[AppKey, RateLimit]:
        """The rate limits that apps declare."""
        indexed = {key: entry.info.rate_limit for key, entry in self._indexed.items()}
        limits = indexed | {key: app.rate_limit for key, app in self._apps.items()}
        return {key: limit for key, limit in limits.items() if limit is not None}

    def broken(self) -> tuple[BrokenApp, ...]:
        """The apps that couldn't be loaded, with the reasons."""
        imported = tuple(self._imported.values())
        return (*self._broken.values(), *(app for app in imported if isinstance(app, BrokenApp)))

    def trigger(self, app_key: AppKey, key: str) -> Trigger:
        """A trigger of an app. Raises `NotFound`."""
        app = self.get(app_key)
        return _find_part(app, "trigger", key, app.triggers)

    def action(self, app_key: AppKey, key: str) -> Action:
        """An action of an app. Raises `NotFound`."""
        app = self.get(app_key)
        return _find_part(app, "action", key, app.actions)

    def dynamic_data(self, app_key: AppKey, key: str) -> DynamicData:
        """A dynamic list of an app. Raises `NotFound`."""
        app = self.get(app_key)
        return _find_part(app, "list", key, app.dynamic_data)

    def dynamic_fields(self, app_key: AppKey, key: str) -> DynamicFields:
        app = self.get(app_key)
        return _find_part(app, "set of fields", key, app.dynamic_fields)

    def info(self, key: AppKey, detail: bool = True) -> AppInfo:
        """The app's description for the window and the HTTP API; a broken app has its reason."""
        for found in (self._imported.get(key), self._broken.get(key)):
            if isinstance(found, BrokenApp) and key not in self._apps:
                return AppInfo(key=key, name=key, broken=found.reason)
        if not detail and (indexed := self._indexed.get(key)):
            return self._with_addresses(indexed.info)
        app = self.get(key)
        return self._with_addresses(describe_fully(app) if detail else describe_listed(app))

    def infos(self) -> tuple[AppInfo, ...]:
        """All apps by name, including broken ones, without auth, triggers, and actions."""
        keys = (*self._apps, *self._indexed, *self._broken)
        infos = (self.info(key, detail=False) for key in keys)
        return tuple(sorted(infos, key=lambda info: info.name.casefold()))

    def _with_addresses(self, info: AppInfo) -> AppInfo:
        templates = {"icon_url": info.icon_url, "auth_doc_url": info.auth_doc_url}
        placeholders = {"{BASE_URL}": self.base_url, "{DOCS_URL}": self.docs_url, "{key}": info.key}
        for placeholder, value in placeholders.items():
            templates = {name: text.replace(placeholder, value) for name, text in templates.items()}
        return info.model_copy(update=templates)


def _with_common_parts(app: App) -> App:
    """The app with the action and the connection fields that all such apps have."""
    return with_trust_fields(with_api_request(app))


def load_apps(user_folder: Path | None = None, *, base_url: str = "", docs_url: str = "") -> AppRegistry:
    """Built-in apps, installed ones, then those in `user_folder` (each in a folder named after its key)."""
    static_apps = [
        *listed_built_in_apps(),
        *map(_run_in_threads, map(_require_describable, installed_apps())),
    ]
    if user_folder is None:
        return AppRegistry(static_apps, base_url=base_url, docs_url=docs_url)
    registry = AppRegistry(base_url=base_url, docs_url=docs_url)
    registry.watch(user_folder, static_apps)
    return registry


def _file_stamps(folder: Path) -> _FileStamps:
    """Path, modification time, and size of each app file. Unreadable files are left out."""
    found = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.suffix in _APP_FILE_SUFFIXES and "__pycache__" not in path.parts:
            try:
                file_stat = path.stat()
            except OSError:
                continue
            found.append((str(path), file_stat.st_mtime_ns, file_stat.st_size))
    return tuple(found)


def _remove_compiled_files(folder: Path) -> None:
    """Remove what Python compiled: it compares times in whole seconds, so it misses an edit within a second
    that leaves the size of the file as it is.
    """
    for cache in tuple(folder.rglob("__pycache__")) if folder.is_dir() else ():
        shutil.rmtree(cache, ignore_errors=True)


def _run_in_threads(found: AppOrBroken) -> AppOrBroken:
    """The app, run in threads, because its code is third-party."""
    return wrap_app_in_threads(found) if isinstance(found, App) else found


def _require_describable(found: AppOrBroken) -> AppOrBroken:
    """The app, or a `BrokenApp` if it can't be described: one such app would break every app list."""
    if isinstance(found, App):
        try:
            AppRegistry([found]).info(found.app_key)
        except (ValueError, TypeError, AttributeError) as error:
            return BrokenApp(found.app_key, f"Its definition is invalid: {type(error).__name__}: {error}")
    return found


def _find_part(app: App, part_name: str, key: str, items: Iterable[Part]) -> Part:
    for item in items:
        if item.key == key:
            return item
    raise NotFound(f"{app.name} has no {part_name} {key}.", todo="Choose another in this step.")
