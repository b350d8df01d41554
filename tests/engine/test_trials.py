"""Tests of a step and "run now"."""

from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow, late, wrong_key

from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.executions import ExecutionState, StepState

TRIGGER = StepId("f1-0")
SECOND = StepId("f1-1")


async def test_a_tested_action_runs_alone_on_the_samples(runtime: EngineRuntime):
    draft = flow("hook", "bug", ("echo", {"say": "{{step.f1-0.body}}"}))
    await runtime.shelf.draft(draft)

    execution_id, outcome = await runtime.engine.test_step(draft, StepId("f1-2"), {TRIGGER: {"body": "hi"}})

    assert (outcome.status, outcome.data_out) == (StepState.SUCCESS, {"say": "hi"})
    seen = await runtime.one()
    assert (seen.id, seen.test_run, [step.seq for step in seen.steps]) == (execution_id, True, [2])


async def test_a_test_with_a_missing_value_fails_and_names_it(runtime: EngineRuntime):
    draft = flow("hook", ("echo", {"say": "{{step.f1-0.body.name}}"}))
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, SECOND, {})

    assert outcome.status is StepState.FAILURE
    assert outcome.error["happened"] == "This step uses values that don't exist: body.name of step 1."
    assert runtime.toy.calls == []


async def test_a_refused_test_is_a_failed_outcome_with_the_words(runtime: EngineRuntime):
    runtime.toy.refusal = wrong_key()
    draft = flow("hook", "refuse")
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, SECOND, {})

    assert outcome.error["said"] == "Invalid key"
    assert (await runtime.one()).state is ExecutionState.FAILURE


async def test_a_tested_poll_shows_the_newest_item(runtime: EngineRuntime):
    runtime.toy.items = [("2", "two"), ("1", "one")]
    draft = flow("poll", "echo")
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, TRIGGER, {})

    assert outcome.data_out == {"text": "two"}


async def test_a_tested_poll_without_items_passes_with_nothing(runtime: EngineRuntime):
    draft = flow("poll", "echo")
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, TRIGGER, {})

    assert (outcome.status, outcome.data_out) == (StepState.SUCCESS, None)


async def test_a_broken_poll_is_a_failed_outcome(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    draft = flow("poll", "echo")
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, TRIGGER, {})

    assert outcome.status is StepState.FAILURE


async def test_a_tested_schedule_shows_its_next_time(runtime: EngineRuntime):
    draft = flow("clock", "echo")
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, TRIGGER, {})

    output: Any = outcome.data_out
    assert output["at"] > runtime.clock.now


async def test_a_schedule_run_by_hand_runs_as_of_now(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))

    await runtime.engine.run_now(FLOW_1)

    assert (await runtime.one()).step(0).data_out["at"] == runtime.clock.now


async def test_a_tested_webhook_shows_the_newest_request_or_asks_for_one(runtime: EngineRuntime):
    draft = flow("hook", "echo")
    await runtime.shelf.draft(draft)

    with pytest.raises(Conflict, match="received a request"):
        await runtime.engine.test_step(draft, TRIGGER, {})
    _, outcome = await runtime.engine.test_step(draft, TRIGGER, {TRIGGER: {"body": 1}})

    assert outcome.data_out == {"body": 1}


async def test_a_tested_delay_does_not_wait(runtime: EngineRuntime):
    draft = flow("hook", "delay")
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, SECOND, {})

    assert outcome.data_out == {"waited": True}


async def test_testing_a_step_that_is_gone_says_so(runtime: EngineRuntime):
    with pytest.raises(NotFound):
        await runtime.engine.test_step(flow("hook", "echo"), StepId("elsewhere"), {})


async def test_run_now_runs_the_live_version_with_the_given_item(runtime: EngineRuntime):
    await runtime.publish(flow("poll", ("echo", {"say": "{{step.f1-0.text}}"})))

    execution_id = await runtime.engine.run_now(FLOW_1, {"text": "by hand"})

    seen = await runtime.one()
    assert (seen.id, seen.test_run) == (execution_id, False)
    assert seen.step(1).data_out == {"say": "by hand"}


async def test_run_now_asks_the_trigger_for_an_item(runtime: EngineRuntime):
    runtime.toy.items = [("1", "one")]
    await runtime.publish(flow("poll", "echo"))

    await runtime.engine.run_now(FLOW_1)

    assert (await runtime.one()).step(0).data_out == {"text": "one"}


async def test_run_now_with_an_empty_trigger_says_so(runtime: EngineRuntime):
    await runtime.publish(flow("poll", "echo"))

    with pytest.raises(Conflict, match="found no item"):
        await runtime.engine.run_now(FLOW_1)


async def test_run_now_on_a_draft_tests_all_steps_without_waiting(runtime: EngineRuntime):
    await runtime.shelf.draft(flow("hook", "delay", "echo"))

    await runtime.engine.run_now(FLOW_1, {"body": "x"})

    seen = await runtime.one()
    assert (seen.test_run, seen.state) == (True, ExecutionState.SUCCESS)
    assert [step.seq for step in seen.steps] == [0, 1, 2]


async def test_run_now_on_a_draft_stops_at_the_first_failure(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    await runtime.shelf.draft(flow("hook", "refuse", "echo"))

    await runtime.engine.run_now(FLOW_1, {"body": "x"})

    seen = await runtime.one()
    assert (seen.state, [step.seq for step in seen.steps]) == (ExecutionState.FAILURE, [0, 1])
    assert seen.note == "Toy did not answer within 30 seconds."


async def test_run_now_on_an_unknown_flow_says_so(runtime: EngineRuntime):
    with pytest.raises(NotFound):
        await runtime.engine.run_now(FlowId("nobody"))
