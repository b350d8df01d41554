"""“Continue only once” in runs: at the same time, retried, in a loop, and in tests."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime, Shelf
from tests.support.toy_apps import tree

from patchbay.domain.base import AppKey, Json, StepId
from patchbay.domain.executions import ExecutionState, ReplayOn, StepState
from patchbay.domain.flows import FlowVersion, Step, StepType, StructuralType
from patchbay.integration.registry import load_apps

KEY = "{{step.s1.body.key}}"


@pytest.fixture
async def runtime(location: Any) -> AsyncIterator[EngineRuntime]:
    shelf = await Shelf.open(location)
    made = EngineRuntime(shelf)
    made.toy = load_apps()  # type: ignore[assignment]
    made.new_engine()
    await made.engine.start()
    yield made
    await made.engine.stop(grace=1)
    await shelf.db.close()


def step(position: int, app: str, event: str, /, **parameters: Json) -> Step:
    return Step(
        id=StepId(f"s{position}"),
        type=StepType.ACTION if position > 1 else StepType.TRIGGER,
        app_key=AppKey(app),
        key=event,
        position=position,
        parameters=parameters,
    )


def once(position: int, key: str = KEY, unit: str = "hours", value: str = "1") -> Step:
    return step(position, "filter", "continueOnlyOnce", key=key, periodUnit=unit, periodValue=value)


def version(*steps: Step) -> FlowVersion:
    hook = step(1, "webhook", "catchRawWebhook")
    return FlowVersion(flow_id=FLOW_1, number=1, name="Orders", steps=(hook, *steps), approved=True)


async def test_of_runs_at_the_same_time_with_one_key_exactly_one_continues(runtime: EngineRuntime):
    store = step(3, "datastore", "setValue", key="last", value=KEY)
    await runtime.publish(version(once(2), store))

    for number in range(20):
        await runtime.post(body={"key": f"key {number % 2}"})
    seen = await runtime.until_all(20)

    assert Counter(one.state for one in seen) == {ExecutionState.SUCCESS: 2, ExecutionState.FILTERED: 18}
    notes = {one.note for one in seen if one.state is ExecutionState.FILTERED}
    assert {note and note.partition(" passed on")[0] for note in notes} == {
        "Stopped because the key “key 0”",
        "Stopped because the key “key 1”",
    }


async def test_a_retried_run_passes_again_and_a_replayed_one_is_filtered(runtime: EngineRuntime):
    fails = step(3, "delay", "delayUntil", delayUntil="{{step.s1.body.when}}")
    await runtime.publish(version(once(2), fails))
    await runtime.post(body={"key": "a", "when": "whenever"})
    failed = await runtime.one()
    assert failed.state is ExecutionState.FAILURE

    await runtime.engine.retry(failed.id)
    await runtime.until_all(2)
    await runtime.engine.replay(failed.id, None, ReplayOn.ORIGINAL)
    seen = await runtime.until_all(3)

    assert Counter(one.state for one in seen) == {ExecutionState.FAILURE: 2, ExecutionState.FILTERED: 1}


async def test_a_run_whose_step_itself_failed_after_it_passed_continues_when_it_is_retried(
    runtime: EngineRuntime,
):
    await runtime.publish(version(once(2)))
    decide = runtime.shelf.store.pass_key

    async def decided_and_lost(*given):
        await decide(*given)
        raise RuntimeError("The answer was lost.")

    runtime.shelf.store.pass_key = decided_and_lost  # type: ignore[method-assign]
    await runtime.post(body={"key": "a"})
    failed = await runtime.one()
    runtime.shelf.store.pass_key = decide  # type: ignore[method-assign]

    again = await runtime.engine.retry(failed.id)
    await runtime.post(body={"key": "a"})
    seen = {one.id: one.state for one in await runtime.until_all(3)}

    assert failed.state is ExecutionState.FAILURE
    assert seen.pop(failed.id) is ExecutionState.FAILURE
    assert seen.pop(again) is ExecutionState.SUCCESS
    assert [*seen.values()] == [ExecutionState.FILTERED]


async def test_in_a_loop_an_item_whose_key_came_before_is_skipped(runtime: EngineRuntime):
    loop_item = "{{step.s2.item}}"
    flat = version(
        step(2, "filter", "continueIfMatches"),
        once(3, loop_item),
        step(4, "datastore", "setValue", key="k", value=loop_item),
    )
    looping = tree(
        flat,
        (1, StructuralType.EACH, None, {"parameters": {"list": "{{step.s1.body.keys}}"}}),
        (2, StructuralType.SINGLE, 1, {}),
        (3, StructuralType.SINGLE, 1, {}),
    )
    await runtime.publish(looping)

    await runtime.post(body={"keys": ["a", "b", "a"]})
    seen = await runtime.one()

    decisions = [one.status for one in seen.steps if one.step_id == "s3"]
    assert decisions == [StepState.SUCCESS, StepState.SUCCESS, StepState.FILTERED]
    assert [one.data_in["value"] for one in seen.steps if one.step_id == "s4"] == ["a", "b"]


async def test_a_test_of_the_flow_leaves_the_key_to_the_next_run(runtime: EngineRuntime):
    published = version(once(2))
    await runtime.publish(published)
    await runtime.post(body={"key": "a"})
    await runtime.one()
    draft = published.model_copy(update={"number": 0})

    execution_id, outcome = await runtime.engine.test_step(
        draft, StepId("s2"), {StepId("s1"): {"body": {"key": "a"}}}
    )
    _, fresh = await runtime.engine.test_step(draft, StepId("s2"), {StepId("s1"): {"body": {"key": "b"}}})
    await runtime.post(body={"key": "b"})

    assert (outcome.status, fresh.status, fresh.warnings) == (StepState.SUCCESS, StepState.SUCCESS, ())
    assert outcome.warnings[0].startswith("A run would stop here: the key “a” passed on")
    assert execution_id
    run = (await runtime.until_all(4))[-1]
    assert run.state is ExecutionState.SUCCESS
