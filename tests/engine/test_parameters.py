"""The parameters of a step: what is replaced, what stays, and which missing values are reported."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.app_calls import built_in_action
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow

from patchbay.domain.base import StepId
from patchbay.domain.executions import ExecutionState
from patchbay.domain.fields import Argument, ArgumentType
from patchbay.domain.variables import references
from patchbay.engine.parameters import missing_values, resolve_parameters, resolve_with_warnings

STEP = StepId("a")

ARGUMENTS = (
    Argument(key="sql", label="SQL", value_type="verbatim"),
    Argument(key="value", label="Value", variables=True),
)


def test_a_verbatim_argument_keeps_its_references_and_the_others_get_values():
    entered: dict[str, Any] = {"sql": "SELECT {{step.a.id}}", "value": "{{step.a.id}}"}

    assert resolve_parameters(ARGUMENTS, entered, {STEP: {"id": 7}}) == {
        "sql": "SELECT {{step.a.id}}",
        "value": "7",
    }


def test_an_argument_without_variables_keeps_what_was_entered_in_rows_too():
    plain, taking = Argument(key="plain", label="Plain"), Argument(key="value", label="Value", variables=True)
    rows = Argument(key="rows", label="Rows", type=ArgumentType.DYNAMIC, fields=(plain, taking))
    row = {"plain": "{{step.a.id}}", "value": "{{step.a.id}}"}
    entered: dict[str, Any] = {**row, "rows": [row, "{{step.a.id}}"]}

    values, warnings = resolve_with_warnings((plain, taking, rows), entered, {STEP: {"id": 7}})

    found = {"plain": "{{step.a.id}}", "value": "7"}
    assert (values, warnings) == ({**found, "rows": [found, "7"]}, ())


def test_each_reference_that_found_nothing_is_reported_once():
    entered: dict[str, Any] = {
        "value": "{{step.a.x}}{{step.a.x}}",
        "rows": [{"v": '{{step.a.y}}{{step.a.z|default "-"}}'}],
    }

    values, warnings = resolve_with_warnings(ARGUMENTS, entered, {STEP: {}})

    assert values == {"value": "", "rows": [{"v": "-"}]}
    assert warnings == (
        "{{step.a.x}} had no value and was left empty.",
        "{{step.a.y}} had no value and was left empty.",
    )


def test_what_stands_in_a_verbatim_argument_is_never_missed():
    entered: dict[str, Any] = {"sql": "SELECT {{step.a.x}}", "value": "{{step.a.y}}"}

    assert resolve_with_warnings(ARGUMENTS, entered, {})[1] == (
        "{{step.a.y}} had no value and was left empty.",
    )
    assert [item.path for item in missing_values(ARGUMENTS, entered, {})] == [("y",)]


def test_a_null_is_a_value_and_reads_as_nothing():
    assert resolve_with_warnings(ARGUMENTS, {"value": "a{{step.a.x}}b"}, {STEP: {"x": None}}) == (
        {"value": "ab"},
        (),
    )


def test_json_text_of_values_makes_typed_json_right_whatever_they_hold():
    argument = Argument(key="body", label="Body", variables=True, value_type="parse")
    entered: dict[str, Any] = {"body": '{"text": {{step.a.text | json}}, "more": {{step.a.gone | json}}}'}
    output: dict[str, Any] = {"text": 'He said "no"\n{{step.a.text}}'}

    values, warnings = resolve_with_warnings([argument], entered, {STEP: output})

    assert values == {"body": {"text": output["text"], "more": None}}
    assert len(warnings) == 1


def test_values_are_not_read_as_references_again():
    assert resolve_parameters((), {"v": "{{step.a.x}}"}, {STEP: {"x": "{{step.a.x}}"}}) == {
        "v": "{{step.a.x}}"
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(json_values, max_size=3))
def test_any_values_survive_a_body_typed_around_them(given_values):
    argument = Argument(
        key="rows",
        label="Rows",
        type=ArgumentType.DYNAMIC,
        fields=(Argument(key="body", label="Body", variables=True, value_type="parse"),),
    )
    typed = ", ".join(f"{{{{step.a.{place} | json}}}}" for place in range(len(given_values)))
    entered: dict[str, Any] = {"rows": [{"body": f"[{typed}]"}]}

    values, warnings = resolve_with_warnings([argument], entered, {STEP: given_values})
    rows: Any = values["rows"]

    assert json.dumps(rows[0]["body"]) == json.dumps(given_values)
    assert warnings == ()
    assert len(list(references(entered))) == len(given_values)


async def test_a_run_with_a_missing_value_succeeds_with_a_warning_and_a_default_needs_none(
    runtime: EngineRuntime,
):
    print_message = '{{step.f1-0.body.nothing}}|{{step.f1-0.body.name | default "friend"}}'
    await runtime.publish(
        flow("hook", ("echo", {"say": print_message}), ("echo", {"say": "{{step.f1-1.say}}"}))
    )

    await runtime.post()

    seen = await runtime.one(ExecutionState.SUCCESS)
    assert seen.step(1).data_out == {"say": "|friend"}
    assert list(seen.step(1).warnings) == ["{{step.f1-0.body.nothing}} had no value and was left empty."]
    assert list(seen.step(2).warnings) == []


async def test_a_test_of_one_step_needs_no_value_where_there_is_a_default(runtime: EngineRuntime):
    draft = flow("hook", ("echo", {"say": '{{step.f1-0.body.name | default "friend" | json}}'}))
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, StepId("f1-1"), {StepId("f1-0"): {}})

    assert outcome.data_out == {"say": '"friend"'}
    assert outcome.warnings == ()


async def test_a_test_of_a_whole_draft_warns_of_what_is_missing(runtime: EngineRuntime):
    draft = flow("hook", ("echo", {"say": "{{step.f1-0.body.name}}"}))
    await runtime.shelf.draft(draft)

    await runtime.engine.run_now(FLOW_1, {"body": {}})

    assert len((await runtime.one()).step(1).warnings) == 1


@pytest.mark.parametrize("key", ["memoryLimit", "timeLimit", "allowNetwork", "mayRepeat", "codeSnippet"])
def test_what_a_program_may_use_comes_from_no_other_step(key):
    arguments = built_in_action("code", "runPython").arguments

    assert resolve_parameters(arguments, {key: "{{step.a.id}}"}, {STEP: {"id": 4096}}) == {
        key: "{{step.a.id}}"
    }


@pytest.mark.parametrize(
    ("entered", "value"),
    [
        ("{{step.s1.count}}", 3),
        (" {{step.s1.count}}\n", 3),
        ("{{step.s1.done}}", True),
        ("{{step.s1.list}}", [1]),
        ("{{step.s1.name}}", "7"),
        ("{{step.s1.nothing}}", ""),
        ("{{step.s1.count}} items", "3 items"),
        ("{{step.s1.count}}{{step.s1.count}}", "33"),
        ("3", "3"),
    ],
)
def test_a_typed_argument_keeps_a_number_or_boolean_that_stands_alone(entered, value):
    outputs: dict[StepId, Any] = {
        StepId("s1"): {"count": 3, "done": True, "list": [1], "name": "7", "nothing": None}
    }
    typed = Argument(key="value", label="Value", variables=True, value_type="typed")
    plain = Argument(key="plain", label="Plain", variables=True)

    found = resolve_parameters((typed, plain), {"value": entered, "plain": "{{step.s1.count}}"}, outputs)

    assert (found["value"], found["plain"]) == (value, "3")


def test_set_value_keeps_the_type_of_a_variable():
    [argument] = [one for one in built_in_action("datastore", "setValue").arguments if one.key == "value"]

    assert argument.value_type == "typed"
