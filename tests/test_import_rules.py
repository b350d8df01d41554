"""Import rules that import-linter cannot say: parts of Qt, and Qt's charts and web parts anywhere."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from tests.support.parsed_sources import parse_all, walk

import patchbay

SOURCE = Path(patchbay.__file__).parent


@cache
def _imports() -> list[tuple[str, str]]:
    """(file, imported module) for every import of the source."""
    found = []
    for file, tree in parse_all(sorted(SOURCE.rglob("*.py"))).items():
        for node in walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.append((file.relative_to(SOURCE).as_posix(), node.module))
            elif isinstance(node, ast.Import):
                found.extend((file.relative_to(SOURCE).as_posix(), alias.name) for alias in node.names)
    return found


VIEW_MODELS = sorted(
    path.relative_to(SOURCE).as_posix() + "/" for path in SOURCE.glob("desktop/*/view_models")
)


@pytest.mark.parametrize("folder", ["desktop/core/", "desktop/tasks/", *VIEW_MODELS])
def test_no_widgets_below_the_screens(folder: str):
    below = [entry for entry in _imports() if entry[0].startswith(folder)]
    wrong = [entry for entry in below if entry[1].startswith(("PySide6.QtWidgets", "PySide6.QtGui"))]

    assert below

    assert wrong == []


def test_view_models_import_core_tasks_and_view_models_only():
    allowed = re.compile(r"patchbay\.desktop\.(core|tasks|\w+\.view_models)(\.|$)")
    of_view_models = [entry for entry in _imports() if entry[0].startswith(tuple(VIEW_MODELS))]
    wrong = [e for e in of_view_models if e[1].startswith("patchbay.desktop") and not allowed.match(e[1])]

    assert wrong == []


def test_packages_of_the_window_import_nothing():
    """A re-export in `desktop/<screen>/__init__.py` would load the widgets with every view-model."""
    packages = re.compile(r"desktop/(?!tasks/)([\w/]+/)?__init__\.py")

    assert [entry for entry in _imports() if packages.fullmatch(entry[0])] == []


def test_only_essential_parts_of_qt_are_used():
    essentials = {"QtCore", "QtGui", "QtWidgets", "QtSvg", "QtNetwork", "QtTest"}
    parts = {module.split(".")[1] for _, module in _imports() if module.startswith("PySide6.")}

    assert parts <= essentials
