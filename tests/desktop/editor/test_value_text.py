"""Text with value chips, and the picker."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from tests.support.fake_backend import FakeBackend
from tests.support.fuzzing import examples
from tests.support.value_host import ValueHost

from patchbay.desktop.editor.fields.code import CodeField
from patchbay.desktop.editor.fields.variable_picker import INITIAL_VALUES_SHOWN
from patchbay.desktop.editor.fields.variable_text import ValueTextField
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.desktop.editor.view_models.variables import ValueCatalog, build_catalog
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.variables import Reference

FLOW = FlowId("flow-issues")

K = Qt.Key
TITLE, LOGIN = "{{step.flow-issues-1.title}}", "{{step.flow-issues-3.user.login}}"


def host() -> ValueHost:
    """A form with the values of three earlier steps."""
    backend = FakeBackend(executions=0)
    samples = asyncio.run(backend.step_samples(FLOW))
    tree = StepTree(backend.flows[FLOW].steps)
    return ValueHost(build_catalog(tree, StepId("flow-issues-4"), samples, {}), backend.apps)


@pytest.fixture
def field(qtbot):
    made = ValueTextField(host(), multiline=True)
    qtbot.addWidget(made)
    made.resize(500, 90)
    made.show()
    return made


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        TITLE,
        f"{TITLE} by {LOGIN}",
        f"{TITLE}{LOGIN}{TITLE}",
        "a\nb\n\nc",
        f"\n{TITLE}\n",
        '{{step.s."a.b".0}} tail',
        "{{not a value}} { {{",
        "  spaces  kept ",
    ],
)
def test_what_was_stored_comes_out_again(field, text):
    field.set_value(text)

    assert field.value() == text


pieces = st.one_of(
    st.text(st.characters(codec="ascii", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x00"), max_size=12),
    st.lists(st.from_regex(r"[a-z0-9]{1,6}", fullmatch=True), min_size=1, max_size=3).map(
        lambda path: Reference(step_id=StepId("s1"), path=tuple(path)).token
    ),
)


@examples(60, of=300)
@given(st.lists(pieces, max_size=6).map("".join))
def test_any_text_with_values_survives_the_field(field, text):
    field.set_value(text)

    assert field.value() == text


def test_a_value_is_one_character_to_the_cursor(qtbot, field):
    field.set_value(f"x{TITLE}")
    field.edit.moveCursor(QTextCursor.MoveOperation.End)

    qtbot.keyClick(field.edit, K.Key_Backspace)

    assert field.value() == "x"


def test_copy_and_paste_carry_the_tokens(qtbot, field):
    field.set_value(f"{TITLE} and more")
    field.edit.selectAll()
    qtbot.keyClick(field.edit, K.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    field.edit.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(field.edit, K.Key_V, Qt.KeyboardModifier.ControlModifier)

    assert copied == f"{TITLE} and more"
    assert field.value() == f"{TITLE} and more" * 2


def test_one_line_stays_one_line(qtbot):
    field = ValueTextField(host())
    qtbot.addWidget(field)
    QGuiApplication.clipboard().setText("two\nlines")

    field.edit.paste()
    qtbot.keyClick(field.edit, K.Key_Return)

    assert field.value() == "two lines"


def test_two_braces_open_the_picker_and_are_replaced(qtbot, field):
    qtbot.keyClicks(field.edit, "see {{")
    qtbot.keyClicks(field.picker.search, "login")
    qtbot.keyClick(field.picker.search, K.Key_Return)

    assert field.value() == "see {{step.flow-issues-1.user.login}}"


def test_the_picker_opens_by_ctrl_space_and_is_used_by_arrows(qtbot, field):
    qtbot.keyClick(field.edit, K.Key_Space, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(field.picker.search, K.Key_Down)
    qtbot.keyClick(field.picker.search, K.Key_Return)

    assert field.value() == "{{step.flow-issues-1.number}}"


def test_the_picker_says_when_nothing_matches(qtbot, field):
    field.insert_value()

    field.picker.search.setText("nothing like this")

    assert field.picker._empty.text() == "No matching variables."


def test_the_picker_shows_few_values_first_and_all_on_demand(field):
    field.insert_value()
    model = field.picker.model
    few = model.item(0).rowCount()

    model.expand_group("flow-issues-1")

    assert few == INITIAL_VALUES_SHOWN
    assert model.item(0).rowCount() == 10


def test_the_picker_counts_one_value_as_one(field):
    group = field._host.catalog.groups[0]
    field._host.catalog = ValueCatalog((replace(group, entries=group.entries[:1]),))
    field.insert_value()

    assert field.picker.search.placeholderText() == "Search 1 variable"


def test_edits_are_announced_but_setting_is_not(qtbot, field):
    got: list[Any] = []
    field.changed.connect(got.append)

    field.set_value("set")
    field.edit.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(field.edit, "!")

    assert got == ["set!"]


def test_tab_leaves_the_field(qtbot, field):
    other = CodeField()
    qtbot.addWidget(other)
    with qtbot.waitSignal(field.focus_left):
        field.edit.setFocus()
        field.edit.clearFocus()


def test_many_lines_make_the_field_higher_up_to_a_limit(qtbot, field):
    low = field.edit.height()
    field.set_value("line\n" * 8)
    higher = field.edit.height()
    field.set_value("line\n" * 80)

    assert low < higher < field.edit.height() <= 240


def test_a_value_is_picked_with_the_mouse(qtbot, field):
    field.insert_value()
    tree = field.picker.tree
    title = next(
        index
        for row in range(tree.model().rowCount(tree.model().index(0, 0)))
        if (index := tree.model().index(row, 0, tree.model().index(0, 0))).data() == "title"
    )

    spot = tree.visualRect(title).center()
    qtbot.mouseMove(tree.viewport(), spot)
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=spot)

    assert field.value() == TITLE


def test_undo_does_not_take_away_the_text_that_a_field_was_filled_with(field: ValueTextField) -> None:
    field.set_value("Order {{step.trigger-id.number}}")
    filled = field.value()

    field.edit.undo()

    assert field.value() == filled


def test_the_insert_button_is_lower_beside_a_chip_than_beside_text(qtbot, field):
    field.show()
    field.set_value("plain")
    qtbot.waitUntil(lambda: field.edit.first_line_drop == 0)
    beside_text = field._corner.contentsMargins().top()

    field.set_value(TITLE)

    qtbot.waitUntil(lambda: field.edit.first_line_drop > 0)
    assert field._corner.contentsMargins().top() > beside_text
