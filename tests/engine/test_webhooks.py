"""What the caller of a webhook gets, and when."""

import asyncio
import json

import pytest
from tests.support.engine_runtime import FLOW_1, FLOW_2, EngineRuntime
from tests.support.toy_apps import flow, late

from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import Conflict, NotFound, Unreachable
from patchbay.domain.executions import ExecutionState
from patchbay.domain.ports import DELIVERY_HEADER


async def test_the_answer_comes_after_the_event_is_stored(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow"))

    answer = await runtime.post(body="x")

    assert (answer.status, answer.body) == (204, None)
    assert len(await runtime.all()) == 1
    assert not (await runtime.all())[0].state.finished


async def test_a_synchronous_caller_gets_the_answer_of_the_respond_step_and_the_run_continues(
    runtime: EngineRuntime,
):
    await runtime.publish(flow("hook", ("respond", {"body": "hello"}), "slow"))

    answer = await runtime.post(synchronous=True)

    assert (answer.status, answer.headers, answer.body) == (201, {"x-toy": "yes"}, "hello")
    runtime.toy.gate.set()
    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["slow"]


async def test_a_synchronous_caller_without_respond_step_gets_204_at_the_end(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))

    answer = await runtime.post(synchronous=True)

    assert answer.status == 204
    assert (await runtime.all())[0].state is ExecutionState.SUCCESS


async def test_a_synchronous_caller_that_was_filtered_out_gets_422_with_a_clear_error(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "filter"))

    answer = await runtime.post(synchronous=True)

    assert answer.status == 422
    assert "didn't match" in json.loads(answer.body)["errors"]["general"][0]


async def test_a_synchronous_caller_of_a_failing_flow_learns_of_it_without_details(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    await runtime.publish(flow("hook", "refuse"))

    answer = await runtime.post(synchronous=True)

    assert answer.status == 502
    assert (await runtime.all())[0].id in answer.body
    assert "30 seconds" not in answer.body


async def test_a_synchronous_caller_is_not_kept_through_a_delay(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "delay", "echo"))

    answer = await runtime.post(synchronous=True)

    assert answer.status == 204
    assert (await runtime.all())[0].state is ExecutionState.WAITING


async def test_a_synchronous_caller_gets_an_error_when_the_run_takes_too_long(runtime: EngineRuntime):
    await runtime.engine.stop()
    runtime.new_engine(max_wait_seconds=0.05)
    await runtime.engine.start()
    await runtime.publish(flow("hook", "slow"))

    answer = await runtime.post(synchronous=True)

    assert answer.status == 504
    assert "keeps running" in answer.body
    runtime.toy.gate.set()
    assert (await runtime.one()).state is ExecutionState.SUCCESS


async def test_a_trigger_responds_itself_without_or_with_an_event(runtime: EngineRuntime):
    await runtime.publish(flow("pageHook", "echo"))

    shown = await runtime.post()
    accepted = await runtime.post(body="a")
    repeated = await runtime.post(body="a")

    assert [(one.status, one.body) for one in (shown, accepted, repeated)] == [(200, "page")] * 3
    assert [one.headers.get(DELIVERY_HEADER) for one in (shown, accepted, repeated)] == [
        None,
        None,
        "duplicate",
    ]
    assert (await runtime.one()).state is ExecutionState.SUCCESS


@pytest.mark.parametrize(
    ("steps", "status", "body"),
    [(["echo"], 200, "page"), ([("respond", {"body": "own"})], 201, "own"), (["filter"], 422, None)],
)
async def test_a_trigger_responds_to_a_waiting_caller_unless_the_flow_does(
    runtime: EngineRuntime, steps, status, body
):
    await runtime.publish(flow("pageHook", *steps))

    answer = await runtime.post(body="a", synchronous=True)

    assert answer.status == status
    assert body in (answer.body, None)


async def test_a_trigger_responds_although_its_flow_is_paused(runtime: EngineRuntime):
    await runtime.publish(flow("pageHook", "echo"))
    runtime.engine.pause()

    answer = await runtime.post(body="a", synchronous=True)

    assert (answer.status, answer.body) == (200, "page")
    assert answer.headers[DELIVERY_HEADER] == "queued"
    assert not (await runtime.all())[0].state.finished


async def test_a_trigger_that_cannot_read_the_request_is_reported_and_kept(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    await runtime.publish(flow("brokenHook", "echo"))

    for synchronous in (False, True):
        answer = await runtime.post(synchronous=synchronous)

        assert answer.status == 502
        assert json.loads(answer.body)["errors"]["general"]
    assert [seen.state for seen in await runtime.all()] == [ExecutionState.FAILURE] * 2


async def test_redelivered_events_with_an_id_run_once(runtime: EngineRuntime):
    runtime.toy.items = [("42", "same")]
    await runtime.publish(flow("brokenHook", "echo"))

    await runtime.post()
    await runtime.post()

    await runtime.one()


async def test_a_request_to_a_draft_becomes_its_sample_and_runs_nothing(runtime: EngineRuntime):
    await runtime.shelf.draft(flow("hook", "echo"))

    answer = await runtime.post(body={"n": 1})

    assert answer.status == 204
    seen = await runtime.one()
    assert (seen.test_run, seen.state, len(seen.steps)) == (True, ExecutionState.SUCCESS, 1)
    samples = await runtime.shelf.store.samples(FLOW_1)
    assert samples[StepId("f1-0")] == {"headers": {"a": "b"}, "body": {"n": 1}, "query": {}}
    assert runtime.toy.calls == []


async def test_unknown_flows_and_flows_that_start_otherwise_are_refused(runtime: EngineRuntime):
    await runtime.publish(flow("poll", "echo", flow_id="f2"))

    with pytest.raises(NotFound):
        await runtime.post(FlowId("nobody"))
    with pytest.raises(Conflict, match="isn't started by a webhook"):
        await runtime.post(FLOW_2)


async def test_an_unpublished_flow_no_longer_runs(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    await runtime.post()
    await runtime.one()

    await runtime.shelf.unpublish(FLOW_1)
    await runtime.shelf.draft(flow("hook", "echo"))
    runtime.engine.triggers_changed()
    await runtime.post()

    assert [seen.test_run for seen in await runtime.until_all(2)] == [False, True]


async def test_nothing_is_accepted_while_the_engine_is_stopped(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    await runtime.engine.stop()

    with pytest.raises(Unreachable):
        await runtime.post()


async def test_a_caller_waiting_when_the_engine_stops_gets_an_error(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow"))
    waiting = asyncio.create_task(runtime.post(synchronous=True))
    await runtime.until(lambda: runtime.toy.inside == 1)

    await runtime.engine.stop(grace=0.01)

    assert (await waiting).status == 503


async def test_a_paused_engine_accepts_and_runs_later(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    runtime.engine.pause()

    await runtime.post()

    await runtime.settle()
    assert (await runtime.all())[0].state is ExecutionState.QUEUED
    runtime.engine.resume()
    assert (await runtime.one()).state is ExecutionState.SUCCESS
