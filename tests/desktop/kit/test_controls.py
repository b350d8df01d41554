from enum import StrEnum

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from patchbay.desktop.ui.kit.buttons import Button, CheckBox, IconButton, SplitButton, Switch
from patchbay.desktop.ui.kit.chips import FilterChip, Tag
from patchbay.desktop.ui.kit.inputs import ComboBox, CopyField, FormField, LineEdit, SearchField, SecretField
from patchbay.desktop.ui.kit.popups import ChecklistPopup
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowStatus

STATES = [
    (ExecutionState.SUCCESS, "Success"),
    (ExecutionState.FAILURE, "Failure"),
    (ExecutionState.WAITING, "Waiting"),
]


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
    menu = QMenu()
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

    chip.set_value("failure")
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


@pytest.mark.parametrize("kind", [ExecutionState, FlowStatus])
def test_a_list_gives_back_the_very_values_it_was_given(
    qtbot: QtBot, page: QWidget, kind: type[StrEnum]
) -> None:
    show(page)
    popup = ChecklistPopup(page, [(state, state.value) for state in kind])
    popup.open_under(page)

    for _ in kind:
        qtbot.keyClick(popup.list, Qt.Key.Key_Space)
        qtbot.keyClick(popup.list, Qt.Key.Key_Down)
    every = popup.values()
    qtbot.mouseClick(
        popup.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=popup.list.visualRect(popup.list.model().index(0, 0)).center(),
    )

    assert [(type(one), one) for one in every] == [(kind, state) for state in kind]
    assert popup.values() == tuple(kind)[1:]


def test_a_long_list_of_choices_can_be_searched(qtbot: QtBot, page: QWidget) -> None:
    show(page)
    popup = ChecklistPopup(page, [(n, f"Flow {n}") for n in range(40)], multiple=False)
    picked: list[object] = []
    popup.changed.connect(picked.append)
    popup.open_under(page)

    qtbot.keyClicks(popup.search, "37")
    qtbot.keyClick(popup.search, Qt.Key.Key_Return)

    assert picked == [(37,)]
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
    assert secret._hide_again.interval() == 10_000
    secret._hide_again.timeout.emit()

    assert not secret.revealed


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
    assert edit.accessibleDescription() == "required, Enter the API key."

    field.set_error(None)
    assert (field.error, edit.property("invalid")) == (None, False)


def test_new_options_keep_the_chosen_value_where_it_still_exists() -> None:
    box = ComboBox("Interval")
    box.set_options([(1, "Every minute"), (15, "Every 15 minutes")])
    box.set_value(15)

    box.set_options([(15, "Every 15 minutes"), (60, "Every hour")])

    assert box.value() == 15


@pytest.mark.parametrize(
    "made", [lambda: IconButton("x", "Close"), lambda: Tag("Valid"), lambda: ComboBox("App")]
)
def test_parts_without_words_have_a_name(made: object) -> None:
    assert made().accessibleName()  # type: ignore[operator]
