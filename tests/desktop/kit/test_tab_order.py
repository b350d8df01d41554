"""The Tab key follows the reading order, and the focus never wanders to a neighbour by itself."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.tab_order import ReadingOrder, reading_order


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


def test_tab_goes_on_from_a_control_that_was_hidden(window: Window) -> None:
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
