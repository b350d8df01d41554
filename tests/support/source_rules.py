"""Security rules of our own over the source: `python -m tests.support.source_rules` says what breaks them.

A line that is fine all the same says so beside it, with the reason: `# allow <rule>: <reason>`.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.parsed_sources import parsed, walk, without_collecting

SOURCE = Path(__file__).resolve().parents[2] / "src" / "patchbay"

Function = ast.FunctionDef | ast.AsyncFunctionDef

BLOCKING = frozenset(
    {
        "time.sleep",
        "open",
        "io.open",
        "os.fsync",
        "os.system",
        "os.popen",
        "os.wait",
        "os.waitpid",
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
        "socket.create_connection",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.gethostbyaddr",
        "urllib.request.urlopen",
        "sqlite3.connect",
        "hashlib.scrypt",
        "hashlib.pbkdf2_hmac",
        "hashlib.file_digest",
        "httpx.get",
        "httpx.post",
        "httpx.request",
        "smtplib.SMTP",
        "imaplib.IMAP4",
        "imapclient.IMAPClient",
        "socket.getfqdn",
        "urllib.request.proxy_bypass",
    }
)
"""Calls that wait for the disk, the network, a process or much arithmetic."""
BLOCKING_MODULES = ("requests.", "shutil.")
BLOCKING_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes", "derive"})
"""Of paths, and of functions that derive keys."""

_TEXTS = ("str", "bytes", "bytearray")
_READERS = ("open", "read_text", "write_text", "TextIOWrapper", "decode", "encode", *_TEXTS)
CODECS = frozenset({"codecs.decode", "codecs.encode", "codecs.getdecoder", "codecs.getreader", "codecs.open"})
FORBIDDEN_CALLS = {
    "eval": "runs text as a program",
    "exec": "runs text as a program",
    "compile": "makes text a program",
    "os.system": "runs text in a shell",
    "os.popen": "runs text in a shell",
    "yaml.load": "runs what the text asks for",
    "tempfile.mktemp": "leaves a gap in which somebody else makes the file",
}
FORBIDDEN_MODULES = {
    "pickle": "runs what the data asks for",
    "marshal": "runs what the data asks for",
    "shelve": "runs what the data asks for",
    "dill": "runs what the data asks for",
    "xml.etree": "expands entities; use defusedxml",
    "xml.dom": "expands entities; use defusedxml",
    "xml.sax": "expands entities; use defusedxml",
    "xmlrpc": "expands entities",
}
SAFE_MODULES = ("xml.sax.saxutils",)
"""Only writes XML."""
OWNING_GETTERS = frozenset(
    {
        "focusProxy",
        "nextInFocusChain",
        "previousInFocusChain",
        "childAt",
        "checkedButton",
    }
)
_SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|WITH|PRAGMA|ATTACH)\s")
_ALLOWED = re.compile(r"#.*\ballow ([a-z]+): *(\S.{9,})")


EXCEPT: dict[str, dict[str, str]] = {
    "assert": {"integration/template/tests/": "a test, which is copied into apps of others"},
    "encoding": {"domain/charsets.py": "the allow-list itself"},
    "sql": {
        "apps/postgresql/session.py": "casts are numbered places and names of types that the server told",
        "apps/sqlite/database.py": "statements of the flow's author, restricted by the authorizer",
        "apps/vtiger-crm/": "the names of modules are constants of the app",
        "apps/salesforce/": "names are checked, values are quoted (tests/apps/test_salesforce_queries.py)",
        "integration/sql/": "names are quoted by the dialect, values are bound",
        "storage/moving/": "names of tables and columns of the schema, quoted; values are bound",
        "storage/migrations/versions/": "run once on constants, and never change",
        "storage/executions.py": "conditions of execution_filter, whose values are bound",
        "storage/statistics.py": "conditions of execution_filter, whose values are bound",
        "storage/counters.py": "conditions of execution_filter, values bound; triggers made of constants",
        "storage/bulk_load.py": "names of tables and columns of the schema",
        "storage/retention.py": "names of tables and PRAGMAs, given in the file",
        "storage/remote_history.py": "question marks",
        "storage/sqlite_file.py": "PRAGMAs, given in the file",
        "storage/postgresql/schema.py": "names of triggers and columns, given in the file",
        "storage/integrity.py": "names that the database itself tells; PRAGMA takes no bound values",
    },
}
"""Rule to files (or folders) it doesn't hold for, each with the reason."""


@dataclass(frozen=True)
class Finding:
    """A line that breaks a rule."""

    rule: str
    line: int
    words: str


class Source:
    """A file, with what its names stand for."""

    def __init__(self, text: str) -> None:
        self.tree = parsed(text)
        self.nodes = walk(self.tree)
        self._lines = text.splitlines()
        self._names = dict(_imported(self.nodes))

    def findings(self) -> list[Finding]:
        """What breaks a rule and doesn't say why, by line."""
        found = {finding for check in CHECKS for finding in check(self)}
        return sorted((one for one in found if not self.allows(one)), key=lambda one: (one.line, one.rule))

    def called(self, call: ast.Call) -> str:
        """The full name of what is called, as far as imports tell it: `time.sleep`."""
        return self.name(call.func)

    def name(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self.name(node.value)}.{node.attr}"
        return "?"

    def allows(self, finding: Finding) -> bool:
        """The reason stands on the line, or on one of its own above it."""
        above = self._lines[finding.line - 2].strip() if finding.line > 1 else ""
        places = [self._lines[finding.line - 1], above if above.startswith("#") else ""]
        marks = filter(None, map(_ALLOWED.search, places))
        return any(mark[1] == finding.rule for mark in marks)


def _imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((one.asname, one.name) for one in node.names if one.asname)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((one.asname or one.name, f"{node.module}.{one.name}") for one in node.names)


# Nothing blocks the event loop


def blocking(source: Source) -> Iterator[Finding]:
    """Blocking calls in `async def`, directly or through a plain function of the same file."""
    helpers = {
        node.name: call
        for node in source.nodes
        if isinstance(node, ast.FunctionDef) and (call := next(_blocking_calls(source, node), None))
    }
    for node in source.nodes:
        if not isinstance(node, ast.AsyncFunctionDef):
            continue
        for call in _blocking_calls(source, node):
            yield Finding("blocking", call.lineno, f"{source.called(call)}() blocks the event loop")
        for call in _own_calls(node):
            if helper := helpers.get(_local_name(call)):
                words = f"{_local_name(call)}() blocks the event loop with {source.called(helper)}()"
                yield Finding("blocking", call.lineno, words)


def _blocking_calls(source: Source, function: Function) -> Iterator[ast.Call]:
    for call in _own_calls(function):
        name = source.called(call)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        blocks = name in BLOCKING or name.startswith(BLOCKING_MODULES) or method in BLOCKING_METHODS
        if blocks and not source.allows(Finding("blocking", call.lineno, "")):
            yield call


def _own_calls(function: Function) -> Iterator[ast.Call]:
    """The calls in the body of a function, without those in functions and lambdas inside it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def _local_name(call: ast.Call) -> str:
    """The name of a function of the file or a method of `self`."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        return call.func.attr if call.func.value.id == "self" else ""
    return ""


# Encodings are named by us, not by others


def encodings(source: Source) -> Iterator[Finding]:
    """Texts are decoded with encodings written here; those that others name go through `domain.charsets`."""
    for call in _calls(source):
        name, words = source.called(call), "takes an encoding from a variable; use patchbay.domain.charsets"
        given = [one.value for one in call.keywords if one.arg == "encoding" and name.endswith(_READERS)]
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr in ("decode", "encode")
            and name not in CODECS
        ):
            given += call.args[:1] if _may_be_text(call) else []
        elif name in CODECS or name in _TEXTS:
            given += call.args[1:2]
        if any(not _is_literal(one) for one in given):
            yield Finding("encoding", call.lineno, f"{name}() {words}")


def _may_be_text(call: ast.Call) -> bool:
    """Whether the first argument is an encoding: other things have a `decode` and an `encode` too."""
    errors = call.args[1:]
    return (
        len(call.args) in (1, 2)
        and not isinstance(call.args[0], ast.Dict | ast.List)
        and all(map(_is_literal, errors))
    )


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str))


# What is never used


def forbidden(source: Source) -> Iterator[Finding]:
    """Calls and modules that make programs out of data, and switches that turn protection off."""
    for call in _calls(source):
        if reason := FORBIDDEN_CALLS.get(source.called(call)):
            yield Finding("forbidden", call.lineno, f"{source.called(call)}() {reason}")
        for keyword in call.keywords:
            if (keyword.arg, getattr(keyword.value, "value", None)) in (("shell", True), ("verify", False)):
                yield Finding("forbidden", call.lineno, f"{keyword.arg}={ast.unparse(keyword.value)}")
    for node in _running(source.tree):
        for module in _modules(node):
            reason = next((why for name, why in FORBIDDEN_MODULES.items() if _is_in(module, name)), None)
            if reason and not module.startswith(SAFE_MODULES):
                yield Finding("forbidden", node.lineno, f"{module} {reason}")  # type: ignore[attr-defined]


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only the type checker reads."""
    waiting = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
                yield node
                waiting.append(node)


def _is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f"{node.module}.{one.name}" for one in node.names]
    return []


def ownership(source: Source) -> Iterator[Finding]:
    """Getters of Qt whose answer the binding takes for a child of what was asked.

    A widget that belongs to its own child, or to something short-lived, is garbage: the next collection
    destroys it while it is showing, and the program dies when it is painted.
    """
    for call in _calls(source):
        if isinstance(call.func, ast.Attribute) and call.func.attr in OWNING_GETTERS:
            words = f"{call.func.attr}() makes what it returns a child of what was asked"
            yield Finding("ownership", call.lineno, words)


def assertions(source: Source) -> Iterator[Finding]:
    """`assert` is left out under -O, so it only tells the type checker what it can't see."""
    for node in source.nodes:
        if isinstance(node, ast.Assert) and not _narrows(node.test):
            yield Finding("assert", node.lineno, "assert is no check: raise an error")


def _narrows(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp):
        return all(map(_narrows, test.values))
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Name) and test.func.id in ("isinstance", "issubclass", "callable")
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    is_none = isinstance(test.ops[0], ast.IsNot) and ast.unparse(test.comparators[0]) == "None"
    return is_none or ast.unparse(test.left) == "sys.platform"


def statements(source: Source) -> Iterator[Finding]:
    """SQL is put together from constants of the file only (UPPER_CASE); values are bound."""
    inner: set[int] = set()
    for node in source.nodes:
        if isinstance(node, ast.JoinedStr) and id(node) not in inner:
            inner |= {id(child) for child in walk(node)}
            first = node.values[0] if node.values else None
            sql = isinstance(first, ast.Constant) and _SQL.match(str(first.value))
            strange = [
                one for one in node.values if isinstance(one, ast.FormattedValue) and not _constant(one.value)
            ]
            if sql and strange:
                yield Finding("sql", node.lineno, f"SQL with {ast.unparse(strange[0].value)} in it")


def _constant(node: ast.expr) -> bool:
    """A name in capitals."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return bool(name) and name == name.upper()


CHECKS: tuple[Callable[[Source], Iterator[Finding]], ...] = (
    blocking,
    encodings,
    forbidden,
    ownership,
    assertions,
    statements,
)


def _calls(source: Source) -> Iterator[ast.Call]:
    return (node for node in source.nodes if isinstance(node, ast.Call))


@cache
def _all_findings() -> tuple[tuple[Path, Finding], ...]:
    """Every line of the program that a check finds, also where a file is exempt."""
    with without_collecting():
        return tuple(
            (file, finding)
            for file in sorted(SOURCE.rglob("*.py"))
            for finding in Source(file.read_text("utf-8")).findings()
        )


def broken_rules() -> Iterator[str]:
    """Every line of the program that breaks a rule, as `file:line: [rule] what`, and unused exceptions."""
    unused = {(rule, start) for rule, files in EXCEPT.items() for start in files}
    for file, finding in _all_findings():
        if start := _exception(finding.rule, file.relative_to(SOURCE).as_posix()):
            unused.discard((finding.rule, start))
        else:
            place = file.relative_to(SOURCE.parents[1])
            yield f"{place}:{finding.line}: [{finding.rule}] {finding.words}"
    for rule, start in sorted(unused):
        yield f"tests/support/source_rules.py: [{rule}] the exception for {start} isn't needed; remove it"


def _exception(rule: str, name: str) -> str | None:
    """The file or folder of `EXCEPT` that exempts this file from the rule."""
    return next((start for start in EXCEPT.get(rule, {}) if name.startswith(start)), None)


def main() -> int:
    broken = list(broken_rules())
    print("\n".join(broken) or "No rule is broken.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
