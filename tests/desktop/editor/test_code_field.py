"""The editor for programs."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget

from patchbay.desktop.editor.fields.code import CodeField

K = Qt.Key


@pytest.fixture
def field(qtbot):
    made = CodeField("python")
    made.resize(600, 300)
    qtbot.addWidget(made)
    made.show()
    return made


def put(field, text, at=None):
    field.set_value(text)
    cursor = field.edit.textCursor()
    cursor.setPosition(len(text) if at is None else at)
    field.edit.setTextCursor(cursor)


def test_code_is_text_as_typed(field):
    field.set_value("const a = 1; // {{step.x.y}}\nreturn a")

    assert field.value() == "const a = 1; // {{step.x.y}}\nreturn a"


def test_tab_indents_with_spaces_to_the_next_column(qtbot, field):
    put(field, "ab")

    qtbot.keyClick(field.edit, K.Key_Tab)

    assert field.value() == "ab  "


def test_tab_moves_the_selected_lines_and_shift_tab_moves_them_back(qtbot, field):
    put(field, "one\n\ntwo\nthree", at=0)
    for _ in range(3):
        field.edit.moveCursor(QTextCursor.MoveOperation.Down, QTextCursor.MoveMode.KeepAnchor)

    qtbot.keyClick(field.edit, K.Key_Tab)
    moved = field.value()
    qtbot.keyClick(field.edit, K.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)

    assert moved == "    one\n\n    two\nthree"
    assert field.value() == "one\n\ntwo\nthree"


def test_moving_lines_is_undone_in_one_step(qtbot, field):
    put(field, "one\ntwo")
    field.edit.selectAll()

    qtbot.keyClick(field.edit, K.Key_Tab)
    field.edit.undo()

    assert field.value() == "one\ntwo"


@pytest.mark.parametrize(
    ("language", "line", "following"),
    [
        ("python", "  if x:", "      "),
        ("python", "  return 1", "  "),
        ("javascript", "for (;;) {", "  "),
        ("javascript", "  return 1;", "  "),
        ("", "call(", "  "),
    ],
)
def test_a_new_line_keeps_the_indentation_and_goes_deeper_after_an_opening(qtbot, language, line, following):
    field = CodeField(language)
    qtbot.addWidget(field)
    put(field, line)

    qtbot.keyClick(field.edit, K.Key_Return)

    assert field.value() == f"{line}\n{following}"


def test_control_enter_is_left_to_the_form(qtbot, field):
    put(field, "x")

    qtbot.keyClick(field.edit, K.Key_Return, Qt.KeyboardModifier.ControlModifier)

    assert field.value() == "x"


def test_after_escape_tab_leaves_the_program(qtbot):
    form = QWidget()
    column = QVBoxLayout(form)
    field, other = CodeField("python"), QLineEdit()
    column.addWidget(field)
    column.addWidget(other)
    qtbot.addWidget(form)
    form.show()
    form.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.edit.hasFocus)

    qtbot.keyClick(field.edit, K.Key_Tab)
    assert field.edit.hasFocus()
    qtbot.keyClick(field.edit, K.Key_Escape)
    with qtbot.waitSignal(field.focus_left):
        qtbot.keyClick(field.edit, K.Key_Tab)

    assert other.hasFocus()
    assert field.value() == "    "


def test_escape_again_closes_the_dialog_around_the_program(qtbot):
    dialog, field = QDialog(), CodeField("python")
    QVBoxLayout(dialog).addWidget(field)
    qtbot.addWidget(dialog)
    dialog.show()

    qtbot.keyClick(field.edit, K.Key_Escape)
    assert dialog.isVisible()
    qtbot.keyClick(field.edit, K.Key_Escape)

    assert not dialog.isVisible()


def test_typing_after_escape_makes_tab_indent_again(qtbot, field):
    put(field, "")

    qtbot.keyClick(field.edit, K.Key_Escape)
    qtbot.keyClicks(field.edit, "x")
    qtbot.keyClick(field.edit, K.Key_Tab)

    assert field.value() == "x   "


def test_the_key_to_leave_the_field_is_shown_and_announced_to_screen_readers(field):
    field.setAccessibleDescription("required")

    assert "Esc, then Tab" in field.edit.accessibleDescription()


def test_the_field_grows_with_its_lines_up_to_a_limit_and_makes_room_for_their_numbers(field):
    low, update_filter = field.edit.height(), field.edit.numbers.width()
    field.set_value("x\n" * 12)
    higher = field.edit.height()
    field.set_value("x\n" * 1200)

    assert low < higher < field.edit.height()
    assert field.edit.numbers.width() > update_filter
    assert field.edit.numbers.geometry().right() < field.edit.viewport().geometry().left()


def test_edits_are_announced_but_setting_is_not(qtbot, field):
    got: list[Any] = []
    field.changed.connect(got.append)

    field.set_value("a")
    field.edit.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(field.edit, "b")

    assert got == ["ab"]
