"""Choose in a control as a person does, so that it hands over what it really carries."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.toggles import RadioGroup


def choose(qtbot: QtBot, control: QWidget, label: str) -> None:
    """Choose what is shown under this label."""
    if isinstance(control, RadioGroup):
        next(button for button in control.buttons.values() if button.text() == label).click()
    elif isinstance(control, FilterChip):
        qtbot.keyClick(control, Qt.Key.Key_Return)
        popup = next(iter(control.findChildren(ChecklistPopup)))
        qtbot.keyClick(popup.list, Qt.Key.Key_Home)
        for _ in range(_row(popup.list.model(), label)):
            qtbot.keyClick(popup.list, Qt.Key.Key_Down)
        qtbot.keyClick(popup.list, Qt.Key.Key_Return)
    else:
        assert isinstance(control, ComboBox)
        control.setCurrentIndex(control.findText(label))  # without those that the keyboard passes by


def _row(model: Any, label: str) -> int:
    return next(row for row in range(model.rowCount()) if model.index(row, 0).data() == label)
