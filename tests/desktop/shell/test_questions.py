"""Questions of steps: one at a time, checked before they are sent, and closed with their step."""

from typing import Any

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import _State
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.toggles import CheckRow
from patchbay.desktop.shell import questions
from patchbay.desktop.shell.questions import QuestionBoard, QuestionDialog, read_entered
from patchbay.domain.desktop import FieldKind, Question, QuestionField

AMOUNT = QuestionField("amount", "Amount", FieldKind.NUMBER, is_required=True)
SIZE = QuestionField("size", "Size", FieldKind.CHOICE, options=("S & M", "L"))
URGENT = QuestionField("urgent", "Urgent", FieldKind.YES_NO, value="yes")
NOTE = QuestionField("note", "Note", value="as usual")


def question(title: str = "Which?", *fields: QuestionField) -> Question:
    return Question(title, fields=fields)


@pytest.fixture
def board(qtbot):
    made = QuestionBoard()
    yield made
    made.close()


def _send(board: QuestionBoard) -> None:
    assert board.dialog is not None
    board.dialog.arming.timeout.emit()
    board.dialog.send.click()


def _type(editor: object, text: str) -> None:
    assert isinstance(editor, LineEdit)
    editor.setText(text)


def test_a_question_neither_blocks_the_window_nor_takes_the_keyboard(board):
    board.ask(1, question("Which?", NOTE), lambda _: None)

    assert board.dialog is not None
    assert board.dialog.isVisible()
    assert not board.dialog.isModal()
    assert board.dialog.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)


def test_a_question_is_wholly_visible_on_the_screen_of_the_window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    board = QuestionBoard(window=window)
    board.ask(1, question("Which?", NOTE), lambda _: None)

    free, frame = window.screen().availableGeometry(), board.dialog.frameGeometry()
    assert free.contains(frame)
    assert frame.center().x() == pytest.approx(free.center().x(), abs=2)
    assert frame.top() > free.top()
    board.close()


def test_a_question_that_grows_stays_on_the_screen(qtbot, board):
    board.ask(1, question("Which?", AMOUNT, NOTE), lambda _: None)
    free = board.dialog.screen().availableGeometry()
    board.dialog.move(free.right() - 50, free.bottom() - 50)

    board.dialog.arming.timeout.emit()
    board.dialog.send.click()

    qtbot.waitUntil(lambda: free.contains(board.dialog.frameGeometry()))


def test_values_are_sent_with_their_types(board):
    sent: list[object] = []
    board.ask(1, question("Which?", AMOUNT, SIZE, URGENT, NOTE), sent.append)
    rows = board.dialog.fields
    _type(rows["amount"].editor, " 12.5 ")
    assert isinstance(rows["size"].editor, ComboBox)
    rows["size"].editor.set_value("S & M")

    _send(board)

    assert sent == [{"amount": 12.5, "size": "S & M", "urgent": True, "note": "as usual"}]
    assert board.dialog is None


@pytest.mark.parametrize("entered", ["", "x", "1e999", "12 000", "0x10", "nan", "9" * 400])
def test_a_number_that_is_missing_or_none_is_not_sent(board, entered):
    sent: list[object] = []
    board.ask(1, question("Which?", AMOUNT), sent.append)
    _type(board.dialog.fields["amount"].editor, entered)

    _send(board)

    assert sent == []
    assert board.dialog.isVisible()
    assert board.dialog.fields["amount"].widget.error


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


def test_the_number_entered_at_first_is_the_one_that_is_sent(monkeypatch, board):
    monkeypatch.setattr(_State, "formats", QLocale("de_DE"))
    sent: list[object] = []
    field = QuestionField("amount", "Amount", FieldKind.NUMBER, value="12.125")
    board.ask(1, question("Which?", field), sent.append)
    shown = board.dialog.fields["amount"].entered()

    _send(board)

    assert (shown, sent) == ("12,125", [{"amount": 12.125}])


def test_a_question_that_cannot_be_shown_ends_its_step_and_the_next_one_is_shown(board, monkeypatch):
    ended: list[str] = []
    sent: list[object] = []
    board.ask(1, question("First", NOTE), sent.append)
    bad = question("Second", QuestionField("size", "Size", FieldKind.CHOICE, options=None))
    board.ask(2, bad, sent.append, lambda: ended.append("second"))
    board.ask(3, question("Third", NOTE), sent.append)

    board.dialog.reject()
    board.pause.timeout.emit()

    assert ended == ["second"]
    assert board.dialog.windowTitle() == "Third"


def test_optional_fields_can_stay_empty(board):
    sent: list[object] = []
    fields = (QuestionField("n", "N", FieldKind.NUMBER), SIZE, QuestionField("note", "Note"))
    board.ask(1, question("Which?", *fields), sent.append)

    _send(board)

    assert sent == [{"n": None, "size": "", "note": ""}]


def test_a_choice_that_is_required_must_be_made(board):
    sent: list[object] = []
    field = QuestionField("size", "Size", FieldKind.CHOICE, is_required=True, options=("S", "L"))
    board.ask(1, question("Which?", field), sent.append)

    _send(board)

    assert sent == []


def test_questions_are_shown_one_after_another(board):
    sent: list[object] = []
    for number in range(3):
        board.ask(
            number, question(f"Question {number}", NOTE), lambda values, n=number: sent.append((n, values))
        )

    board.withdraw(1)
    titles = []
    while board.dialog is not None:
        titles.append(board.dialog.windowTitle())
        board.dialog.reject()
        board.pause.timeout.emit()

    assert titles == ["Question 0", "Question 2"]
    assert sent == [(0, None), (2, None)]


def test_a_question_whose_step_ended_is_closed_without_a_response(board):
    sent: list[object] = []
    board.ask(1, question("Which?", NOTE), sent.append)

    board.withdraw(1)

    assert (board.dialog, sent) == (None, [])


def test_texts_of_a_flow_are_shown_as_they_are(qtbot):
    shown = QuestionDialog(Question("<b>A & B</b>", "<img src=x>", (QuestionField("a", "<i>A</i>"),)))
    qtbot.addWidget(shown)

    assert shown.windowTitle() == "<b>A & B</b>"
    assert shown.title.textFormat() is not Qt.TextFormat.RichText


def test_a_question_that_the_end_of_the_program_closes_is_not_responded_to(qtbot, board, monkeypatch):
    monkeypatch.setattr(questions, "RETURN_MS", 0)
    sent: list[object] = []
    board.ask(1, question("Which?", NOTE), sent.append)
    closed = board.dialog

    closed.close()

    assert (board.dialog, sent) == (None, [])
    qtbot.waitUntil(lambda: board.dialog is not None)  # the program didn't end after all
    board.dialog.reject()
    assert sent == [None]


def test_the_flow_and_the_warning_stay_visible_below_a_long_form(qtbot):
    fields = tuple(QuestionField(str(number), "Field", help="help " * 30) for number in range(20))
    shown = QuestionDialog(Question("Unlock the vault", fields=fields, flow_name="Nightly import"))
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
    shown = QuestionDialog(Question("Newsletter", fields=(QuestionField("a", label, FieldKind.YES_NO),)))
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


def test_a_second_click_or_key_is_no_response_to_the_next_question(qtbot, board):
    sent: list[object] = []
    for number in (1, 2):
        board.ask(number, question(f"Question {number}", URGENT), sent.append)
    _send(board)

    assert board.dialog is None  # for a moment
    board.pause.timeout.emit()
    second: Any = board.dialog
    qtbot.mouseClick(second.send, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(second.cancel, Qt.MouseButton.LeftButton)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
        qtbot.keyClick(second, key)

    assert second.isVisible()
    assert len(sent) == 1
    second.arming.timeout.emit()
    qtbot.keyClick(second, Qt.Key.Key_Return)
    assert len(sent) == 2
