"""The files of an app, and where in them something stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from patchbay.integration.faults import Fault

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
