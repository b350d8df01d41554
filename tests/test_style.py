"""Rules for all source files: length, docstrings, nothing unfinished, no paths of one machine."""

import ast
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.parsed_sources import walk, without_collecting

ROOT = Path(__file__).resolve().parent.parent
LINES_OF_A_FILE = 600
LINES_OF_A_FUNCTION = 60
LONGER_FILES = {"src/patchbay/domain/backend.py": 820}
"""Files that may be longer: the protocol of all backends is one list of operations."""
SOURCES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")])
UNFINISHED = re.compile(r"\b(TODO|FIXME)\b|raise NotImplementedError|pragma: no cover|type: ignore(?!\[)")
MACHINE_PATH = re.compile(r"(?<![\w.:/])/(home|Users|root|work)/[a-z]")
PACKAGE_INDEX = re.compile(r"--(extra-)?index-url|PIP_(EXTRA_)?INDEX_URL|://[\w.-]*/simple\b", re.IGNORECASE)
TEXTS = (".py", ".toml", ".sh", ".md", ".json", ".txt", ".yml", ".yaml", ".qss", "Makefile")


def _repository_texts() -> Iterator[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not in a git checkout")
    for name in listed.splitlines():
        file = ROOT / name
        if name.endswith(TEXTS) and file.is_file() and file != Path(__file__).resolve():
            yield file


ASSERTING_CALLS = {"raises", "warns", "fail", "AssertionError", "timeout", "waitUntil", "waitSignal"}
"""Functions of libraries that fail a test by themselves."""
ASSERTING_FIXTURES = {"qtmodeltester"}


Function = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of statements that hold statements, or what holds those."""


class Definition(NamedTuple):
    """A function or class of the repository."""

    file: Path
    place: str
    name: str
    lines: int
    is_class: bool
    documented: bool
    asserts: bool
    """Whether it is a function with an assertion or an asserting fixture of its own."""
    calls: frozenset[str]
    """The functions and methods that it calls, by name."""


@cache
def _definitions() -> tuple[Definition, ...]:
    with without_collecting():
        return tuple(
            _definition(file, node)
            for file in SOURCES
            for node in _statements(ast.parse(file.read_text("utf-8")))
            if isinstance(node, Function | ast.ClassDef)
        )


def _statements(tree: ast.Module) -> list[ast.AST]:
    """All statements of a file, without looking into their expressions."""
    found: list[ast.AST] = [tree]
    for node in found:
        for name in _BLOCKS:
            found += getattr(node, name, ())
    return found


def _definition(file: Path, node: Function | ast.ClassDef) -> Definition:
    is_test_code = isinstance(node, Function) and file.is_relative_to(ROOT / "tests")
    inside = tuple(walk(node)) if is_test_code else ()
    return Definition(
        file,
        f"{file.relative_to(ROOT)}:{node.lineno} {node.name}",
        node.name,
        (node.end_lineno or node.lineno) - node.lineno + 1,
        isinstance(node, ast.ClassDef),
        bool(ast.get_docstring(node)),
        _has_asserting_fixture(node) or any(isinstance(one, ast.Assert) for one in inside),
        frozenset(_callee_name(one) for one in inside if isinstance(one, ast.Call)),
    )


def _lines_with(pattern: re.Pattern[str], files: Iterator[Path] | list[Path]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{number}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def _callee_name(node: ast.Call) -> str:
    """The name of the called function or method; empty for other expressions."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _has_asserting_fixture(node: Function | ast.ClassDef) -> bool:
    if isinstance(node, ast.ClassDef):
        return False
    return bool(ASSERTING_FIXTURES & {argument.arg for argument in node.args.args})


def _asserts(function: Definition, helpers: set[str]) -> bool:
    return function.asserts or not function.calls.isdisjoint(helpers)


def _asserting_helpers(functions: list[Definition]) -> set[str]:
    """Names of helpers that assert, themselves or through others, in each definition of that name."""
    by_name: dict[str, list[Definition]] = defaultdict(list)
    for function in functions:
        by_name[function.name].append(function)
    found = set(ASSERTING_CALLS)
    while more := {
        name
        for name, definitions in by_name.items()
        if name not in found and all(_asserts(definition, found) for definition in definitions)
    }:
        found |= more
    return found


def test_every_test_asserts_something():
    functions = [
        one for one in _definitions() if not one.is_class and one.file.is_relative_to(ROOT / "tests")
    ]
    helpers = _asserting_helpers([one for one in functions if not one.name.startswith("test_")])
    tests = [
        one for one in functions if one.name.startswith("test_") and not one.file.name.startswith("fake_")
    ]

    assert tests
    assert [one.place for one in tests if not _asserts(one, helpers)] == []


def test_files_are_short():
    sizes = {str(file.relative_to(ROOT)): len(file.read_text("utf-8").splitlines()) for file in SOURCES}

    too_long = {
        name: lines for name, lines in sizes.items() if lines > LONGER_FILES.get(name, LINES_OF_A_FILE)
    }
    assert too_long == {}


def test_functions_are_short():
    functions = [one for one in _definitions() if not one.is_class]

    assert functions
    assert [one.place for one in functions if one.lines > LINES_OF_A_FUNCTION] == []


def test_every_public_class_of_the_program_says_what_it_is():
    classes = [
        one
        for one in _definitions()
        if one.is_class and one.place.startswith("src") and not one.name.startswith("_")
    ]

    assert classes
    assert [one.place for one in classes if not one.documented] == []


def test_nothing_is_left_unfinished():
    assert _lines_with(UNFINISHED, [file for file in SOURCES if file.is_relative_to(ROOT / "src")]) == []


def test_no_text_names_a_folder_of_one_machine():
    assert _lines_with(MACHINE_PATH, _repository_texts()) == []


def test_where_packages_come_from_is_left_to_the_machine():
    assert _lines_with(PACKAGE_INDEX, _repository_texts()) == []


def test_every_dependency_is_pinned_by_name_and_version_alone():
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    here = [line for line in wanted if "win32" not in line]

    assert [line for line in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    assert {_name(line) for line in here} - {_name(line) for line in pins} == set()


def _name(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def test_each_migration_has_a_number_of_its_own():
    """Two scripts that were written side by side must not both follow the same one."""
    scripts = sorted((ROOT / "src/patchbay/storage/migrations/versions").glob("*.py"))

    assert [file.name[:4] for file in scripts] == [f"{number:04}" for number in range(1, len(scripts) + 1)]
