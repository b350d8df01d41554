"""Finds apps: built in, in the user's folder, installed as packages. A broken one never stops the rest."""

import logging
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module, invalidate_caches
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from patchbay.domain.base import AppKey
from patchbay.domain.errors import AppError
from patchbay.integration.contract import App
from patchbay.integration.rules import faults

ENTRY_POINTS = "patchbay.apps"
BUILT_IN = "patchbay.apps"
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
    package = import_module(BUILT_IN)
    for key in sorted(info.name for info in pkgutil.iter_modules(package.__path__) if info.ispkg):
        yield _found(key, BUILT_IN)


def user_apps(folder: Path) -> Iterator[Found]:
    """One app per folder with an `__init__.py`; read anew each time. Built-in apps are read the same way."""
    if not folder.is_dir():
        return
    mount(folder, _USER_PACKAGE)
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "_")):
            yield _found(path.name, _USER_PACKAGE)


def installed_apps() -> Iterator[Found]:
    """Apps that other packages offer under the entry point group `patchbay.apps`."""
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            loaded = entry.load()
            yield _checked(loaded if isinstance(loaded, App) else _app_of(loaded), None)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an author's code raises
            yield _broken(entry.name, error)


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
    folder = Path(module.__file__ or "").parent
    return replace(
        app,
        icon_svg=app.icon_svg or _text_beside(folder / "icon.svg"),
        docs_markdown=app.docs_markdown or _text_beside(folder / "docs.md"),
    )


def _found(key: AppKey, package: str) -> Found:
    try:
        return load_app(key, package)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an author's code raises
        return _broken(key, error)


def _broken(key: AppKey, error: BaseException) -> BrokenApp:
    _log.warning("the app %s cannot be loaded", key, exc_info=error)
    if isinstance(error, CannotLoad):
        return BrokenApp(key, str(error))
    if isinstance(error, AppError):
        return BrokenApp(key, error.text())
    return BrokenApp(key, f"{type(error).__name__}: {error}{_place(error, key)}")


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


def _text_beside(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
