"""Finds calls that block a thread in the source of an app, without running it."""

import ast
from collections.abc import Iterator

from patchbay.integration.check_sources import Breach, Sources

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
