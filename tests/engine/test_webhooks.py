"""What the caller of a webhook gets, and when."""

import asyncio
import json

import pytest
from tests.support.engine_house import House
from tests.support.toy_apps import flow, late

from patchbay.domain.errors import Conflict, NotFound, Unreachable
from patchbay.domain.executions import ExecutionState


async def test_the_answer_comes_after_the_event_is_stored(house: House):
    await house.publish(flow("hook", "slow"))

    answer = await house.post(body="x")

    assert (answer.status, answer.body) == (204, None)
    assert len(await house.all()) == 1
    assert not (await house.all())[0].state.finished


async def test_a_synchronous_caller_gets_the_answer_of_the_respond_step_and_the_run_goes_on(house: House):
    await house.publish(flow("hook", ("respond", {"body": "hello"}), "slow"))

    answer = await house.post(synchronous=True)

    assert (answer.status, answer.headers, answer.body) == (201, {"x-toy": "yes"}, "hello")
    house.toy.gate.set()
    assert (await house.one()).state is ExecutionState.SUCCESS
    assert house.toy.calls == ["slow"]


async def test_a_synchronous_caller_without_respond_step_gets_204_at_the_end(house: House):
    await house.publish(flow("hook", "echo"))

    answer = await house.post(synchronous=True)

    assert answer.status == 204
    assert (await house.all())[0].state is ExecutionState.SUCCESS


async def test_a_synchronous_caller_that_was_filtered_out_gets_422_in_words(house: House):
    await house.publish(flow("hook", "filter"))

    answer = await house.post(synchronous=True)

    assert answer.status == 422
    assert "did not match" in json.loads(answer.body)["errors"]["general"][0]


async def test_a_synchronous_caller_of_a_failing_flow_learns_of_it_without_details(house: House):
    house.toy.refusal = late()
    await house.publish(flow("hook", "refuse"))

    answer = await house.post(synchronous=True)

    assert answer.status == 502
    assert (await house.all())[0].id in answer.body
    assert "30 seconds" not in answer.body


async def test_a_synchronous_caller_is_not_kept_through_a_delay(house: House):
    await house.publish(flow("hook", "delay", "echo"))

    answer = await house.post(synchronous=True)

    assert answer.status == 204
    assert (await house.all())[0].state is ExecutionState.WAITING


async def test_a_synchronous_caller_is_told_when_it_takes_too_long(house: House):
    await house.engine.stop()
    house.new_engine(max_wait_seconds=0.05)
    await house.engine.start()
    await house.publish(flow("hook", "slow"))

    answer = await house.post(synchronous=True)

    assert answer.status == 504
    assert "goes on" in answer.body
    house.toy.gate.set()
    assert (await house.one()).state is ExecutionState.SUCCESS


async def test_a_trigger_that_cannot_read_the_request_is_told_in_words_and_kept(house: House):
    house.toy.refusal = late()
    await house.publish(flow("brokenHook", "echo"))

    for synchronous in (False, True):
        answer = await house.post(synchronous=synchronous)

        assert answer.status == 502
        assert json.loads(answer.body)["errors"]["general"]
    assert [seen.state for seen in await house.all()] == [ExecutionState.FAILURE] * 2


async def test_redelivered_events_with_an_id_run_once(house: House):
    house.toy.items = [("42", "same")]
    await house.publish(flow("brokenHook", "echo"))

    await house.post()
    await house.post()

    await house.one()


async def test_a_request_to_a_draft_becomes_its_sample_and_runs_nothing(house: House):
    await house.shelf.draft(flow("hook", "echo"))

    answer = await house.post(body={"n": 1})

    assert answer.status == 204
    seen = await house.one()
    assert (seen.test_run, seen.state, len(seen.steps)) == (True, ExecutionState.SUCCESS, 1)
    samples = await house.shelf.store.samples("f1")
    assert samples["f1-0"] == {"headers": {"a": "b"}, "body": {"n": 1}, "query": {}}
    assert house.toy.calls == []


async def test_unknown_flows_and_flows_that_start_otherwise_are_refused(house: House):
    await house.publish(flow("poll", "echo", flow_id="f2"))

    with pytest.raises(NotFound):
        await house.post("nobody")
    with pytest.raises(Conflict, match="not started by a webhook"):
        await house.post("f2")


async def test_an_unpublished_flow_no_longer_runs(house: House):
    await house.publish(flow("hook", "echo"))
    await house.post()
    await house.one()

    await house.shelf.unpublish("f1")
    await house.shelf.draft(flow("hook", "echo"))
    house.engine.triggers_changed()
    await house.post()

    assert [seen.test_run for seen in await house.until_all(2)] == [False, True]


async def test_nothing_is_accepted_while_the_engine_is_stopped(house: House):
    await house.publish(flow("hook", "echo"))
    await house.engine.stop()

    with pytest.raises(Unreachable):
        await house.post()


async def test_a_caller_waiting_when_the_engine_stops_is_told(house: House):
    await house.publish(flow("hook", "slow"))
    waiting = asyncio.create_task(house.post(synchronous=True))
    await house.until(lambda: house.toy.inside == 1)

    await house.engine.stop(grace=0.01)

    assert (await waiting).status == 503


async def test_a_paused_engine_accepts_and_runs_later(house: House):
    await house.publish(flow("hook", "echo"))
    house.engine.pause()

    await house.post()

    await house.settle()
    assert (await house.all())[0].state is ExecutionState.QUEUED
    house.engine.resume()
    assert (await house.one()).state is ExecutionState.SUCCESS
