"""Checks an app against the contract: `check(folder)` its files, `check(app)` its definition only."""

import ast
import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from patchbay.domain.errors import AppError
from patchbay.domain.fields import Argument, AuthField
from patchbay.integration.app_definition import App, Auth
from patchbay.integration.app_rules import faults
from patchbay.integration.app_threads import TriedToExit, contained
from patchbay.integration.registry import (
    LOADING_SECONDS,
    CannotLoad,
    built_in_keys,
    is_own_file,
    load_app,
    loaded_module,
    mount,
)
from patchbay.integration.run_checks import event_breaches, trial_breaches
from patchbay.integration.source_checks import ENTRY, Breach, Sources, auth_breaches, blocking_calls

__all__ = ["Breach", "app_folders", "check"]

_PACKAGE = "patchbay_checked_apps"
_GIVEN_ALWAYS = ("name", "key", "primary_color")
_GIVEN_WITH_CONNECTIONS = (*_GIVEN_ALWAYS, "supports_connections", "base_url", "api_base_url", "auth")
_MODELS: dict[str, type[BaseModel]] = {"AuthField": AuthField, "Argument": Argument}
_NOT_OWN = "This must be a file in the app's folder, of at most 1 MB."
_UNKNOWN_KEYWORD = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")
_LEFT_OUT = re.compile(r"(\w+)\.__init__\(\) missing \d+ required [\w-]+ arguments?: (.+)")


def app_folders(folder: Path) -> list[Path]:
    """The app in this folder; the apps below it when it is none itself."""
    below = sorted(path.parent for path in folder.glob(f"*/{ENTRY}"))
    return [folder] if (folder / ENTRY).is_file() or not below else below


def check(path_or_app: Path | App) -> list[Breach]:
    """Every breach of the contract, in the order of the files; empty for a good app. Its code is run."""
    if isinstance(path_or_app, App):
        return [Breach("", 0, fault.message) for fault in faults(path_or_app)]
    folder = path_or_app.resolve()
    if not (folder / ENTRY).is_file():
        return [Breach(ENTRY, 1, "The app has no __init__.py that exports `app`.")]
    try:
        sources = Sources(folder)
    except SyntaxError as error:
        name = Path(error.filename or "").relative_to(folder).as_posix() if error.filename else ENTRY
        return [Breach(name, error.lineno or 1, str(error.msg))]
    return list(dict.fromkeys(_breaches(sources)))


def _breaches(sources: Sources) -> Iterator[Breach]:
    if sources.call is None:
        yield Breach(ENTRY, 1, "There is no `app = App(…)`.")
        return
    yield from _given(sources)
    yield from _misspelled(sources)
    yield from blocking_calls(sources)
    app, loading = _loaded(sources)
    yield from loading
    yield from _files(sources)
    yield from event_breaches(sources, None if loading else app)
    if "auth" in sources.lines:
        unread = list(auth_breaches(sources, app))
        yield from unread
        if app is not None and not any(breach.file.startswith("auth/") for breach in (*loading, *unread)):
            yield from trial_breaches(sources, app)


def _given(sources: Sources) -> Iterator[Breach]:
    for name in _GIVEN_WITH_CONNECTIONS if "auth" in sources.lines else _GIVEN_ALWAYS:
        if name not in sources.lines:
            yield Breach(ENTRY, sources.start, f"The definition does not give {name}.")
    folder = sources.folder
    if folder.name in built_in_keys() and folder.parent != Path(__file__).parents[1] / "apps":
        message = f"The program brings an app with the key “{folder.name}”; choose another."
        yield Breach(ENTRY, sources.lines.get("key", sources.start), message)


def _misspelled(sources: Sources) -> Iterator[Breach]:
    """Properties that a field does not have: they would be passed over in silence."""
    for file, call in sources.calls(*_MODELS):
        name = getattr(call.func, "id", "")
        fields = _MODELS[name].model_fields
        known = {*fields, *(field.alias for field in fields.values() if field.alias)}
        for keyword in call.keywords:
            if keyword.arg and keyword.arg not in known:
                near = difflib.get_close_matches(keyword.arg, sorted(fields), 1, 0.5)
                hint = f" Is {near[0]} meant?" if near else ""
                yield Breach(file, keyword.value.lineno, f"{name} has no property {keyword.arg}.{hint}")


def _loaded(sources: Sources) -> tuple[App | None, list[Breach]]:
    """The app, as far as it can be loaded, and what is wrong with it."""
    folder = sources.folder
    mount(folder.parent, _PACKAGE)
    try:
        return contained(lambda: load_app(folder.name, _PACKAGE), LOADING_SECONDS), []
    except CannotLoad as error:
        app = loaded_module(folder.name, _PACKAGE)
        if app is None:
            return None, [Breach(ENTRY, sources.start, str(error))]
        readable = app if isinstance(app.auth, Auth | None) else None
        return readable, [sources.breach(fault) for fault in faults(app, folder.name)]
    except Exception as error:  # noqa: BLE001 - whatever an author's code raises
        return None, [_stopped(sources, error)]


def _stopped(sources: Sources, error: BaseException) -> Breach:
    """Where and with what loading stopped."""
    file, line = sources.place_in_trace(error) or (ENTRY, sources.start)
    if found := _UNKNOWN_KEYWORD.search(str(error)):
        return Breach(file, line, f"{found[1]} has no property {found[2]}.")
    if found := _LEFT_OUT.search(str(error)):
        return Breach(file, line, f"{found[1]} does not give {found[2].replace(chr(39), '')}.")
    if isinstance(error, TriedToExit) and error.__cause__ is not None:
        error = error.__cause__
        file, line = sources.place_in_trace(error) or (file, line)
    words = error.text() if isinstance(error, AppError) else f"{type(error).__name__}: {error}"
    return Breach(file, line, f"The app cannot be loaded: {words}")


def _files(sources: Sources) -> Iterator[Breach]:
    icon, guide = sources.folder / "icon.svg", sources.folder / "docs.md"
    if not icon.is_file():
        yield Breach("icon.svg", 1, "The app has no icon.svg, an icon.")
    elif not is_own_file(sources.folder, icon.name):
        yield Breach("icon.svg", 1, _NOT_OWN)
    elif "<svg" not in icon.read_text(encoding="utf-8", errors="replace"):
        yield Breach("icon.svg", 1, "This is no SVG picture.")
    if not guide.is_file():
        yield Breach("docs.md", 1, "The app has no docs.md, a connection guide.")
    elif not is_own_file(sources.folder, guide.name):
        yield Breach("docs.md", 1, _NOT_OWN)
    elif not guide.read_text(encoding="utf-8", errors="replace").strip():
        yield Breach("docs.md", 1, "The connection guide is empty.")
    yield from _events(sources)


def _events(sources: Sources) -> Iterator[Breach]:
    """Each trigger and action has a file of its own: `triggers/new_issue.py` for `new_issue`."""
    for keyword in sources.call.keywords if sources.call else ():
        if keyword.arg in ("triggers", "actions") and isinstance(keyword.value, (ast.List, ast.Tuple)):
            for name in (item for item in keyword.value.elts if isinstance(item, ast.Name)):
                file = f"{keyword.arg}/{name.id}.py"
                if file not in sources.files:
                    yield Breach(ENTRY, name.lineno, f"{name.id} should be defined in {file}.")
