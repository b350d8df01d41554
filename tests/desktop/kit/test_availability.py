"""Controls that can't be used say why, and have their own tooltip again afterwards."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.kit.buttons import Button, IconButton, set_area_available, set_available
from patchbay.desktop.kit.line_edit import LineEdit


def test_a_button_with_a_reason_gets_its_own_tooltip_back(qtbot):
    search, run = IconButton("search", "Search in the data"), Button("Run")
    for button in (search, run):
        qtbot.addWidget(button)
        set_available(button, "There is no data to show.")
        assert (button.isEnabled(), button.toolTip()) == (False, "There is no data to show.")
        set_available(button, None)

    assert (search.isEnabled(), search.toolTip()) == (True, "Search in the data")
    assert (run.isEnabled(), run.toolTip()) == (True, "")


def test_every_control_of_an_area_says_why_it_cannot_be_used(qtbot):
    reason = "This service does not offer to edit flows."
    area = QWidget()
    field = LineEdit()
    change = IconButton("pencil", "Change")
    qtbot.addWidget(area)
    column = QVBoxLayout(area)
    column.addWidget(field)
    column.addWidget(change)

    set_area_available(area, reason)
    disabled = (field.isEnabled(), field.toolTip(), change.toolTip())
    set_area_available(area, "Wait for the answer.")
    changed = field.toolTip()
    set_area_available(area, None)

    assert disabled == (False, reason, reason)
    assert changed == "Wait for the answer."
    assert (field.isEnabled(), field.toolTip(), change.toolTip()) == (True, "", "Change")
