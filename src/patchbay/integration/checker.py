"""Checks an app against the contract: `check(folder)` reads its files, `check(app)` only the definition."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from patchbay.domain.errors import AppError
from patchbay.integration.contract import App
from patchbay.integration.loader import CannotLoad, load_app, mount
from patchbay.integration.rules import faults

_PACKAGE = "patchbay_checked_apps"
_AUTH_FILES = ("__init__.py", "verify_credentials.py", "is_still_verified.py")
_GIVEN_ALWAYS = ("name", "key", "primary_color")
_GIVEN_WITH_CONNECTIONS = (*_GIVEN_ALWAYS, "supports_connections", "base_url", "api_base_url", "auth")
_REQUESTS = frozenset(("get", "post", "put", "patch", "delete", "request"))


@dataclass(frozen=True)
class Breach:
    """A broken rule: where (line 1 when the whole file is meant, 0 when there is no file) and what."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message


def check(path_or_app: Path | App) -> list[Breach]:
    """Every breach of the contract, in the order of the files; empty for a good app."""
    if isinstance(path_or_app, App):
        return [Breach("", 0, fault.message) for fault in faults(path_or_app)]
    folder = path_or_app.resolve()
    if not (folder / "__init__.py").is_file():
        return [Breach("__init__.py", 1, "The app has no __init__.py that exports `app`.")]
    try:
        files = {path: ast.parse(path.read_bytes(), str(path)) for path in sorted(folder.rglob("*.py"))}
    except SyntaxError as error:
        return [Breach(_relative(Path(error.filename or ""), folder), error.lineno or 1, str(error.msg))]
    return [*_definition(folder, files[folder / "__init__.py"]), *_files(folder, files)]


def _definition(folder: Path, tree: ast.Module) -> Iterator[Breach]:
    call = _app_call(tree)
    if call is None:
        yield Breach("__init__.py", 1, "There is no `app = App(…)`.")
        return
    lines = {keyword.arg: keyword.value.lineno for keyword in call.keywords if keyword.arg}
    wanted = _GIVEN_WITH_CONNECTIONS if "auth" in lines else _GIVEN_ALWAYS
    for name in wanted:
        if name not in lines:
            yield Breach("__init__.py", call.lineno, f"The definition does not give {name}.")
    try:
        mount(folder.parent, _PACKAGE)
        load_app(folder.name, _PACKAGE)
    except CannotLoad as error:
        yield from _faults(folder, lines, call.lineno, str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever an author's code raises
        words = error.text() if isinstance(error, AppError) else f"{type(error).__name__}: {error}"
        yield Breach("__init__.py", call.lineno, f"The app cannot be loaded: {words}")


def _faults(folder: Path, lines: dict[str, int], start: int, reason: str) -> Iterator[Breach]:
    """The broken rules of a definition that could be read, each at the line of its property."""
    module = sys.modules[f"{_PACKAGE}.{folder.name}"]
    app = getattr(module, "app", None)
    if not isinstance(app, App):
        yield Breach("__init__.py", start, reason)
        return
    for fault in faults(app, folder.name):
        yield Breach("__init__.py", lines.get(fault.about, start), fault.message)


def _files(folder: Path, files: dict[Path, ast.Module]) -> Iterator[Breach]:
    for name, what in (("icon.svg", "an icon"), ("docs.md", "a connection guide")):
        if not (folder / name).is_file():
            yield Breach(name, 1, f"The app has no {name}, {what}.")
    call = _app_call(files[folder / "__init__.py"])
    if call is not None:
        yield from _events(folder, call)
        if any(keyword.arg == "auth" for keyword in call.keywords):
            yield from _auth(folder, files)


def _events(folder: Path, call: ast.Call) -> Iterator[Breach]:
    """Each trigger and action has a file of its own: `triggers/new_issue.py` for `new_issue`."""
    for keyword in call.keywords:
        if keyword.arg in ("triggers", "actions") and isinstance(keyword.value, (ast.List, ast.Tuple)):
            for name in (item for item in keyword.value.elts if isinstance(item, ast.Name)):
                file = f"{keyword.arg}/{name.id}.py"
                if not (folder / file).is_file():
                    yield Breach("__init__.py", name.lineno, f"{name.id} should be defined in {file}.")


def _auth(folder: Path, files: dict[Path, ast.Module]) -> Iterator[Breach]:
    for name in _AUTH_FILES:
        if folder / "auth" / name not in files:
            yield Breach(f"auth/{name}", 1, f"The app has no auth/{name}.")
    for name in ("verify_credentials", "is_still_verified"):
        if tree := files.get(folder / "auth" / f"{name}.py"):
            yield from _auth_function(name, tree)


def _auth_function(name: str, tree: ast.Module) -> Iterator[Breach]:
    file = f"auth/{name}.py"
    function = next((node for node in ast.walk(tree) if getattr(node, "name", None) == name), None)
    if not isinstance(function, ast.AsyncFunctionDef):
        yield Breach(file, 1, f"There is no `async def {name}(ctx)`.")
        return
    if name == "is_still_verified":
        if "verify_credentials" not in ast.unparse(function) and not _sends(tree):
            yield Breach(file, function.lineno, "It asks nobody whether the credentials still hold.")
        if not any(isinstance(node, ast.Return) and node.value for node in ast.walk(function)):
            yield Breach(file, function.lineno, "It never returns true.")
        return
    if not _sends(tree):
        yield Breach(file, function.lineno, "It sends no request, so any credentials would be accepted.")
    if not any(isinstance(node, ast.Call) and _names_connection(node) for node in ast.walk(tree)):
        yield Breach(file, function.lineno, "It does not set screenName, so the connection has no name.")


def _names_connection(call: ast.Call) -> bool:
    """Whether this is `ctx.auth.set(screenName=…)`, or with a mapping that may hold it."""
    names = [keyword.arg for keyword in call.keywords]
    return ast.unparse(call.func).endswith("auth.set") and ("screenName" in names or None in names)


def _sends(tree: ast.Module) -> bool:
    """Whether something awaited or entered looks like a call of `ctx.http`, or of a helper given `ctx`.

    Apps that speak another protocol than HTTP ask through such helpers: `async with session(ctx) as server`.
    """
    calls = [node.value for node in ast.walk(tree) if isinstance(node, ast.Await)]
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncWith)]
    calls += [item.context_expr for block in blocks for item in block.items]
    return any(
        isinstance(call, ast.Call)
        and (_is_request(call.func) or (isinstance(call.func, ast.Name) and _takes_context(call)))
        for call in calls
    )


def _is_request(function: ast.expr) -> bool:
    is_request = isinstance(function, ast.Attribute) and function.attr in _REQUESTS
    return is_request and "http" in ast.unparse(function)


def _takes_context(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Name) and argument.id == "ctx" for argument in call.args)


def _app_call(tree: ast.Module) -> ast.Call | None:
    for node in tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = any(isinstance(target, ast.Name) and target.id == "app" for target in targets)
        if named and isinstance(node.value, ast.Call):
            return node.value
    return None


def _relative(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else path.name
