"""Long values are cut to what lists and answers can carry, and keep their form."""

import json

import pytest
from tests.support.forms import in_forms

from patchbay.domain.base import ExecutionId, Json, StepId, TemplateId
from patchbay.domain.executions import ExecutionStep, StepRef, StepState
from patchbay.domain.flows import Step, StepType
from patchbay.domain.folders import Template
from patchbay.domain.json_limits import size_of
from patchbay.domain.truncation import (
    MAX_LISTED_FLOW_SIZE,
    shorten_step_data,
    shorten_steps,
    shorten_template,
)


def _step(number: int = 1, **values) -> Step:
    return Step(id=StepId(f"s{number}"), type=StepType.ACTION, position=number, **values)


def _ran(number: int, data_out) -> ExecutionStep:
    ref = StepRef(id=StepId("s"), type=StepType.ACTION, position=1)
    return ExecutionStep(
        id=str(number),
        execution_id=ExecutionId("run"),
        step=ref,
        seq=number,
        status=StepState.SUCCESS,
        data_out=data_out,
    )


def test_small_flows_are_listed_as_they_are():
    steps = (_step(parameters={"input": "x" * 1000}), _step(2, parameters={"to": ["a", "b"]}))

    assert shorten_steps(steps) is steps


def test_long_texts_are_cut_where_a_flow_has_many_parameters():
    step = _step(
        parameters={"transform": "capitalize", "input": "x" * 800_000, "rows": [{"a": "y" * 300}, 1]}
    )

    (listed,) = shorten_steps((step,))

    assert listed.parameters == {
        "transform": "capitalize",
        "input": "x" * 200 + "…",
        "rows": [{"a": "y" * 200 + "…"}, 1],
    }


NESTED = json.loads("[" * 90 + "1" + "]" * 90)
LARGE = {
    "numbers": [1] * 90_000,
    "long numbers": [10**299] * 3_000,
    "texts": ["x" * 150] * 5_000,
    "keys": {f"{number}{'k' * 300}": 1 for number in range(2_000)},
    "depth": [*NESTED, "y" * 20_000],
}


@pytest.mark.parametrize("name", in_forms([*LARGE], short=["long numbers", "depth"]))
def test_whatever_fills_the_parameters_of_a_flow_its_row_stays_small(name):
    value = LARGE[name]
    step = _step(parameters={"first": "kept", "value": value}, branch_conditions=({"and": [value]},) * 100)

    (listed,) = shorten_steps((step,))

    assert listed.parameters["first"] == "kept"
    assert len(listed.model_dump_json()) < 4 * MAX_LISTED_FLOW_SIZE
    assert Step.model_validate_json(listed.model_dump_json()) == listed


def test_a_template_is_listed_with_all_its_steps():
    steps: list[Json] = [{"id": str(number), "parameters": {"input": "x" * 50_000}} for number in range(3)]

    listed = shorten_template(Template(id=TemplateId("t"), name="T", flow_data={"id": "f", "steps": steps}))

    shown = {"input": "x" * 200 + "…"}
    assert listed.flow_data["steps"] == [{"id": str(number), "parameters": shown} for number in range(3)]


def test_the_largest_data_of_a_run_is_cut_first():
    steps = [_ran(0, {"small": "s" * 100}), *(_ran(number, {"body": "x" * 10_000}) for number in range(1, 6))]

    small, *large = shorten_step_data(steps, budget=20_000)

    assert (small, {item.shortened for item in large}) == (steps[0], {True})
    assert sum(size_of(item.data_out, 10**6) for item in (small, *large)) < 21_000
    assert all(str(item.data_out).endswith("…'}") and item.warnings for item in large)
    assert shorten_step_data(steps, budget=100_000) == tuple(steps)
