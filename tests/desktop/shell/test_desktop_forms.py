"""Forms of steps: one at a time, checked before they are sent, and closed with their step."""

from typing import Any

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import _State
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.toggles import CheckRow
from patchbay.desktop.shell import desktop_forms
from patchbay.desktop.shell.desktop_forms import DesktopFormDialog, DesktopFormQueue, read_entered
from patchbay.domain.desktop import DesktopForm, DesktopFormField, FieldKind

AMOUNT = DesktopFormField("amount", "Amount", FieldKind.NUMBER, is_required=True)
SIZE = DesktopFormField("size", "Size", FieldKind.CHOICE, options=("S & M", "L"))
URGENT = DesktopFormField("urgent", "Urgent", FieldKind.YES_NO, value="yes")
NOTE = DesktopFormField("note", "Note", value="as usual")


def form(title: str = "Which?", *fields: DesktopFormField) -> DesktopForm:
    return DesktopForm(title, fields=fields)


@pytest.fixture
def queue(qtbot):
    made = DesktopFormQueue()
    yield made
    made.close()


def _send(queue: DesktopFormQueue) -> None:
    assert queue.dialog is not None
    queue.dialog.arming.timeout.emit()
    queue.dialog.send.click()


def _type(editor: object, text: str) -> None:
    assert isinstance(editor, LineEdit)
    editor.setText(text)


def test_a_form_neither_blocks_the_window_nor_takes_the_keyboard(queue):
    queue.show(1, form("Which?", NOTE), lambda _: None)

    assert queue.dialog is not None
    assert queue.dialog.isVisible()
    assert not queue.dialog.isModal()
    assert queue.dialog.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)


def test_a_form_is_wholly_visible_on_the_screen_of_the_window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    queue = DesktopFormQueue(window=window)
    queue.show(1, form("Which?", NOTE), lambda _: None)

    free, frame = window.screen().availableGeometry(), queue.dialog.frameGeometry()
    assert free.contains(frame)
    assert frame.center().x() == pytest.approx(free.center().x(), abs=2)
    assert frame.top() > free.top()
    queue.close()


def test_a_form_that_grows_stays_on_the_screen(qtbot, queue):
    queue.show(1, form("Which?", AMOUNT, NOTE), lambda _: None)
    free = queue.dialog.screen().availableGeometry()
    queue.dialog.move(free.right() - 50, free.bottom() - 50)

    queue.dialog.arming.timeout.emit()
    queue.dialog.send.click()

    qtbot.waitUntil(lambda: free.contains(queue.dialog.frameGeometry()))


def test_values_are_sent_with_their_types(queue):
    sent: list[object] = []
    queue.show(1, form("Which?", AMOUNT, SIZE, URGENT, NOTE), sent.append)
    rows = queue.dialog.fields
    _type(rows["amount"].editor, " 12.5 ")
    assert isinstance(rows["size"].editor, ComboBox)
    rows["size"].editor.set_value("S & M")

    _send(queue)

    assert sent == [{"amount": 12.5, "size": "S & M", "urgent": True, "note": "as usual"}]
    assert queue.dialog is None


@pytest.mark.parametrize("entered", ["", "x", "1e999", "12 000", "0x10", "nan", "9" * 400])
def test_a_number_that_is_missing_or_none_is_not_sent(queue, entered):
    sent: list[object] = []
    queue.show(1, form("Which?", AMOUNT), sent.append)
    _type(queue.dialog.fields["amount"].editor, entered)

    _send(queue)

    assert sent == []
    assert queue.dialog.isVisible()
    assert queue.dialog.fields["amount"].widget.error


@pytest.mark.parametrize(
    ("locale", "numbers"),
    [
        ("en_GB", {"1000": 1000, "3.5": 3.5, "1.000": 1.0, "-7.": -7.0}),
        ("de_DE", {"1000": 1000, "3,5": 3.5, "3.5": 3.5, "1,000": 1.0, "0.125": 0.125, "1234.567": 1234.567}),
    ],
)
def test_a_number_is_read_by_the_formats_of_the_window(monkeypatch, locale, numbers):
    monkeypatch.setattr(_State, "formats", QLocale(locale))

    assert {entered: read_entered(AMOUNT, entered) for entered in numbers} == numbers


@pytest.mark.parametrize(
    "entered", ["12345678901234567", "9007199254740993", "-100000000000000000001", "9" * 300]
)
def test_a_whole_number_keeps_all_its_digits(entered):
    value = read_entered(AMOUNT, entered)

    assert (type(value), str(value)) == (int, entered)


@pytest.mark.parametrize("entered", ["12345678901234567.5", "0.12345678901234567891"])
def test_a_number_whose_digits_cannot_be_kept_is_not_sent(entered):
    with pytest.raises(ValueError, match="too many digits"):
        read_entered(AMOUNT, entered)


@pytest.mark.parametrize(
    ("value", "shown", "sent"),
    [
        ("1e+16", "10000000000000000", 10**16),
        ("1.5e+21", "1500000000000000000000", 15 * 10**20),
        ("1e-7", "0.0000001", 1e-7),
        ("0.30000000000000004", "0.30000000000000004", 0.1 + 0.2),
        ("1e999", "1e999", None),
    ],
)
def test_a_very_large_or_small_number_entered_at_first_can_be_sent(qtbot, monkeypatch, value, shown, sent):
    monkeypatch.setattr(_State, "formats", QLocale("en_GB"))
    field = DesktopFormField("amount", "Amount", FieldKind.NUMBER, value=value)
    dialog = DesktopFormDialog(form("Which?", field))
    qtbot.addWidget(dialog)
    dialog.arming.timeout.emit()

    dialog.send.click()

    assert dialog.fields["amount"].entered() == shown
    assert dialog.values == ({"amount": sent} if sent is not None else None)


@pytest.mark.parametrize(
    ("locale", "example", "entered"),
    [
        ("en_GB", "1234.5", ["1,000", "12,5", "1,234.5", "12 000", "1’000"]),
        ("de_DE", "1234,5", ["1.000", "12.345", "1.234,5", "1.234.567", "12\u202f000"]),
    ],
)
def test_a_number_with_thousands_separators_is_not_sent_as_another_one(monkeypatch, locale, example, entered):
    monkeypatch.setattr(_State, "formats", QLocale(locale))

    for text in entered:
        with pytest.raises(ValueError, match=f"without thousands separators, such as {example}"):
            read_entered(AMOUNT, text)


def test_the_number_entered_at_first_is_the_one_that_is_sent(monkeypatch, queue):
    monkeypatch.setattr(_State, "formats", QLocale("de_DE"))
    sent: list[object] = []
    field = DesktopFormField("amount", "Amount", FieldKind.NUMBER, value="12.125")
    queue.show(1, form("Which?", field), sent.append)
    shown = queue.dialog.fields["amount"].entered()

    _send(queue)

    assert (shown, sent) == ("12,125", [{"amount": 12.125}])


def test_a_form_that_cannot_be_shown_ends_its_step_and_the_next_one_is_shown(queue, monkeypatch):
    ended: list[str] = []
    sent: list[object] = []
    queue.show(1, form("First", NOTE), sent.append)
    bad = form("Second", DesktopFormField("size", "Size", FieldKind.CHOICE, options=None))
    queue.show(2, bad, sent.append, lambda: ended.append("second"))
    queue.show(3, form("Third", NOTE), sent.append)

    queue.dialog.reject()
    queue.pause.timeout.emit()

    assert ended == ["second"]
    assert queue.dialog.windowTitle() == "Third"


def test_optional_fields_can_stay_empty(queue):
    sent: list[object] = []
    fields = (DesktopFormField("n", "N", FieldKind.NUMBER), SIZE, DesktopFormField("note", "Note"))
    queue.show(1, form("Which?", *fields), sent.append)

    _send(queue)

    assert sent == [{"n": None, "size": "", "note": ""}]


def test_a_choice_that_is_required_must_be_made(queue):
    sent: list[object] = []
    field = DesktopFormField("size", "Size", FieldKind.CHOICE, is_required=True, options=("S", "L"))
    queue.show(1, form("Which?", field), sent.append)

    _send(queue)

    assert sent == []


@pytest.mark.parametrize(("value", "chosen"), [("XL", ""), ("", ""), ("L", "L")])
def test_only_an_offered_value_is_chosen_at_first(queue, value, chosen):
    field = DesktopFormField(
        "size", "Size", FieldKind.CHOICE, is_required=True, options=("S", "L"), value=value
    )
    sent: list[object] = []
    queue.show(1, form("Which?", field), sent.append)

    assert queue.dialog.fields["size"].entered() == chosen
    _send(queue)
    assert sent == ([{"size": chosen}] if chosen else [])


def test_a_form_says_how_many_others_are_waiting(queue):
    notes: list[str] = []
    for number in range(3):
        queue.show(number, form(f"Form {number}", NOTE), lambda _: None)
        notes.append(queue.dialog.note.text().partition("passwords. ")[2])

    queue.withdraw(2)
    notes.append(queue.dialog.note.text().partition("passwords. ")[2])
    queue.dialog.reject()
    queue.pause.timeout.emit()

    assert notes == ["", "1 more form is waiting.", "2 more forms are waiting.", "1 more form is waiting."]
    assert queue.dialog.windowTitle() == "Form 1"
    assert "waiting" not in queue.dialog.note.text()


def test_forms_are_shown_one_after_another(queue):
    sent: list[object] = []
    for number in range(3):
        queue.show(number, form(f"Form {number}", NOTE), lambda values, n=number: sent.append((n, values)))

    queue.withdraw(1)
    titles = []
    while queue.dialog is not None:
        titles.append(queue.dialog.windowTitle())
        queue.dialog.reject()
        queue.pause.timeout.emit()

    assert titles == ["Form 0", "Form 2"]
    assert sent == [(0, None), (2, None)]


def test_a_form_whose_step_ended_is_closed_without_a_response(queue):
    sent: list[object] = []
    queue.show(1, form("Which?", NOTE), sent.append)

    queue.withdraw(1)

    assert (queue.dialog, sent) == (None, [])


def test_texts_of_a_flow_are_shown_as_they_are(qtbot):
    shown = DesktopFormDialog(
        DesktopForm("<b>A & B</b>", "<img src=x>", (DesktopFormField("a", "<i>A</i>"),))
    )
    qtbot.addWidget(shown)

    assert shown.windowTitle() == "<b>A & B</b>"
    assert shown.title.textFormat() is not Qt.TextFormat.RichText


def test_a_form_that_the_end_of_the_program_closes_is_not_responded_to(qtbot, queue, monkeypatch):
    monkeypatch.setattr(desktop_forms, "RETURN_MS", 0)
    sent: list[object] = []
    queue.show(1, form("Which?", NOTE), sent.append)
    closed = queue.dialog

    closed.close()

    assert (queue.dialog, sent) == (None, [])
    qtbot.waitUntil(lambda: queue.dialog is not None)  # the program didn't end after all
    queue.dialog.reject()
    assert sent == [None]


def test_the_flow_and_the_warning_stay_visible_below_a_long_form(qtbot):
    fields = tuple(DesktopFormField(str(number), "Field", help="help " * 30) for number in range(20))
    shown = DesktopFormDialog(DesktopForm("Unlock the vault", fields=fields, flow_name="Nightly import"))
    qtbot.addWidget(shown)

    shown.show_without_focus()

    assert "Nightly import" in shown.note.text()
    assert "passwords" in shown.note.text()
    assert shown.area.verticalScrollBar().maximum() > 0
    assert not shown.area.isAncestorOf(shown.note)
    assert shown.rect().contains(shown.note.geometry())
    assert shown.note.height() >= shown.note.heightForWidth(shown.note.width())


def test_the_whole_label_of_a_check_box_is_shown_and_toggles_it(qtbot):
    label = "Yes, send it & the newsletter " + "every month, " * 20
    shown = DesktopFormDialog(
        DesktopForm("Newsletter", fields=(DesktopFormField("a", label, FieldKind.YES_NO),))
    )
    qtbot.addWidget(shown)
    shown.show_without_focus()
    box = shown.fields["a"].editor

    [row] = shown.findChildren(CheckRow)
    qtbot.mouseClick(row.label, Qt.MouseButton.LeftButton)

    assert row.label.text() == box.accessibleName() == label
    assert row.label.height() >= row.label.heightForWidth(row.label.width()) > row.box.height()
    assert shown.area.isAncestorOf(row)
    assert row.width() <= shown.area.viewport().width()
    assert shown.fields["a"].entered() is True


def test_a_second_click_or_key_is_no_response_to_the_next_form(qtbot, queue):
    sent: list[object] = []
    for number in (1, 2):
        queue.show(number, form(f"Form {number}", URGENT), sent.append)
    _send(queue)

    assert queue.dialog is None  # for a moment
    queue.pause.timeout.emit()
    second: Any = queue.dialog
    qtbot.mouseClick(second.send, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(second.cancel, Qt.MouseButton.LeftButton)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
        qtbot.keyClick(second, key)

    assert second.isVisible()
    assert len(sent) == 1
    second.arming.timeout.emit()
    qtbot.keyClick(second, Qt.Key.Key_Return)
    assert len(sent) == 2
