"""The files of an app, and where in them something stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from patchbay.integration.app_definition import App
from patchbay.integration.app_rules import Fault
from patchbay.integration.oauth import OAuth2

ENTRY = "__init__.py"
_FOLDERS = ("auth", "triggers", "actions", "dynamic_data", "dynamic_fields")


@dataclass(frozen=True)
class Breach:
    """A broken rule: where (line 1 when the whole file is meant, 0 when there is no file) and what."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message


class Sources:
    """The app's Python files by name (with `/`), read without running them."""

    def __init__(self, folder: Path) -> None:
        """Raises `SyntaxError` for a file that is no Python."""
        self.folder = folder
        self.files: dict[str, ast.Module] = {}
        for path in sorted(folder.rglob("*.py")):
            self.files[path.relative_to(folder).as_posix()] = ast.parse(path.read_bytes(), str(path))
        self.call = app_call(self.files[ENTRY])
        keywords = self.call.keywords if self.call else ()
        self.lines = {keyword.arg: keyword.value.lineno for keyword in keywords if keyword.arg}

    @property
    def start(self) -> int:
        """The line of `app = App(…)`."""
        return self.call.lineno if self.call else 1

    def breach(self, fault: Fault) -> Breach:
        """The fault at the place of its word, else at the property it is about."""
        found = self.place_of(fault.word, fault.about) if fault.word else None
        file, line = found or (ENTRY, self.lines.get(fault.about, self.start))
        return Breach(file, line, fault.message)

    def place_of(self, word: str, about: str) -> tuple[str, int] | None:
        """File and line where the word stands as a text or a name, first in the folder that it is about."""
        first = [name for name in self.files if about in _FOLDERS and name.startswith(f"{about}/")]
        others = [name for name in self.files if name not in first and not name.startswith("tests/")]
        for name in (*first, *others):
            if line := next(_lines_with(self.files[name], word), None):
                return name, line
        return None

    def calls(self, *names: str) -> Iterator[tuple[str, ast.Call]]:
        """Calls of functions or classes with these names: (file, call)."""
        for file, tree in self.files.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                    yield file, node

    def place_in_trace(self, error: BaseException) -> tuple[str, int] | None:
        """File and line of the app's own code where an error came from."""
        if isinstance(error, SyntaxError) and error.filename:
            return self._own(error.filename, error.lineno or 1)
        place, trace = None, error.__traceback__
        while trace is not None:
            place = self._own(trace.tb_frame.f_code.co_filename, trace.tb_lineno) or place
            trace = trace.tb_next
        return place

    def _own(self, filename: str, line: int) -> tuple[str, int] | None:
        path = Path(filename)
        inside = path.is_absolute() and path.is_relative_to(self.folder)
        return (path.relative_to(self.folder).as_posix(), line) if inside else None


def app_call(tree: ast.Module) -> ast.Call | None:
    """The call in `app = App(…)`."""
    for node in tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = any(isinstance(target, ast.Name) and target.id == "app" for target in targets)
        if named and isinstance(node.value, ast.Call):
            return node.value
    return None


def _lines_with(tree: ast.Module, word: str) -> Iterator[int]:
    """Lines on which the word is a text, a keyword or the name of a function, in this order."""
    nodes = list(ast.walk(tree))
    yield from (node.lineno for node in nodes if isinstance(node, ast.Constant) and node.value == word)
    yield from (node.value.lineno for node in nodes if isinstance(node, ast.keyword) and node.arg == word)
    yield from (
        node.lineno
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == word
    )


# MERGED: Finds calls that block a thread in the source of an app, without running it.

_HTTP = "await ctx.http, such as `await ctx.http.get(…)`"
_PROCESS = "await asyncio.create_subprocess_exec(…)"
_THREAD = "await asyncio.to_thread(…)"
_HTTPX = ("get", "post", "put", "patch", "delete", "head", "request", "stream", "Client")
_INSTEAD = {
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
"""What to write instead of a blocking call, by the dotted name of a function or of a whole module."""
_HARMLESS = ("Error", "Exception", "Timeout", "Response", "PIPE")
"""How names end that only describe something, such as an exception to catch."""


def blocking_calls(sources: Sources) -> Iterator[Breach]:
    """A breach for each call that would hold up other calls of the app, and can't be cancelled.

    What is handed to another thread, as in `asyncio.to_thread(time.sleep, 1)`, isn't called here.
    """
    for file, tree in sources.files.items():
        if file.startswith("tests/"):
            continue
        names = _imported(tree)
        beside = _run_beside(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and id(node) not in beside:
                called = _dotted(node.func, names)
                if instead := _instead_of(called):
                    message = (
                        f"{called} blocks: the call can't be cancelled meanwhile. Write {instead} instead."
                    )
                    yield Breach(file, node.lineno, message)


def _imported(tree: ast.Module) -> dict[str, str]:
    """The dotted names that names in this file stand for."""
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
    """The full name of what is called; empty for what no import leads to."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id if node.id in _INSTEAD else "")
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, names)
        return f"{before}.{node.attr}" if before else ""
    return ""  # requests.Session().get(…): the breach is where the session is made


def _instead_of(called: str) -> str | None:
    if called.endswith(_HARMLESS):
        return None
    parts = called.split(".")
    found = (_INSTEAD.get(".".join(parts[:length])) for length in range(len(parts), 0, -1))
    return next((instead for instead in found if instead), None)


def _run_beside(tree: ast.Module) -> set[int]:
    """The calls in functions that the file hands to a thread or to a worker process by name."""
    handed = {
        argument.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("to_thread", "run_in_executor", "compute")
        for argument in node.args
        if isinstance(argument, ast.Name)
    }
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in handed)
    return {id(call) for function in functions for call in ast.walk(function) if isinstance(call, ast.Call)}


# MERGED: Reads how an app connects: the files of its `auth` folder, without running them.

_FILES = ("__init__.py", "verify_credentials.py", "is_still_verified.py")
_OPTIONAL = ("generate_auth_url", "refresh_token", "verify_webhook")
_REQUESTS = frozenset(("get", "post", "put", "patch", "delete", "request"))
_SCREEN_NAME = "screenName"


def auth_breaches(sources: Sources, app: App | None) -> Iterator[Breach]:
    """What the files say against the contract; `app` is None when it could not be loaded."""
    for name in _FILES:
        if f"auth/{name}" not in sources.files:
            yield Breach(f"auth/{name}", 1, f"The app has no auth/{name}.")
    yield from _optional_files(sources, app)
    if tree := sources.files.get("auth/verify_credentials.py"):
        yield from _verify("auth/verify_credentials.py", tree, app)
    if tree := sources.files.get("auth/is_still_verified.py"):
        yield from _still_verified("auth/is_still_verified.py", tree)


def _optional_files(sources: Sources, app: App | None) -> Iterator[Breach]:
    """Functions have files of their own; what `oauth2(…)` brings along needs none."""
    auth = app.auth if app else None
    for name in _OPTIONAL:
        method = getattr(auth, name, None)
        if method is None or isinstance(getattr(method, "__self__", None), OAuth2):
            continue
        if f"auth/{name}.py" not in sources.files:
            yield Breach(f"auth/{name}.py", 1, f"The function {name} should be defined in auth/{name}.py.")


def _verify(file: str, tree: ast.Module, app: App | None) -> Iterator[Breach]:
    function = _function("verify_credentials", tree)
    if function is None:
        yield Breach(file, 1, "There is no `async def verify_credentials(ctx)`.")
        return
    if not _sends(tree):
        yield Breach(file, function.lineno, "It sends no request, so any credentials would be accepted.")
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _names_connection(node)]
    if not names:
        yield Breach(file, function.lineno, "It does not set screenName, so the connection has no name.")
    has_field = bool(app and app.auth and any(field.key == _SCREEN_NAME for field in app.auth.fields))
    if app and not has_field and names and all(map(_only_typed, names)):
        message = (
            "It takes screenName from what was entered, but there is no auth field screenName to enter it."
        )
        yield Breach(file, names[0].lineno, message)


def _still_verified(file: str, tree: ast.Module) -> Iterator[Breach]:
    function = _function("is_still_verified", tree)
    if function is None:
        yield Breach(file, 1, "There is no `async def is_still_verified(ctx)`.")
        return
    if "verify_credentials" not in ast.unparse(function) and not _sends(tree):
        yield Breach(file, function.lineno, "It asks nobody whether the credentials still hold.")
    if not any(isinstance(node, ast.Return) and node.value for node in ast.walk(function)):
        yield Breach(file, function.lineno, "It never returns true.")


def _function(name: str, tree: ast.Module) -> ast.AsyncFunctionDef | None:
    found = next((node for node in ast.walk(tree) if getattr(node, "name", None) == name), None)
    return found if isinstance(found, ast.AsyncFunctionDef) else None


def _names_connection(call: ast.Call) -> bool:
    """Whether this is `ctx.auth.set(screenName=…)`, or with a mapping that may hold it."""
    names = [keyword.arg for keyword in call.keywords]
    return ast.unparse(call.func).endswith("auth.set") and (_SCREEN_NAME in names or None in names)


def _only_typed(call: ast.Call) -> bool:
    """Whether the name is nothing but the screenName that was entered."""
    value = next((keyword.value for keyword in call.keywords if keyword.arg == _SCREEN_NAME), None)
    if value is None or isinstance(value, ast.BoolOp):
        return False
    text = ast.unparse(value)
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return "auth.data" in text and _SCREEN_NAME in text and names <= {"ctx", "str"}


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
