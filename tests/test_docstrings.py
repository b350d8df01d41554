"""Every public module, class, function, and method of the program says what it is or does.

Methods that override one of a base class, or implement one of a protocol, are described there. A module of an
app holds the one action, trigger, or function that it is named after, so it needs no description of its own.
"""

import ast
import contextlib
import importlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.parsed_sources import parse_all, walk

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "patchbay"
FROZEN = SOURCE / "storage" / "migrations" / "versions"
"""Migrations never change, so each of them is described by its module only."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _source_files() -> list[Path]:
    return [file for file in sorted(SOURCE.rglob("*.py")) if "tests" not in file.relative_to(SOURCE).parts]


@cache
def _trees() -> dict[Path, ast.Module]:
    return parse_all(_source_files())


def _names_of_bases(node: ast.ClassDef) -> list[str]:
    """The last part of the name of each base class, without type parameters."""
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    return [base.attr if isinstance(base, ast.Attribute) else ast.unparse(base) for base in bases]


@cache
def _own_classes() -> dict[str, list[ast.ClassDef]]:
    found: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for tree in _trees().values():
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(node)
    return found


@cache
def _imported_classes() -> dict[str, set[type]]:
    """Classes of libraries by the name they are imported under."""
    found: dict[str, set[type]] = defaultdict(set)
    for tree in _trees().values():
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                attributes = [base for base in node.bases if isinstance(base, ast.Attribute)]
                for base in attributes:
                    _add_class(found, ast.unparse(base.value), base.attr)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    _add_class(found, node.module, alias.name)
    return found


def _add_class(found: dict[str, set[type]], module: str, name: str) -> None:
    if module.startswith("patchbay"):
        return
    with contextlib.suppress(ImportError):  # some libraries exist on other systems only
        value = getattr(importlib.import_module(module), name, None)
        if isinstance(value, type):
            found[name].add(value)


@cache
def _protocol_methods() -> frozenset[str]:
    return frozenset(
        method.name
        for nodes in _own_classes().values()
        for node in nodes
        if "Protocol" in _names_of_bases(node)
        for method in node.body
        if isinstance(method, Function) and ast.get_docstring(method)
    )


def _inherits(name: str, bases: list[str]) -> bool:
    for base in bases:
        if any(hasattr(found, name) for found in _imported_classes().get(base, ())):
            return True
        for node in _own_classes().get(base, ()):
            methods = {method.name for method in node.body if isinstance(method, Function)}
            if name in methods or _inherits(name, [one for one in _names_of_bases(node) if one != base]):
                return True
    return False


def _is_described_elsewhere(method: Function, owner: ast.ClassDef) -> bool:
    if any(ast.unparse(decorator).endswith((".setter", "overload")) for decorator in method.decorator_list):
        return True
    return method.name in _protocol_methods() or _inherits(method.name, _names_of_bases(owner))


def _undocumented(node: ast.Module | ast.ClassDef, place: str) -> Iterator[str]:
    """Public classes and functions in a module or class without a docstring."""
    for child in node.body:
        if not isinstance(child, ast.ClassDef | Function) or child.name.startswith("_"):
            continue
        if isinstance(child, ast.ClassDef):
            yield from _undocumented(child, place)
        elif isinstance(node, ast.ClassDef) and _is_described_elsewhere(child, node):
            continue
        if not ast.get_docstring(child):
            yield f"{place}:{child.lineno} {child.name}"


def test_every_module_says_what_it_holds():
    assert [
        str(file.relative_to(ROOT))
        for file, tree in _trees().items()
        if tree.body and not ast.get_docstring(tree) and not file.is_relative_to(SOURCE / "apps")
    ] == []


def test_every_public_class_and_function_says_what_it_is_or_does():
    assert [
        place
        for file, tree in _trees().items()
        if not file.is_relative_to(FROZEN)
        for place in _undocumented(tree, str(file.relative_to(ROOT)))
    ] == []


def test_a_docstring_is_missed_where_nothing_describes_the_function():
    tree = ast.parse("class Box:\n    '''A box.'''\n    def weigh(self): ...\ndef pack(): ...\n")

    assert list(_undocumented(tree, "box.py")) == ["box.py:3 weigh", "box.py:4 pack"]
