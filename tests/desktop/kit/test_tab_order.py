"""The Tab key follows the reading order, and the focus never wanders to a neighbour by itself."""

import gc
import weakref

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.focus import ReadingOrder, reading_order
from patchbay.desktop.kit.item_views import RowDelegate, RowsTable
from patchbay.desktop.kit.toggles import RadioGroup
from patchbay.domain.people import ADMIN, EDITOR, ROLES, VIEWER


class Window(ReadingOrder, QWidget):
    """Two columns and a line below, made in another order than they are read."""

    def __init__(self) -> None:
        super().__init__()
        self.below, self.right, self.left, self.left_low = map(Button, ("Below", "Right", "Left", "Left low"))
        columns = QHBoxLayout()
        left = QVBoxLayout()
        left.addWidget(self.left)
        left.addWidget(self.left_low)
        self.column = QWidget()
        self.column.setLayout(left)
        columns.addWidget(self.column)
        columns.addWidget(self.right)
        outer = QVBoxLayout(self)
        outer.addLayout(columns)
        outer.addWidget(self.below)


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    made = Window()
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def test_tab_goes_down_each_column_and_then_on(window: Window) -> None:
    in_order = [window.left, window.left_low, window.right, window.below]

    assert reading_order(window) == in_order
    window.left.setFocus()
    for button in [*in_order[1:], in_order[0]]:
        window.focusNextPrevChild(True)
        assert window.focusWidget() is button
    window.focusNextPrevChild(False)
    assert window.focusWidget() is window.below


def test_a_control_that_is_disabled_for_a_while_keeps_the_focus(window: Window) -> None:
    window.left.setFocus()

    window.left.setEnabled(False)
    assert window.focusWidget() is None
    window.left.setEnabled(True)

    assert window.focusWidget() is window.left


def test_tab_continues_from_a_control_that_was_hidden(window: Window) -> None:
    window.left_low.setFocus()

    window.left_low.hide()
    window.focusNextPrevChild(True)

    assert window.focusWidget() is window.right


def test_the_focus_does_not_jump_back_from_where_it_was_taken(window: Window) -> None:
    window.left.setFocus()
    window.left.setEnabled(False)

    window.below.setFocus(Qt.FocusReason.MouseFocusReason)
    window.left.setEnabled(True)

    assert window.focusWidget() is window.below


def test_what_stands_above_a_form_comes_before_it_beside_a_tall_pane(qtbot: QtBot) -> None:
    window = Window()
    qtbot.addWidget(window)
    window.resize(400, 400)
    window.show()
    places = {
        window.left: (0, 20, 100, 30),
        window.left_low: (0, 60, 100, 200),
        window.right: (120, 0, 100, 300),
        window.below: (0, 310, 220, 30),
    }
    for button, place in places.items():
        button.setParent(window)
        button.setGeometry(*place)
        button.show()

    assert reading_order(window) == [window.left, window.left_low, window.right, window.below]


def test_tab_stops_at_the_chosen_one_of_a_group_of_radio_buttons(qtbot: QtBot) -> None:
    window = ReadingWindow()
    qtbot.addWidget(window)
    group = RadioGroup("Role", [(role.id, role.name, role.description) for role in ROLES])
    after = Button("After")
    column = QVBoxLayout(window)
    column.addWidget(group)
    column.addWidget(after)
    window.show()

    assert reading_order(window) == [group.buttons[ADMIN.id], after]
    group.set_value(EDITOR.id)
    assert reading_order(window) == [group.buttons[EDITOR.id], after]
    group.buttons[VIEWER.id].setFocus()
    group.set_value(ADMIN.id)
    assert reading_order(window) == [group.buttons[ADMIN.id], after]


class ReadingWindow(ReadingOrder, QWidget):
    """An empty window."""


def test_asking_for_the_order_leaves_tables_whole(window: Window) -> None:
    """Asking a viewport for what has the focus in its place made it the owner of the table's header."""
    table = RowsTable("Rows", RowDelegate(), parent=window)
    table.show()
    header = weakref.ref(table.horizontalHeader())

    reading_order(window)
    gc.collect()

    assert header() is not None
