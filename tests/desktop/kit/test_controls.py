from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from tests.support.choosing import choose

from patchbay.desktop.core.times import QuickRange, StartedRange
from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.buttons import Button, IconButton, SplitButton
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.line_edit import LineEdit, SearchField
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.secret_fields import CopyField, SecretField
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.toggles import CheckBox, RadioGroup, Switch
from patchbay.desktop.settings.view_models.secrets import LOCATION_LABELS
from patchbay.domain.access import Scope
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import SecretsStorage
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowStatus

STATES = [
    (ExecutionState.SUCCESS, "Success"),
    (ExecutionState.FAILURE, "Failure"),
    (ExecutionState.WAITING, "Waiting"),
]

OFFERED: list[tuple[Any, ...]] = [
    tuple(ExecutionState),
    tuple(FlowStatus),
    tuple(QuickRange),
    tuple(ResourceType),
    tuple(Scope),
    tuple(SecretsStorage),
    (False, True),
    (StartedRange(quick=QuickRange.TODAY), StartedRange(start=1_795_000_000_000)),
    (datetime(2026, 11, 23, tzinfo=UTC), datetime(2026, 11, 24, 8, 30, tzinfo=UTC)),
    (1_795_000_000_000, 2**80),
    (("slack", "sendMessage"), ("slack", "findMessage")),
]
"""What the window puts behind choices, of every type that Qt might convert."""


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    made = QWidget()
    QVBoxLayout(made)
    qtbot.addWidget(made)
    return made


def show(page: QWidget, *widgets: QWidget) -> None:
    for widget in widgets:
        page.layout().addWidget(widget)
    page.show()
    QTest.qWaitForWindowExposed(page)


def test_a_busy_button_keeps_its_width_and_takes_no_second_press(qtbot: QtBot, page: QWidget) -> None:
    button = Button("Test connection")
    show(page, button)
    presses: list[int] = []
    button.clicked.connect(lambda: presses.append(1))
    width = button.width()

    button.set_busy(True, "Testing")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    assert (button.text(), button.sizeHint().width() >= width, presses) == ("Testing", True, [])
    button.set_busy(False)
    assert button.text() == "Test connection"


def test_the_focus_ring_is_seen_after_the_keyboard_and_not_after_the_mouse(
    qtbot: QtBot, page: QWidget
) -> None:
    first, second = Button("First"), Button("Second")
    show(page, first, second)

    first.setFocus(Qt.FocusReason.MouseFocusReason)
    assert first._ring is None

    second.setFocus(Qt.FocusReason.TabFocusReason)
    assert second._ring is not None
    assert second._ring.isVisible()

    first.setFocus(Qt.FocusReason.TabFocusReason)
    assert not second._ring.isVisible()


def test_switch_and_check_box_answer_to_space(qtbot: QtBot, page: QWidget) -> None:
    switch, box = Switch("Live updates"), CheckBox("Save an export first")
    show(page, switch, box)

    qtbot.keyClick(switch, Qt.Key.Key_Space)
    qtbot.keyClick(box, Qt.Key.Key_Space)

    assert switch.isChecked()
    assert box.isChecked()
    assert switch.accessibleName() == "Live updates"


def test_the_second_part_of_a_split_button_opens_its_menu(qtbot: QtBot, page: QWidget) -> None:
    menu = Menu(page, "More")
    menu.addAction("Import…")
    button = SplitButton("New flow", menu, "plus")
    show(page, button)
    presses: list[int] = []
    button.clicked.connect(lambda: presses.append(1))

    qtbot.keyClick(button, Qt.Key.Key_Down)
    assert menu.isVisible()
    menu.close()

    button.click()
    assert presses == [1]


def test_a_chip_shows_its_value_and_gives_it_up_by_keyboard(qtbot: QtBot, page: QWidget) -> None:
    chip = FilterChip("Status")
    chip.set_options(STATES)
    show(page, chip)
    values: list[object] = []
    chip.value_changed.connect(values.append)
    empty = chip.sizeHint().width()

    chip.set_value(ExecutionState.FAILURE)
    assert (chip.accessibleName(), values) == ("Status: Failure", [])
    assert chip.sizeHint().width() > empty

    qtbot.keyClick(chip, Qt.Key.Key_Delete)
    assert (chip.value(), values, chip.accessibleName()) == (None, [None], "Filter by Status")


def test_a_chip_with_several_values_collects_them_from_its_list(qtbot: QtBot, page: QWidget) -> None:
    chip = FilterChip("Status", multiple=True)
    chip.set_options(STATES)
    show(page, chip)

    qtbot.keyClick(chip, Qt.Key.Key_Return)
    popup = chip._popup
    assert isinstance(popup, ChecklistPopup)
    qtbot.keyClick(popup.list, Qt.Key.Key_Space)
    qtbot.keyClick(popup.list, Qt.Key.Key_Down)
    qtbot.keyClick(popup.list, Qt.Key.Key_Space)
    popup.close()

    assert chip.value() == (ExecutionState.SUCCESS, ExecutionState.FAILURE)
    assert chip.accessibleName() == "Status: Success, Failure"


@pytest.mark.parametrize("values", OFFERED, ids=lambda values: type(values[-1]).__name__)
def test_a_list_gives_back_the_very_values_it_was_given(
    qtbot: QtBot, page: QWidget, values: tuple[Any, ...]
) -> None:
    show(page)
    popup = ChecklistPopup(page, [(value, str(value)) for value in values])
    popup.open_under(page)

    for _ in values:
        qtbot.keyClick(popup.list, Qt.Key.Key_Space)
        qtbot.keyClick(popup.list, Qt.Key.Key_Down)
    every = popup.values()
    qtbot.mouseClick(
        popup.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=popup.list.visualRect(popup.list.model().index(0, 0)).center(),
    )

    assert all(one is value for one, value in zip(every, values, strict=True))
    assert popup.values() == values[1:]


@pytest.mark.parametrize("values", OFFERED, ids=lambda values: type(values[-1]).__name__)
@pytest.mark.parametrize("box", [ComboBox, FilterChip, RadioGroup])
def test_a_choice_of_one_carries_the_very_value(
    qtbot: QtBot, page: QWidget, box: type[QWidget], values: tuple[Any, ...]
) -> None:
    carried: list[object] = []
    control = _offering(box, values)
    show(page, control)
    control.set_value(values[0])
    control.value_changed.connect(carried.append)

    choose(qtbot, control, str(values[-1]))

    assert carried[-1] is values[-1]
    assert control.value() is values[-1]
    control.set_value(values[0])
    assert control.value() is values[0]


def _offering(box: Any, values: tuple[Any, ...]) -> Any:
    """A control in which these values are offered."""
    if box is RadioGroup:
        return RadioGroup("Offered", [(value, str(value), "") for value in values])
    made: Any = box("Offered")
    made.set_options([(value, str(value)) for value in values])
    return made


def test_a_long_list_of_choices_can_be_searched(qtbot: QtBot, page: QWidget) -> None:
    show(page)
    flows = [(str(uuid4()), f"Flow {n}") for n in range(40)]
    popup = ChecklistPopup(page, flows, multiple=False)
    picked: list[object] = []
    popup.changed.connect(picked.append)
    popup.open_under(page)

    qtbot.keyClicks(popup.search, "37")
    qtbot.keyClick(popup.search, Qt.Key.Key_Return)

    assert picked == [(flows[37][0],)]
    assert not popup.isVisible()


def test_searching_waits_for_a_pause_and_clearing_does_not(qtbot: QtBot, page: QWidget) -> None:
    field = SearchField("Filter executions", key_cap="/")
    show(page, field)
    said: list[str] = []
    field.text_changed.connect(said.append)

    with qtbot.waitSignal(field.text_changed):
        qtbot.keyClicks(field, "invoice")
    assert said == ["invoice"]

    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert said == ["invoice", ""]


def test_a_secret_is_masked_and_conceals_itself_when_the_focus_leaves(qtbot: QtBot, page: QWidget) -> None:
    secret, other = SecretField(), LineEdit()
    show(page, secret, other)
    secret.set_text("hunter2")
    assert secret.edit.displayText() != "hunter2"

    secret.eye.click()
    assert secret.edit.displayText() == "hunter2"

    other.setFocus(Qt.FocusReason.TabFocusReason)
    assert secret.edit.echoMode() is QLineEdit.EchoMode.Password


def test_a_revealed_secret_conceals_itself_after_ten_seconds() -> None:
    secret = SecretField()

    secret.eye.click()
    assert secret._hide_timer.interval() == 10_000
    secret._hide_timer.timeout.emit()

    assert not secret.revealed


def test_tab_goes_from_secret_to_secret_and_a_key_in_the_field_reveals_it(
    qtbot: QtBot, page: QWidget
) -> None:
    first, second = SecretField(), SecretField()
    show(
        page,
        FormField("Passphrase", first, True, "At least 8 characters."),
        FormField("Repeat passphrase", second, True),
    )
    first.setFocus()
    first.set_text("hunter2")

    qtbot.keyClick(first.edit, Qt.Key.Key_F8)
    assert first.revealed
    assert (first.eye.accessibleName(), first.eye.toolTip()) == ("Hide", "Hide (F8)")
    qtbot.keyClick(first.edit, Qt.Key.Key_F8)
    assert not first.revealed
    qtbot.keyClick(first.edit, Qt.Key.Key_Tab)
    assert second.edit.hasFocus()
    said = first.edit.accessibleDescription()
    assert said == "required, At least 8 characters. Press F8 to show it for 10 seconds."
    assert second.edit.accessibleDescription() == "required. Press F8 to show it for 10 seconds."


def test_copying_says_so_in_place(qtbot: QtBot, page: QWidget) -> None:
    field = CopyField("https://127.0.0.1/hook", "webhook address")
    show(page, field)

    field.button.click()

    assert QGuiApplication.clipboard().text() == "https://127.0.0.1/hook"
    assert (field.button.text(), field.button.accessibleName()) == ("Copied", "Copy webhook address")


def test_a_form_field_says_what_is_wrong_to_eyes_and_screen_readers() -> None:
    edit = LineEdit()
    field = FormField("API key", edit, True, "From the settings page.")
    assert (edit.accessibleName(), edit.accessibleDescription()) == (
        "API key",
        "required, From the settings page.",
    )

    field.set_error("Enter the API key.")
    assert (field.error, edit.property("invalid")) == ("Enter the API key.", True)
    assert edit.accessibleDescription() == "required, Enter the API key. From the settings page."
    assert [label.text() for label in field.findChildren(Label) if not label.isHidden()][-2:] == [
        "Enter the API key.",
        "From the settings page.",
    ]

    field.set_error(None)
    assert (field.error, edit.property("invalid")) == (None, False)


def test_a_label_with_an_ampersand_is_shown_and_read_in_full(qtbot: QtBot) -> None:
    field = FormField("Escape &, <, and >", ComboBox())
    qtbot.addWidget(field)

    interface = QAccessible.queryAccessibleInterface(field.label)

    assert interface.text(QAccessible.Text.Name) == "Escape &, <, and >"
    assert field.editor.accessibleName() == "Escape &, <, and >"


def test_new_options_keep_the_chosen_value_where_it_still_exists() -> None:
    box = ComboBox("Store credentials")
    box.set_options(list(LOCATION_LABELS.items()))
    box.set_value(SecretsStorage.ITEMS)

    box.set_options([*reversed(LOCATION_LABELS.items())])

    assert box.value() is SecretsStorage.ITEMS


@pytest.mark.parametrize(
    "made", [lambda: IconButton("x", "Close"), lambda: Tag("Valid"), lambda: ComboBox("App")]
)
def test_parts_without_words_have_a_name(made: object) -> None:
    assert made().accessibleName()  # type: ignore[operator]


@pytest.fixture
def homes_box(qtbot: QtBot) -> ComboBox:
    box = ComboBox("Store credentials")
    box.set_options(list(LOCATION_LABELS.items()))
    qtbot.addWidget(box)
    box.show()
    return box


def test_a_select_opens_the_same_list_as_other_controls(qtbot: QtBot, homes_box: ComboBox) -> None:
    chosen: list[object] = []
    homes_box.value_changed.connect(chosen.append)

    qtbot.mousePress(homes_box, Qt.MouseButton.LeftButton)
    popup = homes_box.popup
    assert isinstance(popup, ChecklistPopup)
    qtbot.mouseRelease(homes_box, Qt.MouseButton.LeftButton)
    assert popup.isVisible()
    assert popup.accessibleName() == "Store credentials"
    assert popup.list.currentIndex().data() == homes_box.currentText()
    qtbot.keyClick(popup.list, Qt.Key.Key_Down)
    qtbot.keyClick(popup.list, Qt.Key.Key_Return)

    assert chosen == [list(LOCATION_LABELS)[1]]
    assert isinstance(chosen[0], SecretsStorage)


def test_a_second_press_on_a_control_closes_its_popup(qtbot: QtBot, homes_box: ComboBox) -> None:
    homes_box.showPopup()
    popup = homes_box.popup
    assert popup is not None
    middle = popup.mapFromGlobal(homes_box.mapToGlobal(homes_box.rect().center()))

    with qtbot.waitSignal(popup.closed):
        qtbot.mousePress(popup, Qt.MouseButton.LeftButton, pos=middle)

    assert homes_box.popup is popup  # no other one was opened


def test_the_wheel_changes_no_value(qtbot: QtBot, homes_box: ComboBox) -> None:
    """Not even with the focus: whoever scrolls a form on may have chosen a value before."""
    homes_box.show()
    homes_box.setFocus()
    before = homes_box.value()
    middle = QPointF(homes_box.rect().center())
    down = QWheelEvent(
        middle,
        homes_box.mapToGlobal(middle),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )

    QApplication.sendEvent(homes_box, down)

    assert homes_box.value() == before
    assert not down.isAccepted()  # so the form scrolls
