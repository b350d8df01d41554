"""Import rules that import-linter cannot say: parts of Qt, and Qt's charts and web parts anywhere."""

import ast
from functools import cache
from pathlib import Path

import pytest

import patchbay

SOURCE = Path(patchbay.__file__).parent


@cache
def _imports() -> list[tuple[str, str]]:
    """(file, imported module) for every import of the source."""
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.append((file.relative_to(SOURCE).as_posix(), node.module))
            elif isinstance(node, ast.Import):
                found.extend((file.relative_to(SOURCE).as_posix(), alias.name) for alias in node.names)
    return found


@pytest.mark.parametrize("folder", ["desktop/state", "desktop/tasks"])
def test_no_widgets_below_the_ui(folder: str):
    below = [entry for entry in _imports() if entry[0].startswith(folder)]
    wrong = [entry for entry in below if entry[1].startswith(("PySide6.QtWidgets", "PySide6.QtGui"))]

    assert below

    assert wrong == []


def test_only_essential_parts_of_qt_are_used():
    essentials = {"QtCore", "QtGui", "QtWidgets", "QtSvg", "QtNetwork", "QtTest"}
    parts = {module.split(".")[1] for _, module in _imports() if module.startswith("PySide6.")}

    assert parts <= essentials
