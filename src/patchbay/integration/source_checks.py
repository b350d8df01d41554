"""Static checks of an app's source files: blocking calls and the `auth` folder. Runs no app code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import unwrap
from pathlib import Path

from patchbay.integration.app_definition import App
from patchbay.integration.app_rules import RuleViolation
from patchbay.integration.oauth import BrowserSignIn

ENTRY_FILE = "__init__.py"
_FOLDERS = ("auth", "triggers", "actions", "dynamic_data", "dynamic_fields")


@dataclass(frozen=True)
class Finding:
    """A problem: file, line (1 for the whole file, 0 without a file or for a missing one), and message."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message


class AppSources:
    """The app's parsed Python files by relative path (with `/`). Nothing is executed."""

    def __init__(self, folder: Path) -> None:
        """Parse the files in `folder`. Raises `SyntaxError` if one isn't valid Python."""
        self.folder = folder
        self.files: dict[str, ast.Module] = {}
        for path in sorted(folder.rglob("*.py")):
            self.files[path.relative_to(folder).as_posix()] = ast.parse(path.read_bytes(), str(path))
        self.call = find_app_call(self.files[ENTRY_FILE])
        keywords = self.call.keywords if self.call else ()
        self.lines = {keyword.arg: keyword.value.lineno for keyword in keywords if keyword.arg}

    @property
    def app_line(self) -> int:
        """The line of `app = App(…)`."""
        return self.call.lineno if self.call else 1

    def finding(self, violation: RuleViolation) -> Finding:
        """The finding for a violation, located at its word, otherwise at its property."""
        found = self.find_location(violation.word, violation.property_name) if violation.word else None
        file, line = found or (ENTRY_FILE, self.lines.get(violation.property_name, self.app_line))
        return Finding(file, line, violation.message)

    def find_location(self, word: str, property_name: str) -> tuple[str, int] | None:
        """File and line where the word occurs as a string or name, first in the folder of the property."""
        first = [
            name for name in self.files if property_name in _FOLDERS and name.startswith(f"{property_name}/")
        ]
        others = [name for name in self.files if name not in first and not name.startswith("tests/")]
        for name in (*first, *others):
            if line := next(_lines_containing(self.files[name], word), None):
                return name, line
        return None

    def calls(self, *names: str) -> Iterator[tuple[str, ast.Call]]:
        """Calls of functions or classes with these names: (file, call)."""
        for file, tree in self.files.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                    yield file, node

    def location_in_traceback(self, error: BaseException) -> tuple[str, int] | None:
        """File and line of the app's own code where an error came from."""
        if isinstance(error, SyntaxError) and error.filename:
            return self._own_location(error.filename, error.lineno or 1)
        location, traceback = None, error.__traceback__
        while traceback is not None:
            location = (
                self._own_location(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno) or location
            )
            traceback = traceback.tb_next
        return location

    def file_defining(self, function: object) -> str | None:
        """The app's file that contains the code of a function; None if it's none of the app's."""
        code = getattr(unwrap(function) if callable(function) else function, "__code__", None)
        location = self._own_location(code.co_filename, code.co_firstlineno) if code else None
        return location[0] if location else None

    def _own_location(self, filename: str, line: int) -> tuple[str, int] | None:
        path = Path(filename)
        inside = path.is_absolute() and path.is_relative_to(self.folder)
        return (path.relative_to(self.folder).as_posix(), line) if inside else None


def find_app_call(tree: ast.Module) -> ast.Call | None:
    """The call in `app = App(…)`."""
    for node in tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = any(isinstance(target, ast.Name) and target.id == "app" for target in targets)
        if named and isinstance(node.value, ast.Call):
            return node.value
    return None


def _lines_containing(tree: ast.Module, word: str) -> Iterator[int]:
    """Lines on which the word is a string, a keyword argument, or a function's name, in this order."""
    nodes = list(ast.walk(tree))
    yield from (node.lineno for node in nodes if isinstance(node, ast.Constant) and node.value == word)
    yield from (node.value.lineno for node in nodes if isinstance(node, ast.keyword) and node.arg == word)
    yield from (
        node.lineno
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == word
    )


# Blocking calls

_HTTP = "await ctx.http, such as `await ctx.http.get(…)`"
_PROCESS = "await asyncio.create_subprocess_exec(…)"
_THREAD = "await asyncio.to_thread(…)"
_HTTPX = ("get", "post", "put", "patch", "delete", "head", "request", "stream", "Client")
_ALTERNATIVES = {
    "time.sleep": "await asyncio.sleep(…)",
    "requests": _HTTP,
    "urllib3": _HTTP,
    "urllib.request.urlopen": _HTTP,
    "urllib.request.urlretrieve": _HTTP,
    "http.client": _HTTP,
    **{f"httpx.{name}": _HTTP for name in _HTTPX},
    "subprocess": _PROCESS,
    "os.system": _PROCESS,
    "os.popen": _PROCESS,
    "socket.create_connection": "await asyncio.open_connection(…)",
    "socket.getaddrinfo": "await asyncio.get_running_loop().getaddrinfo(…)",
    "socket.gethostbyname": "await asyncio.get_running_loop().getaddrinfo(…)",
    "sqlite3.connect": _THREAD,
    "smtplib": _THREAD,
    "imaplib": _THREAD,
    "ftplib": _THREAD,
    "input": "a parameter of the step",
}
"""Replacements for blocking calls, by the dotted name of a function or a module."""
_HARMLESS_SUFFIXES = ("Error", "Exception", "Timeout", "Response", "PIPE")
"""Suffixes of names that aren't calls that block, such as exceptions to catch."""


def find_blocking_calls(sources: AppSources) -> Iterator[Finding]:
    """Findings for calls that block the app's thread and can't be cancelled.

    Functions passed to another thread, as in `asyncio.to_thread(time.sleep, 1)`, aren't called here.
    """
    for file, tree in sources.files.items():
        if file.startswith("tests/"):
            continue
        names = _imported_names(tree)
        calls_elsewhere = _calls_run_elsewhere(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and id(node) not in calls_elsewhere:
                called = _dotted(node.func, names)
                if alternative := _alternative_to(called):
                    message = f"{called} blocks and can't be cancelled. Use {alternative} instead."
                    yield Finding(file, node.lineno, message)


def _imported_names(tree: ast.Module) -> dict[str, str]:
    """The full dotted names of names imported in this file."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                names[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """The full name of the called function; empty if it isn't imported."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id if node.id in _ALTERNATIVES else "")
    if isinstance(node, ast.Attribute):
        parent = _dotted(node.value, names)
        return f"{parent}.{node.attr}" if parent else ""
    return ""  # requests.Session().get(…): reported where the session is created


def _alternative_to(called: str) -> str | None:
    if called.endswith(_HARMLESS_SUFFIXES):
        return None
    parts = called.split(".")
    found = (_ALTERNATIVES.get(".".join(parts[:length])) for length in range(len(parts), 0, -1))
    return next((alternative for alternative in found if alternative), None)


def _calls_run_elsewhere(tree: ast.Module) -> set[int]:
    """The calls in functions that the file passes by name to a thread or a worker process."""
    passed_functions = {
        argument.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("to_thread", "run_in_executor", "compute")
        for argument in node.args
        if isinstance(argument, ast.Name)
    }
    functions = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in passed_functions
    )
    return {id(call) for function in functions for call in ast.walk(function) if isinstance(call, ast.Call)}


# The `auth` folder

_REQUIRED_FILES = ("__init__.py", "verify_credentials.py", "is_still_verified.py")
_OPTIONAL_FUNCTIONS = ("generate_auth_url", "refresh_token", "verify_webhook")
_REQUEST_METHODS = frozenset(("get", "post", "put", "patch", "delete", "request"))
_SCREEN_NAME = "screenName"


def find_auth_problems(sources: AppSources, app: App | None) -> Iterator[Finding]:
    """Findings in the `auth` folder; `app` is None if it couldn't be loaded."""
    for name in _REQUIRED_FILES:
        if f"auth/{name}" not in sources.files:
            yield Finding(f"auth/{name}", 1, f"The app has no auth/{name}.")
    auth = app.auth if app else None
    for name in _OPTIONAL_FUNCTIONS:
        method = getattr(auth, name, None)
        if method is None or isinstance(getattr(method, "__self__", None), BrowserSignIn):
            continue  # the functions of `oauth2(…)` and `oauth1(…)` need no file
        if f"auth/{name}.py" not in sources.files:
            yield Finding(f"auth/{name}.py", 1, f"The function {name} should be defined in auth/{name}.py.")
    if tree := sources.files.get("auth/verify_credentials.py"):
        yield from _check_verify_credentials("auth/verify_credentials.py", tree, app)
    if tree := sources.files.get("auth/is_still_verified.py"):
        yield from _check_is_still_verified("auth/is_still_verified.py", tree)


def _is_built_by(builder: str, name: str, tree: ast.Module) -> bool:
    """Whether the module assigns what a builder returns to this name: `name = builder(…)`."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == builder
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        for node in tree.body
    )


def _check_verify_credentials(file: str, tree: ast.Module, app: App | None) -> Iterator[Finding]:
    if _is_built_by("verify_with", "verify_credentials", tree):
        return
    function = _find_async_function("verify_credentials", tree)
    if function is None:
        yield Finding(file, 1, "There is no `async def verify_credentials(ctx)`.")
        return
    if not _sends_request(tree):
        yield Finding(file, function.lineno, "It sends no request, so it accepts any credentials.")
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _sets_screen_name(node)]
    if not names:
        yield Finding(file, function.lineno, "It doesn't set screenName, so the connection has no name.")
    has_field = bool(app and app.auth and any(field.key == _SCREEN_NAME for field in app.auth.fields))
    if app and not has_field and names and all(map(_is_only_entered_name, names)):
        message = "It reads screenName from the auth data, but there is no auth field screenName."
        yield Finding(file, names[0].lineno, message)


def _check_is_still_verified(file: str, tree: ast.Module) -> Iterator[Finding]:
    if _is_built_by("still_verified_with", "is_still_verified", tree):
        return
    function = _find_async_function("is_still_verified", tree)
    if function is None:
        yield Finding(file, 1, "There is no `async def is_still_verified(ctx)`.")
        return
    if "verify_credentials" not in ast.unparse(function) and not _sends_request(tree):
        yield Finding(
            file, function.lineno, "It sends no request, so it can't tell whether the credentials still work."
        )
    if not any(isinstance(node, ast.Return) and node.value for node in ast.walk(function)):
        yield Finding(file, function.lineno, "It never returns True.")


def _find_async_function(name: str, tree: ast.Module) -> ast.AsyncFunctionDef | None:
    found = next((node for node in ast.walk(tree) if getattr(node, "name", None) == name), None)
    return found if isinstance(found, ast.AsyncFunctionDef) else None


def _sets_screen_name(call: ast.Call) -> bool:
    """Whether this is `ctx.auth.set(screenName=…)`, or the same with a mapping that may contain it."""
    names = [keyword.arg for keyword in call.keywords]
    return ast.unparse(call.func).endswith("auth.set") and (_SCREEN_NAME in names or None in names)


def _is_only_entered_name(call: ast.Call) -> bool:
    """Whether the name is just the screenName that was entered."""
    value = next((keyword.value for keyword in call.keywords if keyword.arg == _SCREEN_NAME), None)
    if value is None or isinstance(value, ast.BoolOp):
        return False
    text = ast.unparse(value)
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return "auth.data" in text and _SCREEN_NAME in text and names <= {"ctx", "str"}


def _sends_request(tree: ast.Module) -> bool:
    """Whether something awaited or entered looks like a call of `ctx.http`, or of a helper given `ctx`.

    Apps for other protocols than HTTP use such helpers: `async with session(ctx) as server`.
    """
    calls = [node.value for node in ast.walk(tree) if isinstance(node, ast.Await)]
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncWith)]
    calls += [item.context_expr for block in blocks for item in block.items]
    for call in calls:
        if not isinstance(call, ast.Call):
            continue
        function = call.func
        takes_context = any(isinstance(argument, ast.Name) and argument.id == "ctx" for argument in call.args)
        if isinstance(function, ast.Name) and takes_context:
            return True
        is_request = isinstance(function, ast.Attribute) and function.attr in _REQUEST_METHODS
        if is_request and "http" in ast.unparse(function):
            return True
    return False
