"""Values that pass through Qt's models come back as the very objects they were."""

import ast
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

import patchbay.desktop
from patchbay.desktop.kit.item_views import store_value, stored_value
from patchbay.domain.executions import ExecutionState

ROLE = int(Qt.ItemDataRole.UserRole)
FOLDER = Path(patchbay.desktop.__file__).parent
TESTS = Path(__file__).parents[1]
SHOWN = ("DisplayRole", "EditRole", "AccessibleTextRole", "CheckStateRole", "ToolTipRole")
"""Roles whose values Qt itself shows, so that it has to know their types."""
LISTS = frozenset({"currentData", "itemData", "setItemData", "findData"})
"""Methods of a combo box that take values through item data; `ComboBox` keeps them itself."""


@pytest.mark.parametrize(
    "value", [*ExecutionState, None, (), 2**64, "half a pair: \ud83d", {"a": 1}, [ExecutionState.FAILURE]]
)
def test_a_value_comes_back_as_the_object_it_was(value: object) -> None:
    model, item = QStandardItemModel(), QStandardItem("Shown")
    model.appendRow(item)

    store_value(item, value, ROLE)

    assert stored_value(item, ROLE) is value
    assert stored_value(model.index(0, 0), ROLE) is value
    assert stored_value(model.index(0, 0), ROLE + 1) is None


def test_the_window_passes_values_through_item_data_in_no_other_way() -> None:
    found = [
        f"{file.relative_to(FOLDER)}:{line}"
        for file in FOLDER.rglob("*.py")
        if file.name != "item_views.py"  # defines the two
        for line in unsafe_lines(file.read_text(encoding="utf-8"))
    ]

    assert found == [], "Use store_value and stored_value, or a control that keeps its values itself."


def test_tests_of_the_window_choose_in_controls_instead_of_speaking_for_them() -> None:
    """A signal sent by hand carries what the test thinks the control sends."""
    found = [
        f"{file.relative_to(TESTS)}:{number}"
        for file in set(TESTS.rglob("*.py")) - {Path(__file__)}
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if ".value_changed.emit(" in line
    ]

    assert found == [], "Use tests.support.choosing."


@pytest.mark.parametrize(
    "line",
    [
        "item.setData(state, ROW_ROLE)",
        "item.setData(Qt.ItemDataRole.UserRole, state)",
        "action.setData(state)",
        "box.addItem(label, state)",
        "box.insertItem(0, label, state)",
        "state = box.currentData()",
    ],
)
def test_the_rule_finds_each_way(line: str) -> None:
    assert list(unsafe_lines(line)) == [1]


class Fruit(StrEnum):
    """Stands for any enum."""

    PEAR = "pear"


def test_qt_still_converts_what_it_knows() -> None:
    """Without this there would be no need for the rule."""
    item = QStandardItem("Shown")
    item.setData(Fruit.PEAR, ROLE)

    assert type(item.data(ROLE)) is str


def unsafe_lines(source: str) -> Iterator[int]:
    """Where values are handed to Qt that may come back as something else."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, given = node.func.attr, [ast.unparse(each) for each in node.args]
        shown = any(role in each for each in given for role in SHOWN)
        if (
            name in LISTS
            or (name == "addItem" and len(given) > 1)
            or (name == "insertItem" and len(given) > 2)
            or (name == "setData" and not shown and not given[0].upper().endswith("MIME"))
        ):
            yield node.lineno
