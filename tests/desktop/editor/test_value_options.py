"""What can be said of an inserted value: a default, and JSON."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from tests.support.value_host import ValueHost

from patchbay.desktop.editor.fields.variable_chips import modifiers_text
from patchbay.desktop.editor.fields.variable_text import ValueTextField
from patchbay.desktop.editor.view_models.variables import ValueCatalog, ValueGroup
from patchbay.domain.base import StepId
from patchbay.domain.variables import Reference

K = Qt.Key
TITLE, NUMBER = "{{step.s1.title}}", "{{step.s1.number}}"


def host() -> ValueHost:
    """A form with one earlier step."""
    group = ValueGroup(StepId("s1"), 1, "New issue", None)
    return ValueHost(ValueCatalog((group,), {}, {StepId("s1"): {"title": "Crash", "number": 7}}))


@pytest.fixture
def field(qtbot):
    made = ValueTextField(host(), multiline=True)
    qtbot.addWidget(made)
    made.resize(600, 90)
    made.show()
    return made


def go_to(field, position):
    cursor = field.edit.textCursor()
    cursor.setPosition(position)
    field.edit.setTextCursor(cursor)


def open_options(qtbot, field, position):
    go_to(field, position)
    qtbot.keyClick(field.edit, K.Key_Down, Qt.KeyboardModifier.AltModifier)
    return field.edit.options


def test_a_default_and_json_are_said_by_keyboard_alone(qtbot, field):
    field.set_value(f"x{TITLE}y")
    got: list[Any] = []
    field.changed.connect(got.append)

    options = open_options(qtbot, field, 2)
    qtbot.keyClicks(options.default, 'no "one"')
    qtbot.keyClick(options.as_json, K.Key_Space)
    qtbot.keyClick(options.default, K.Key_Return)

    assert field.value() == 'x{{step.s1.title | default "no ""one""" | json}}y'
    assert got[-1] == field.value()
    assert field.edit.options is None
    assert field.edit.textCursor().position() == 2


def test_what_was_said_is_shown_and_undone(qtbot, field):
    field.set_value('{{step.s1.title | default "none" | json}}')

    options = open_options(qtbot, field, 1)
    assert (options.default.text(), options.as_json.isChecked()) == ("none", True)
    options.default.selectAll()
    qtbot.keyClick(options.default, K.Key_Delete)
    qtbot.keyClick(options.as_json, K.Key_Space)

    assert field.value() == TITLE


def test_of_several_values_the_one_at_the_cursor_is_meant(qtbot, field):
    field.set_value(TITLE + NUMBER + NUMBER)

    for position, path in ((0, "title"), (1, "title"), (2, "number"), (3, "number")):
        options = open_options(qtbot, field, position)
        assert options._reference.path == (path,), position
        options.close()
    options = open_options(qtbot, field, 2)
    qtbot.keyClick(options.as_json, K.Key_Space)

    assert field.value() == TITLE + "{{step.s1.number | json}}" + NUMBER


def test_away_from_values_there_is_nothing_to_say(qtbot, field):
    field.set_value(f"{TITLE} text")

    assert open_options(qtbot, field, 5) is None
    field.edit.setReadOnly(True)
    assert open_options(qtbot, field, 1) is None


def test_a_double_click_on_a_value_opens_it(qtbot, field):
    field.set_value(f"some text {TITLE} and {NUMBER}")
    cursor = QTextCursor(field.edit.document())
    cursor.setPosition(10)
    box = field.edit.cursorRect(cursor)

    place = QPoint(box.left() + 12, box.center().y())
    qtbot.mouseDClick(field.edit.viewport(), Qt.MouseButton.LeftButton, pos=place)

    assert field.edit.options is not None
    assert field.edit.options._reference.path == ("title",)


def test_a_double_click_on_text_chooses_a_word(qtbot, field):
    field.set_value(f"some text {TITLE}")

    qtbot.mouseDClick(field.edit.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(12, 12))

    assert field.edit.options is None
    assert field.edit.textCursor().selectedText() == "some"


def test_the_menu_of_a_value_says_the_same(qtbot, field):
    field.set_value(f"{TITLE} text")
    go_to(field, 1)

    menu = field.edit.menu_at(QPoint(4, 4))
    empty, as_json = menu.actions()[:2]
    as_json.trigger()

    assert (empty.text(), as_json.text(), as_json.isChecked()) == ("If empty, use…", "Insert as JSON", True)
    assert field.value() == "{{step.s1.title | json}} text"
    empty.trigger()
    assert field.edit.options is not None
    go_to(field, 5)
    assert "If empty, use…" not in [action.text() for action in field.edit.menu_at(QPoint(4, 4)).actions()]


def test_saying_something_is_undone_in_one_step(qtbot, field):
    field.set_value(TITLE)
    options = open_options(qtbot, field, 1)
    qtbot.keyClick(options.as_json, K.Key_Space)
    options.close()

    field.edit.undo()

    assert field.value() == TITLE


@pytest.mark.parametrize(
    ("default", "as_json", "words"),
    [
        (None, False, ""),
        ("none", False, " or “none”"),
        ("", False, " or empty"),
        (None, True, " as JSON"),
        ("x" * 30, True, f" or “{'x' * 20}…” as JSON"),
    ],
)
def test_a_chip_says_what_was_said_of_its_value(default, as_json, words):
    reference = Reference(step_id=StepId("s1"), path=("title",), default=default, as_json=as_json)

    assert modifiers_text(reference) == words


def test_a_chip_is_wider_by_what_it_says(field):
    field.set_value(TITLE)
    plain = field.edit.document().idealWidth()
    field.set_value('{{step.s1.title | default "none"}}')

    assert field.edit.document().idealWidth() > plain


def test_copying_a_value_carries_what_was_said_of_it(qtbot, field):
    token = '{{step.s1.title | default "a}}b" | json}}'
    field.set_value(f"{token} tail")
    field.edit.selectAll()

    assert field.edit.createMimeDataFromSelection().text() == f"{token} tail"
