"""Patchbay: flows that call one another, and flows that hear of failures."""

import pytest
from tests.support.app_calls import NOON, act, built_in, context, items_of

from patchbay.domain.base import AppKey, ExecutionId, FlowId, StepId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flow_calls import PATCHBAY_APP, FlowChoice, failure_item, is_event, receives_failures_of
from patchbay.domain.flows import Step, StepType
from patchbay.integration.context import CallFlow

FLOW = FlowId("f1")

REPORT = FlowChoice(id=FLOW, name="Report")
INVOICE = FlowChoice(id=FlowId("f2"), name="Invoice")


class Flows:
    """A workspace with two flows, the first of which can be called."""

    def __init__(self, call=None, answer=None):
        self.call, self.answer = call, answer

    async def flows(self):
        return (INVOICE, REPORT)

    async def callable_flows(self):
        return (REPORT,)

    async def last_call(self, flow_id):
        return self.call

    async def last_response(self, flow_id):
        return self.answer


def rows(**values):
    return {"dataAs": "fields", "fields": [{"key": key, "value": value} for key, value in values.items()]}


async def called(parameters):
    """What the engine is asked for."""
    with pytest.raises(CallFlow) as signal:
        await act("patchbay", "callFlow", parameters, flows=Flows())
    return signal.value


async def test_a_call_hands_over_named_values():
    call = await called({"flow": "f1", **rows(name="Ada", items=[1, 2])})

    assert (call.flow_id, call.item, call.wait) == ("f1", {"name": "Ada", "items": [1, 2]}, True)


async def test_or_one_value_of_any_kind():
    call = await called({"flow": "f1", "dataAs": "json", "json": [1, {"a": 2}], "wait": False})

    assert (call.item, call.wait) == ([1, {"a": 2}], False)
    assert (await called({"flow": "f1", "dataAs": "json", "json": "hello"})).item == "hello"


@pytest.mark.parametrize(
    "nothing", [{}, {"dataAs": "json", "json": " "}, {"fields": [{"key": "", "value": 1}]}]
)
async def test_a_call_without_data_hands_over_an_empty_object(nothing):
    assert (await called({"flow": "f1", **nothing})).item == {}


async def test_invalid_json_is_reported_and_not_passed_on():
    with pytest.raises(ValidationFailed, match="isn't valid JSON"):
        await act("patchbay", "callFlow", {"flow": "f1", "dataAs": "json", "json": '{"a": 1'})


async def test_a_test_calls_nothing_and_shows_the_newest_answer():
    flows = Flows(answer={"total": 3})

    output = await act("patchbay", "callFlow", {"flow": "f1"}, flows=flows, test=True)

    assert (output["answer"], output["executionId"]) == ({"total": 3}, None)
    assert "wasn't called" in output["test"]
    at_once = await act("patchbay", "callFlow", {"flow": "f1", "wait": False}, flows=flows, test=True)
    assert at_once["answer"] is None


@pytest.mark.parametrize("flow", ["f2", "gone", ""])
async def test_a_test_says_when_the_flow_cannot_be_called(flow):
    with pytest.raises(ValidationFailed) as refused:
        await act("patchbay", "callFlow", {"flow": flow}, flows=Flows(), test=True)

    assert "flow" in refused.value.by_field


async def test_an_answer_puts_out_what_the_calling_flow_gets():
    assert await act("patchbay", "answer", rows(total="7")) == {"total": "7"}
    assert await act("patchbay", "answer", {"dataAs": "json", "json": {"a": 1}}) == {"a": 1}
    assert await act("patchbay", "answer", {}) is None


@pytest.mark.parametrize(
    ("example", "flows", "item"),
    [
        ({"name": "Ada"}, Flows(call={"name": "Bob"}), {"name": "Ada"}),
        (None, Flows(call={"name": "Bob"}), {"name": "Bob"}),
        ("", Flows(), {}),
        (None, None, {}),
    ],
)
async def test_a_called_flow_is_tried_with_the_example_or_its_newest_call(example, flows, item):
    found = await items_of("patchbay", "called", {"example": example}, flows=flows, test=True)

    assert [one.raw for one in found] == [item]


async def test_an_example_that_is_not_json_is_reported():
    with pytest.raises(ValidationFailed, match="isn't valid JSON"):
        await items_of("patchbay", "called", {"example": "{'name': 1}"}, test=True)


async def test_a_failure_is_tried_with_one_as_it_would_be():
    found = await items_of("patchbay", "flowFailed", {"flow": "f2"}, flows=Flows(), test=True)

    item = found[0].raw
    assert item["flow"] == {"id": "f2", "name": "Invoice"}
    assert item["failedAt"] == "2026-03-02T12:00:00.000+00:00"
    assert set(item) == {"flow", "execution", "step", "error", "failedAt"}
    assert set(item["error"]) == {"happened", "meaning", "todo"}


async def test_flows_to_choose_come_from_the_workspace():
    load = built_in().dynamic_data(AppKey("patchbay"), "listFlows").load
    callable_ones = built_in().dynamic_data(AppKey("patchbay"), "listCallableFlows").load
    ctx = context("patchbay", {}, flows=Flows())

    assert [option.label for option in await load(ctx)] == ["Any flow", "Invoice", "Report"]
    assert [option.value for option in await callable_ones(ctx)] == ["f1"]
    assert len(await load(context("patchbay", {}))) == 1


def test_who_hears_of_a_failure():
    def listening(flow):
        return Step(
            id=StepId("t"),
            type=StepType.TRIGGER,
            app_key=PATCHBAY_APP,
            key="flowFailed",
            parameters={"flow": flow},
        )

    assert receives_failures_of(listening("any"), FLOW)
    assert receives_failures_of(listening("f1"), FLOW)
    assert not receives_failures_of(listening("f2"), FLOW)
    assert not receives_failures_of(
        Step(id=StepId("t"), type=StepType.TRIGGER, parameters={"flow": "any"}), FLOW
    )
    assert is_event(listening("any"), "flowFailed")


def test_a_failure_carries_its_sentences_and_no_answer_of_a_third_party():
    item = failure_item(
        flow=(FLOW, "Flow"),
        execution=(ExecutionId("e"), NOON),
        step=(2, "Create", "Redmine"),
        error={"happened": "No.", "response": {"secret": 1}, "kind": "HttpError"},
        failed_at=NOON,
    )

    assert item["error"] == {"happened": "No.", "meaning": "", "todo": ""}
