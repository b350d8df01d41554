"""Checks an app's files and definition (`patchbay app check`)."""

import ast
import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from patchbay.domain.base import AppKey
from patchbay.domain.errors import AppError
from patchbay.domain.fields import Argument, AuthField
from patchbay.integration.app_definition import App, Auth
from patchbay.integration.app_rules import find_violations
from patchbay.integration.app_threads import AppCodeExited, run_contained
from patchbay.integration.registry import (
    LOADING_TIMEOUT_SECONDS,
    AppLoadError,
    built_in_keys,
    is_own_file,
    load_app,
    loaded_app,
    mount_apps_folder,
)
from patchbay.integration.run_checks import find_connection_problems, find_event_problems
from patchbay.integration.source_checks import (
    ENTRY_FILE,
    AppSources,
    Finding,
    find_auth_problems,
    find_blocking_calls,
)

_PACKAGE = "patchbay_checked_apps"
_REQUIRED_PROPERTIES = ("name", "key", "primary_color")
_REQUIRED_WITH_CONNECTIONS = (
    *_REQUIRED_PROPERTIES,
    "supports_connections",
    "base_url",
    "api_base_url",
    "auth",
)
_MODELS: dict[str, type[BaseModel]] = {"AuthField": AuthField, "Argument": Argument}
_NOT_OWN_FILE = "This must be a file in the app's folder, of at most 1 MB."
_UNKNOWN_KEYWORD = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")
_MISSING_KEYWORD = re.compile(r"(\w+)\.__init__\(\) missing \d+ required [\w-]+ arguments?: (.+)")


def app_folders(folder: Path) -> list[Path]:
    """This folder if it contains an app, otherwise the app folders in it."""
    below = sorted(path.parent for path in folder.glob(f"*/{ENTRY_FILE}"))
    return [folder] if (folder / ENTRY_FILE).is_file() or not below else below


def check(path_or_app: Path | App) -> list[Finding]:
    """Check an app folder, or only the definition of an `App`. Runs the app's code. Empty for a valid app."""
    if isinstance(path_or_app, App):
        return [Finding("", 0, violation.message) for violation in find_violations(path_or_app)]
    folder = path_or_app.resolve()
    if not (folder / ENTRY_FILE).is_file():
        return [Finding(ENTRY_FILE, 0, "This file is missing. It defines the app as `app = App(…)`.")]
    try:
        sources = AppSources(folder)
    except SyntaxError as error:
        name = Path(error.filename or "").relative_to(folder).as_posix() if error.filename else ENTRY_FILE
        message = f"This isn't valid Python: {str(error.msg).removesuffix('.')}."
        return [Finding(name, error.lineno or 1, message)]
    return list(dict.fromkeys(_find_problems(sources)))


def _find_problems(sources: AppSources) -> Iterator[Finding]:
    if sources.call is None:
        yield Finding(ENTRY_FILE, 1, "There is no `app = App(…)`.")
        return
    yield from _find_missing_properties(sources)
    yield from _find_misspelled_properties(sources)
    yield from find_blocking_calls(sources)
    app, loading_problems = _load_for_check(sources)
    yield from loading_problems
    yield from _check_files(sources)
    yield from find_event_problems(sources, None if loading_problems else app)
    if "auth" in sources.lines:
        auth_problems = list(find_auth_problems(sources, app))
        yield from auth_problems
        if app is not None and not any(
            finding.file.startswith("auth/") for finding in (*loading_problems, *auth_problems)
        ):
            yield from find_connection_problems(sources, app)


def _find_missing_properties(sources: AppSources) -> Iterator[Finding]:
    for name in _REQUIRED_WITH_CONNECTIONS if "auth" in sources.lines else _REQUIRED_PROPERTIES:
        if name not in sources.lines:
            yield Finding(ENTRY_FILE, sources.app_line, f"The app definition has no {name}.")
    folder = sources.folder
    if folder.name in built_in_keys() and folder.parent != Path(__file__).parents[1] / "apps":
        message = f"Patchbay has a built-in app with the key “{folder.name}”. Choose another key."
        yield Finding(ENTRY_FILE, sources.lines.get("key", sources.app_line), message)


def _find_misspelled_properties(sources: AppSources) -> Iterator[Finding]:
    """Unknown properties of fields, which would be ignored silently."""
    for file, call in sources.calls(*_MODELS):
        name = getattr(call.func, "id", "")
        fields = _MODELS[name].model_fields
        known = {*fields, *(field.alias for field in fields.values() if field.alias)}
        for keyword in call.keywords:
            if keyword.arg and keyword.arg not in known:
                close_matches = difflib.get_close_matches(keyword.arg, sorted(fields), 1, 0.5)
                hint = f" Did you mean {close_matches[0]}?" if close_matches else ""
                yield Finding(file, keyword.value.lineno, f"{name} has no property {keyword.arg}.{hint}")


def _load_for_check(sources: AppSources) -> tuple[App | None, list[Finding]]:
    """The app, as far as it can be loaded, and its findings."""
    folder = sources.folder
    key = AppKey(folder.name)
    mount_apps_folder(folder.parent, _PACKAGE)
    try:
        return run_contained(lambda: load_app(key, _PACKAGE), LOADING_TIMEOUT_SECONDS), []
    except AppLoadError as error:
        app = loaded_app(key, _PACKAGE)
        if app is None:
            return None, [Finding(ENTRY_FILE, sources.app_line, str(error))]
        readable = app if isinstance(app.auth, Auth | None) else None
        return readable, [sources.finding(violation) for violation in find_violations(app, folder.name)]
    except Exception as error:  # noqa: BLE001 - whatever an author's code raises
        return None, [_loading_problem(sources, error)]


def _loading_problem(sources: AppSources, error: BaseException) -> Finding:
    """The location and message of a loading error."""
    file, line = sources.location_in_traceback(error) or (ENTRY_FILE, sources.app_line)
    if found := _UNKNOWN_KEYWORD.search(str(error)):
        return Finding(file, line, f"{found[1]} has no property {found[2]}.")
    if found := _MISSING_KEYWORD.search(str(error)):
        return Finding(file, line, f"{found[1]} is missing {found[2].replace(chr(39), '')}.")
    if isinstance(error, AppCodeExited) and error.__cause__ is not None:
        error = error.__cause__
        file, line = sources.location_in_traceback(error) or (file, line)
    error_text = error.text() if isinstance(error, AppError) else f"{type(error).__name__}: {error}"
    return Finding(file, line, f"The app can't be loaded: {error_text}")


def _check_files(sources: AppSources) -> Iterator[Finding]:
    icon, guide = sources.folder / "icon.svg", sources.folder / "docs.md"
    if not icon.is_file():
        yield Finding("icon.svg", 1, "The app has no icon (icon.svg).")
    elif not is_own_file(sources.folder, icon.name):
        yield Finding("icon.svg", 1, _NOT_OWN_FILE)
    elif "<svg" not in icon.read_text(encoding="utf-8", errors="replace"):
        yield Finding("icon.svg", 1, "This isn't an SVG image.")
    if not guide.is_file():
        yield Finding("docs.md", 1, "The app has no connection guide (docs.md).")
    elif not is_own_file(sources.folder, guide.name):
        yield Finding("docs.md", 1, _NOT_OWN_FILE)
    elif not guide.read_text(encoding="utf-8", errors="replace").strip():
        yield Finding("docs.md", 1, "The connection guide is empty.")
    yield from _check_event_files(sources)


def _check_event_files(sources: AppSources) -> Iterator[Finding]:
    """Each trigger and action has a file of its own, `triggers/new_issue.py`, or all are in `triggers.py`."""
    for keyword in sources.call.keywords if sources.call else ():
        if keyword.arg in ("triggers", "actions") and isinstance(keyword.value, (ast.List, ast.Tuple)):
            for name in (item for item in keyword.value.elts if isinstance(item, ast.Name)):
                file = f"{keyword.arg}/{name.id}.py"
                if file not in sources.files and f"{keyword.arg}.py" not in sources.files:
                    yield Finding(ENTRY_FILE, name.lineno, f"{name.id} should be defined in {file}.")
