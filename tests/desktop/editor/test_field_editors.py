"""Choices, rows and conditions."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from tests.support.fake_workspace import text

from patchbay.desktop.editor.fields.registry import make_editor
from patchbay.desktop.editor.fields.row_fields import parse_groups, serialize_groups
from patchbay.desktop.editor.view_models.dynamic_options import LoadedChoices, LoadState
from patchbay.desktop.editor.view_models.variables import ValueCatalog
from patchbay.domain.conditions import describe_condition
from patchbay.domain.errors import Unreachable
from patchbay.domain.fields import Argument, ArgumentType, Option, Source

K = Qt.Key
METHOD = Argument(
    key="method",
    label="Method",
    type=ArgumentType.DROPDOWN,
    options=(
        Option(label="Get", value="GET"),
        Option(label="Seven", value=7),
        Option(label="Yes", value=True),
    ),
)
PROJECT = Argument(
    key="p", label="Project", type=ArgumentType.DROPDOWN, source=Source(loader="projects"), variables=True
)
HEADERS = Argument(
    key="headers",
    label="Headers",
    type=ArgumentType.DYNAMIC,
    add_button_label="Add header",
    fields=(text("key", "Key", required=True), text("value", "Value")),
)


class Host:
    """A form whose choices are in the state one puts them."""

    def __init__(self) -> None:
        self.loaded = LoadedChoices(LoadState.READY, options=(Option(label="Inbox", value="inbox"),))
        self.retried = 0
        self.catalog = ValueCatalog()

    def app(self, key):
        return None

    def scopes(self, row=None, outer=None):
        return {"fieldsScope": dict(row or {})}

    def choices(self, source, scopes):
        return self.loaded

    def retry_choices(self, source, scopes):
        self.retried += 1

    def label_of(self, key):
        return {"projectId": "Project"}.get(key, key)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def made(qtbot, host):
    def make(argument):
        editor = make_editor(argument, host)
        qtbot.addWidget(editor)
        editor.show()
        return editor

    return make


@pytest.mark.parametrize(("value", "words"), [("GET", "Get"), (7, "Seven"), (True, "Yes"), (None, "Choose")])
def test_a_choice_shows_the_label_of_its_value(made, value, words):
    field = made(METHOD)

    field.set_value(value)

    assert field.button.words() == words
    assert field.value() == value


def test_a_choice_is_made_by_keyboard_and_keeps_its_type(qtbot, made):
    field = made(METHOD)
    got: list[Any] = []
    field.changed.connect(got.append)

    qtbot.keyClick(field.button, K.Key_Down)
    qtbot.keyClick(field.popup.list, K.Key_Down)
    qtbot.keyClick(field.popup.list, K.Key_Return)

    assert got == [7]


@pytest.mark.parametrize(
    ("loaded", "words"),
    [
        (LoadedChoices(LoadState.WAITING, required_field="projectId"), "Choose Project first"),
        (LoadedChoices(LoadState.WAITING, required_field="connection"), "Choose a connection first"),
        (LoadedChoices(LoadState.LOADING), "Loading options"),
        (LoadedChoices(LoadState.READY), "No options available"),
    ],
)
def test_a_choice_says_what_it_waits_for(made, host, loaded, words):
    host.loaded = loaded

    assert made(PROJECT).button.words() == words


def test_choices_that_failed_offer_to_try_again_or_to_type(qtbot, made, host):
    host.loaded = LoadedChoices(LoadState.FAILED, error=Unreachable("No network."))
    field = made(PROJECT)
    got: list[Any] = []
    field.changed.connect(got.append)

    field._retry.click()
    field._apply_choice("type it yourself")
    qtbot.keyClicks(field.typed.edit, "x1")

    assert host.retried == 1
    assert got[-1] == "x1"


def test_a_value_of_a_step_in_a_choice_is_shown_as_text(made):
    field = made(PROJECT)

    field.set_value("{{step.s.id}}")

    assert field.typed.isVisible()
    assert field.value() == "{{step.s.id}}"


def test_rows_are_added_edited_and_removed(qtbot, made):
    field = made(HEADERS)
    got: list[Any] = []
    field.changed.connect(got.append)
    field.set_value([{"key": "Accept", "value": "text/plain"}])

    field.add.click()
    qtbot.keyClicks(field.rows[1].editors["key"].edit, "X")
    field.rows[0].remove.click()

    assert got[-1] == [{"key": "X"}]
    assert len(field.rows) == 1


def test_setting_rows_keeps_the_editors_that_can_stay(made):
    field = made(HEADERS)
    field.set_value([{"key": "a"}, {"key": "b"}])
    first = field.rows[0]

    field.set_value([{"key": "a2"}])

    assert field.rows == [first]
    assert field.value() == [{"key": "a2"}]


def test_conditions_are_read_and_written_in_the_stored_form():
    stored: list[Any] = [{"and": [{"key": "a", "operator": "equal", "value": "b"}]}]

    assert serialize_groups(parse_groups(stored)) == stored
    assert serialize_groups(parse_groups({"or": stored})) == stored
    assert serialize_groups(parse_groups(None)) == []


def test_conditions_are_built_with_and_and_or(qtbot, made):
    field = made(Argument(key="or", label="Conditions", type=ArgumentType.CONDITIONS))
    got: list[Any] = []
    field.changed.connect(got.append)
    qtbot.keyClicks(field.lines[0].key.edit, "a")
    field._add(field._groups[0])
    qtbot.keyClicks(field.lines[1].key.edit, "b")
    field._add_group()
    qtbot.keyClicks(field.lines[2].value_.edit, "c")

    assert got[-1] == [
        {
            "and": [
                {"key": "a", "operator": "equal", "value": ""},
                {"key": "b", "operator": "equal", "value": ""},
            ]
        },
        {"and": [{"key": "", "operator": "equal", "value": "c"}]},
    ]


def test_comparisons_are_called_in_a_condition_as_in_its_outcome(made):
    field = made(Argument(key="or", label="Conditions", type=ArgumentType.CONDITIONS))
    operator = field.lines[0].operator
    operator.set_value("greater_than")

    condition = {"key": "7", "operator": operator.value(), "value": "10"}
    assert describe_condition(condition) == f"“7” {operator.currentText()} “10”"


def test_text_without_values_offers_no_picker(made):
    field = made(Argument(key="plain", label="Plain"))

    assert not field.accepts_values
