"""Choices, rows and conditions."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from tests.support.fake_workspace import text

from patchbay.apps.forms.triggers import new_form_submission
from patchbay.desktop.editor.fields.conditions import parse_groups, serialize_groups
from patchbay.desktop.editor.fields.registry import make_editor
from patchbay.desktop.editor.view_models.comparisons import split_span
from patchbay.desktop.editor.view_models.dynamic_options import LoadedChoices, LoadState
from patchbay.desktop.editor.view_models.variables import ValueCatalog
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.focus import reading_order
from patchbay.desktop.kit.text import Label
from patchbay.domain.base import StepId
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


CONDITIONS = Argument(key="or", label="Conditions", type=ArgumentType.CONDITIONS)
ORDER = StepId("order")


def stored(key: str, operator: str, value: str) -> list[Any]:
    return [{"and": [{"key": key, "operator": operator, "value": value}]}]


def choices(line) -> list[str]:
    return [line.operator.itemText(at) for at in range(line.operator.count())]


@pytest.fixture
def order(host):
    """A form whose earlier step has values of several types."""
    sample: dict[str, Any] = {
        "total": 12.5,
        "paid": True,
        "tags": ["new"],
        "name": "Ada",
        "code": "42",
        "made": "2026-03-02T08:00:00Z",
        "note": "",
    }
    host.catalog = ValueCatalog(samples={ORDER: sample})
    return host


@pytest.mark.parametrize(
    ("name", "offered", "left_out"),
    [
        ("total", {"is greater than", "equals", "is empty"}, {"contains", "is true", "is before"}),
        ("paid", {"is true", "is false"}, {"is greater than", "contains"}),
        ("tags", {"includes the item", "is empty"}, {"equals", "starts with"}),
        ("name", {"contains", "matches the pattern"}, {"is greater than", "is before", "is true"}),
        ("code", {"contains", "is greater than"}, {"is before", "is true"}),
        ("made", {"is before", "is in the last", "contains"}, {"is greater than", "is true"}),
    ],
)
def test_the_comparisons_suit_the_last_value(made, order, name, offered, left_out):
    field = made(CONDITIONS)
    field.set_value(stored(f"{{{{step.order.{name}}}}}", "is_empty", ""))

    shown = choices(field.lines[0])

    assert offered <= set(shown)
    assert not left_out & set(shown)
    assert shown[-1] == "All comparisons…"


@pytest.mark.parametrize(
    "key", ["", "text", "{{step.order.note}}", "{{step.order.gone}}", "a {{step.order.total}}"]
)
def test_all_comparisons_are_offered_for_a_value_of_unknown_type(made, order, key):
    field = made(CONDITIONS)
    field.set_value(stored(key, "equal", "x"))

    shown = choices(field.lines[0])

    assert "All comparisons…" not in shown
    assert {"is greater than", "contains", "is true", "is before"} <= set(shown)
    assert not [label for label in shown if "ignoring case" in label]


def test_the_other_comparisons_can_be_shown_and_the_chosen_one_stays(qtbot, made, order):
    field = made(CONDITIONS)
    field.set_value(stored("{{step.order.total}}", "contains", "2"))
    line = field.lines[0]
    got: list[Any] = []
    field.changed.connect(got.append)

    line.operator.set_value("all comparisons")

    assert line.operator.value() == "contains"
    assert "starts with" in choices(line)
    assert got == []
    qtbot.waitUntil(lambda: line.operator.popup is not None)


def test_a_unary_comparison_has_no_second_field_and_stores_no_second_value(made):
    field = made(CONDITIONS)
    field.set_value(stored("a", "equal", "b"))
    line = field.lines[0]

    line.operator.set_value("is_empty")

    assert line.value_.isHidden()
    assert line.ignore_case.isHidden()
    assert field.value() == stored("a", "is_empty", "")
    line.operator.set_value("contains")
    assert not line.value_.isHidden()
    assert field.value() == stored("a", "contains", "b")


def test_case_is_ignored_by_a_switch_where_the_comparison_has_case(made):
    field = made(CONDITIONS)
    field.set_value(stored("a", "contains_ignoring_case", "B"))
    line = field.lines[0]

    assert (line.operator.value(), line.ignore_case.isChecked()) == ("contains", True)
    line.operator.set_value("starts_with")
    assert field.value() == stored("a", "starts_with_ignoring_case", "B")
    line.ignore_case.click()
    assert field.value() == stored("a", "starts_with", "B")
    line.operator.set_value("greater_than")
    assert line.ignore_case.isHidden()


def test_a_time_span_has_a_number_and_a_unit(qtbot, made):
    field = made(CONDITIONS)
    field.set_value(stored("{{step.order.made}}", "in_last", "{{step.order.code}} hours"))
    line = field.lines[0]

    assert line.unit.value() == "hours"
    assert line.value_.value() == "{{step.order.code}}"
    line.unit.set_value("weeks")
    assert field.value() == stored("{{step.order.made}}", "in_last", "{{step.order.code}} weeks")
    line.value_.set_value("")
    qtbot.keyClicks(line.value_.edit, "3")
    assert field.value() == stored("{{step.order.made}}", "in_last", "3 weeks")
    line.operator.set_value("date_before")
    assert line.unit.isHidden()


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("7 days", "7", "days"),
        ("1 month", "1", "months"),
        ("x", "x", "days"),
        ("5 seconds", "5", "minutes"),
        ("", "", "days"),
    ],
)
def test_a_stored_time_span_is_split(text, number, unit):
    assert split_span(text) == (number, unit)


def test_text_without_values_offers_no_picker(made):
    field = made(Argument(key="plain", label="Plain"))

    assert not field.accepts_values


@pytest.mark.parametrize(("label", "shown"), [("To", []), ("Address", ["Address *"])])
def test_a_row_of_one_field_does_not_repeat_the_label_of_its_list(made, label, shown):
    address = text("address", label, required=True)
    field = made(Argument(key="to", label="To", type=ArgumentType.DYNAMIC, fields=(address,)))

    field.set_value([{"address": "ada@example.org"}])

    assert [item.text() for item in field.rows[0].findChildren(Label)] == shown


def test_tab_reaches_the_button_that_removes_a_row_after_all_its_inputs(qtbot, made):
    argument = next(item for item in new_form_submission.arguments if item.key == "fields")
    field = made(argument)
    field.resize(500, 600)
    field.set_value([{"label": "Name", "type": "text"}])
    qtbot.waitUntil(lambda: field.rows[0].remove.isVisible())

    stops = reading_order(field.rows[0])

    assert stops[-1] is field.rows[0].remove
    assert len(stops) > 4


def pressed(field: Any, text: str) -> None:
    """Press the last button with this text; earlier ones may belong to conditions shown before."""
    [*_, button] = [each for each in field.findChildren(Button) if each.text() == text]
    button.click()


@pytest.mark.parametrize("button", ["Add AND condition", "Add OR group"])
def test_a_new_condition_has_the_focus(qtbot, made, button):
    field = made(Argument(key="or", label="Conditions", type=ArgumentType.CONDITIONS))
    field.set_value([{"and": [{"key": "a", "operator": "equal", "value": "b"}]}])
    qtbot.waitUntil(lambda: field.lines[0].isVisible())

    pressed(field, button)

    assert len(field.lines) == 2
    focused = field.window().focusWidget()
    assert focused is not None
    assert field.lines[1].key.isAncestorOf(focused)


def test_an_empty_condition_beside_others_is_kept_so_that_it_is_reported(made):
    field = made(Argument(key="or", label="Conditions", type=ArgumentType.CONDITIONS))
    field.set_value([{"and": [{"key": "a", "operator": "equal", "value": "b"}]}])
    sent: list[Any] = []
    field.changed.connect(sent.append)

    pressed(field, "Add AND condition")

    assert sent == [
        [
            {
                "and": [
                    {"key": "a", "operator": "equal", "value": "b"},
                    {"key": "", "operator": "equal", "value": ""},
                ]
            }
        ]
    ]
