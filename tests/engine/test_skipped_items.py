"""One item that can't be handled never keeps the items after it from starting the flow."""

from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow, wrong_key

from patchbay.domain.base import StepId
from patchbay.domain.errors import (
    AppError,
    ComputationStopped,
    ThirdPartyError,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flow_calls import ANY_FLOW, FLOW_FAILED_TRIGGER

TRIGGER = StepId("f1-0")

QUARTER = 15 * 60_000
ECHO = ("echo", {"say": "{{step.f1-0.text}}"})
SUCCESS, FAILURE = ExecutionState.SUCCESS, ExecutionState.FAILURE


def nested(levels: int) -> Any:
    value: Any = "core"
    for _ in range(levels):
        value = [value]
    return value


@pytest.fixture
async def polled(runtime: EngineRuntime) -> EngineRuntime:
    """A published flow that polls; nothing is there yet."""
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    return runtime


async def look(runtime: EngineRuntime) -> None:
    polls = runtime.toy.calls.count("poll")
    await runtime.pass_time(QUARTER)
    await runtime.until(lambda: runtime.toy.calls.count("poll") > polls)
    await runtime.settle()


@pytest.mark.parametrize(
    "problem",
    [
        ValidationFailed({"item": ["It has no subject."]}),
        ComputationStopped("It took longer than 10 s.", reason="time"),
        ThirdPartyError(app="Toy", said="gone", status=404),
        RecursionError("too deep"),
        OverflowError("date value out of range"),
        MemoryError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_item_that_cannot_be_handled_is_skipped_and_reported_once(
    polled: EngineRuntime, problem: Exception
):
    polled.toy.items = [("3", "three"), ("2", "two"), ("1", "one")]
    polled.toy.problems = {"2": problem}

    await look(polled)
    await look(polled)

    seen = await polled.until_all(3)
    assert [one.state for one in seen] == [SUCCESS, FAILURE, SUCCESS]
    error = seen[1].step(0).error
    assert error["kind"] == "ItemSkipped"
    assert error["item"] == {"id": "2", "name": "two"}
    assert "“two” (2)" in str(seen[1].note)
    assert error["todo"]
    polled.toy.items.insert(0, ("4", "four"))
    await look(polled)
    assert [one.state for one in await polled.until_all(4)][-1] is SUCCESS


@pytest.mark.parametrize(
    "raw",
    [{"deep": nested(900)}, {"deep": nested(240)}, {"at": object()}, {"bytes": b"\xff"}],
    ids=["very deep", "deep", "object", "bytes"],
)
async def test_an_item_whose_data_cannot_be_kept_is_skipped(polled: EngineRuntime, raw: Any):
    polled.toy.items = [("3", "three"), ("2", "two"), ("1", "one")]
    polled.toy.raws = {"2": raw}

    await look(polled)
    await look(polled)

    assert [one.state for one in await polled.until_all(3)].count(SUCCESS) == 2


@pytest.mark.parametrize("internal_id", ["half \ud800 pair", "nul\0", "x" * 100_000, "Ä" * 3000])
async def test_an_item_with_an_odd_id_starts_the_flow_once(polled: EngineRuntime, internal_id: str):
    polled.toy.items = [("2", "two"), (internal_id, "odd"), ("1", "one")]

    await look(polled)
    await look(polled)

    seen = await polled.until_all(3)
    assert [one.step(0).data_out["text"] for one in seen] == ["one", "odd", "two"]


@pytest.mark.parametrize("problem", [Unreachable("Nobody answers."), wrong_key()])
async def test_trouble_with_the_service_is_not_blamed_on_an_item(polled: EngineRuntime, problem: AppError):
    polled.toy.items = [("2", "two"), ("1", "one")]
    polled.toy.problems = {"1": problem}
    await look(polled)
    assert (await polled.one()).step(0).error["kind"] == problem.kind
    polled.toy.problems = {}

    await look(polled)

    seen = await polled.until_all(3)
    assert [one.step(0).data_out["text"] for one in seen[1:]] == ["one", "two"]


async def test_publishing_over_bad_items_reports_none_of_them(runtime: EngineRuntime):
    runtime.toy.items, runtime.toy.problems = [("1", "one")], {"1": ValueError()}
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()

    await look(runtime)

    assert await runtime.all() == []


async def test_flows_that_receive_failures_hear_of_a_skipped_item(runtime: EngineRuntime):
    await runtime.publish(flow("poll", ECHO))
    await runtime.publish(flow(FLOW_FAILED_TRIGGER, "echo", flow_id="f2", parameters={"flow": ANY_FLOW}))
    await runtime.settle()
    runtime.toy.items, runtime.toy.problems = [("1", "one")], {"1": ValueError()}

    await look(runtime)
    await look(runtime)

    failed, heard = await runtime.until_all(2)
    assert (failed.state, heard.state) == (FAILURE, SUCCESS)
    assert "“one” (1)" in str(heard.step(0).data_out)


async def test_skipped_items_never_pause_a_flow(runtime: EngineRuntime):
    """Otherwise a stranger could pause it: a few bad items, then one run that really fails."""
    await runtime.publish(flow("poll", "refuse"))
    await runtime.set(pause_after=3)
    runtime.toy.items = [(str(number), "bad") for number in range(5)]
    runtime.toy.problems = {str(number): ValueError() for number in range(5)}
    await look(runtime)
    runtime.toy.problems = {}
    runtime.toy.items = [("last", "good"), *runtime.toy.items]

    runtime.toy.refusal = None
    await look(runtime)

    seen = await runtime.until_all(6)
    assert seen[-1].state is SUCCESS
    assert await runtime.shelf.store.consecutive_failures(FLOW_1, 10) == 0


async def test_a_test_takes_the_newest_item_that_can_be_used(runtime: EngineRuntime):
    runtime.toy.items, runtime.toy.problems = [("2", "two"), ("1", "one")], {"2": ValueError()}
    version = flow("poll", ECHO)
    await runtime.shelf.draft(version)

    _, outcome = await runtime.engine.test_step(version, TRIGGER, {})

    assert outcome.data_out == {"text": "one"}


async def test_a_test_that_finds_only_bad_items_says_so(runtime: EngineRuntime):
    runtime.toy.items, runtime.toy.problems = (
        [("2", "two")],
        {"2": ValidationFailed({"item": ["No sender."]})},
    )
    version = flow("poll", ECHO)
    await runtime.shelf.draft(version)

    _, outcome = await runtime.engine.test_step(version, TRIGGER, {})

    assert "No sender." in str(outcome.error["happened"])
