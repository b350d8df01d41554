"""Finds apps: built in, in the user's folder, installed as packages. A broken one never stops the rest."""

import logging
import pkgutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from patchbay.domain.base import AppKey
from patchbay.domain.errors import AppError
from patchbay.integration.containment import NeverEnded, TriedToExit, contained
from patchbay.integration.contract import App
from patchbay.integration.rules import faults

ENTRY_POINTS = "patchbay.apps"
BUILT_IN = "patchbay.apps"
LOADING_SECONDS = 10.0
LARGEST_FILE = 1_000_000
"""Bytes of an app's icon, or of its guide."""
"""How long the code of somebody else's app may take to be read."""
_USER_PACKAGE = "patchbay_user_apps"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BrokenApp:
    """An app that is there but cannot be used, and why."""

    key: AppKey
    reason: str


class CannotLoad(Exception):
    """Why an app was not loaded, in words."""


Found = App | BrokenApp


def built_in_apps() -> Iterator[Found]:
    """The apps that come with the program."""
    for key in built_in_keys():
        yield _found(partial(load_app, key, BUILT_IN), key)


def built_in_keys() -> list[AppKey]:
    """The keys that no other app can have."""
    package = import_module(BUILT_IN)
    return sorted(info.name for info in pkgutil.iter_modules(package.__path__) if info.ispkg)


def user_apps(folder: Path) -> Iterator[Found]:
    """One app per folder with an `__init__.py`; read anew each time. Built-in apps are read the same way."""
    if not folder.is_dir():
        return
    mount(folder, _USER_PACKAGE)
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "_")):
            load = partial(load_app, path.name, _USER_PACKAGE)
            yield _found(partial(contained, load, LOADING_SECONDS), path.name)


def installed_apps() -> Iterator[Found]:
    """Apps that other packages offer under the entry point group `patchbay.apps`."""
    for entry in entry_points(group=ENTRY_POINTS):
        yield _found(partial(contained, partial(_installed, entry), LOADING_SECONDS), entry.name)


def mount(folder: Path, package: str) -> None:
    """Make the folders in `folder` importable below `package`, read anew."""
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]
    module = ModuleType(package)
    module.__path__ = [str(folder)]
    sys.modules[package] = module
    invalidate_caches()


def load_app(key: AppKey, package: str) -> App:
    """Import the folder `key` of a package and give its complete app. Raises whatever is wrong with it."""
    module = import_module(f"{package}.{key}")
    app = _checked(_app_of(module), key)
    return _with_files(app, Path(module.__file__ or "").parent)


def _with_files(app: App, folder: Path) -> App:
    return replace(
        app,
        icon_svg=app.icon_svg or _text_in(folder, "icon.svg"),
        docs_markdown=app.docs_markdown or _text_in(folder, "docs.md"),
    )


def loaded_module(key: AppKey, package: str) -> App | None:
    """The app of a folder that was imported, also of one that breaks rules."""
    app = getattr(sys.modules.get(f"{package}.{key}"), "app", None)
    return app if isinstance(app, App) else None


def _installed(entry: EntryPoint) -> App:
    """What an entry point names: the app itself, or a module that defines one."""
    loaded = entry.load()
    app = loaded if isinstance(loaded, App) else _app_of(loaded)
    folder = Path(getattr(sys.modules.get(entry.module), "__file__", None) or "").parent
    return _with_files(_checked(app, None), folder)


def _found(load: Callable[[], App], key: AppKey) -> Found:
    try:
        return load()
    except Exception as error:  # noqa: BLE001 - whatever an author's code raises
        return _broken(key, error)


def _broken(key: AppKey, error: BaseException) -> BrokenApp:
    _log.warning("the app %s cannot be loaded", key, exc_info=error)
    if isinstance(error, CannotLoad):
        return BrokenApp(key, str(error))
    if isinstance(error, AppError):
        return BrokenApp(key, error.text())
    if isinstance(error, TriedToExit) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, NeverEnded):
        return BrokenApp(key, f"Reading its code did not come to an end within {LOADING_SECONDS:g} seconds.")
    return BrokenApp(key, f"{type(error).__name__}: {_words(error)}{_place(error, key)}")


def _words(error: BaseException) -> str:
    """What the error says, if it says it without failing in turn."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - whatever an author's code raises
        return "(it cannot be told)"


def _place(error: BaseException, key: AppKey) -> str:
    """File and line inside the app's own folder where it went wrong."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({Path(error.filename).name}, line {error.lineno})" if "line" not in str(error) else ""
    place, trace = "", error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if key in path.parts:
            place = f" ({path.name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return place


def _app_of(module: object) -> App:
    app = getattr(module, "app", None)
    if not isinstance(app, App):
        raise CannotLoad("Its __init__.py does not define `app = App(…)`.")
    return app


def _checked(app: App, folder_name: str | None) -> App:
    if found := faults(app, folder_name):
        raise CannotLoad(" ".join(fault.message for fault in found))
    return app


def is_own_file(folder: Path, name: str) -> bool:
    """Whether this is a file of the folder that can be shown: no link to elsewhere, and not too large."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        return False
    return path.stat().st_size <= LARGEST_FILE


def _text_in(folder: Path, name: str) -> str:
    if is_own_file(folder, name):
        return (folder / name).read_text(encoding="utf-8")
    if (folder / name).exists():
        _log.warning("%s of the app %s is not shown: it leads elsewhere, or is too large", name, folder.name)
    return ""
