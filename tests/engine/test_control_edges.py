"""What people do to a run in the very moment in which it moves, and how retries find their place."""

import asyncio
from dataclasses import replace

import pytest
from tests.engine.test_structure import with_loop
from tests.support.engine_house import House
from tests.support.toy_apps import flow, late

from patchbay.domain.errors import Conflict
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flow_calls import ANY_FLOW
from patchbay.engine.runs import aftermath
from patchbay.integration.context import Context

SUCCESS, CANCELLED = ExecutionState.SUCCESS, ExecutionState.CANCELLED


async def test_a_run_that_goes_to_sleep_while_it_is_cancelled_is_cancelled(
    house: House, monkeypatch: pytest.MonkeyPatch
):
    await house.publish(flow("hook", "slow", "delay", "echo"))
    await house.post()
    await house.until(lambda: house.toy.inside == 1)
    look = house.shelf.store.cancel

    async def cancel_and_fall_asleep(*given):
        seen = await look(*given)
        house.toy.gate.set()
        if seen.running:
            await house.one(ExecutionState.WAITING)
        return seen

    monkeypatch.setattr(house.shelf.store, "cancel", cancel_and_fall_asleep)

    await house.engine.cancel((await house.all())[0].id)

    assert (await house.all())[0].state is CANCELLED


async def test_a_run_whose_step_needs_a_while_to_stop_may_be_cancelled_twice(house: House):
    stopping = asyncio.Event()

    async def linger(ctx: Context) -> None:
        house.toy.inside += 1
        try:
            await asyncio.Event().wait()
        finally:
            stopping.set()
            await house.toy.gate.wait()

    actions = [replace(one, run=linger) if one.key == "slow" else one for one in house.toy.app.actions]
    house.toy.app = replace(house.toy.app, actions=tuple(actions))
    await house.publish(flow("hook", "slow"))
    await house.post()
    await house.until(lambda: house.toy.inside == 1)
    key = (await house.all())[0].id

    first = asyncio.create_task(house.engine.cancel(key))
    await stopping.wait()
    second = asyncio.create_task(house.engine.cancel(key))
    await house.settle()
    house.toy.gate.set()
    await asyncio.gather(first, second)

    assert (await house.one()).state is CANCELLED
    with pytest.raises(Conflict):
        await house.engine.cancel(key)


async def test_a_step_that_turns_its_being_cut_off_into_an_error_is_cancelled_all_the_same(house: House):
    async def tells(ctx: Context) -> None:
        house.toy.inside += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise late() from None

    actions = [replace(one, run=tells) if one.key == "slow" else one for one in house.toy.app.actions]
    house.toy.app = replace(house.toy.app, actions=tuple(actions))
    await house.publish(flow("hook", "slow", policy={"attempts": 5}))
    await house.post()
    await house.until(lambda: house.toy.inside == 1)

    await house.engine.cancel((await house.all())[0].id)

    seen = await house.one()
    assert (seen.state, seen.note) == (CANCELLED, "Cancelled.")


async def test_a_retry_begins_at_the_failure_and_not_at_an_item_that_was_filtered_out(house: House):
    house.toy.refusal = late()
    item = "{{step.f1-1.item}}"
    await house.publish(
        with_loop(("filter", {"pass": item}), ("slowRepeat", {"say": item}), "refuse", continue_on_error=True)
    )
    house.toy.gate.set()
    await house.post(body={"list": ["no", "yes", "no"]})
    failed = await house.one()
    house.toy.refusal = None

    await house.engine.retry(failed.id)

    assert (await house.until_all(2))[1].state is SUCCESS
    assert house.toy.calls == ["slow yes", "refuse", "3", "refuse", "3"]


async def test_a_retry_begins_at_the_first_failure_that_was_passed_over_also_when_the_last_step_failed(
    house: House,
):
    house.toy.refusal = late()
    await house.publish(flow("hook", "refuse", "refuse", continue_on_error=True))
    await house.post()
    failed = await house.one()
    house.toy.refusal = None

    await house.engine.retry(failed.id)

    assert (await house.until_all(2))[1].state is SUCCESS


async def test_a_retry_that_goes_another_way_gives_no_step_the_key_of_another_one(house: House):
    house.toy.refusal = late()
    item = {"say": "{{step.f1-1.item}}"}
    await house.publish(with_loop("refuse", ("slowWithKey", item), continue_on_error=True))
    house.toy.gate.set()
    await house.post(body={"list": ["a", "b"]})
    failed = await house.one()
    house.toy.refusal = None

    await house.engine.retry(failed.id)
    await house.until_all(2)

    keys = {key for execution_id, key in house.toy.made}
    assert keys == {f"{failed.id}:{place}" for place in ("2.0", "2.1", "3.0", "3.1", "4")}


async def test_what_a_run_waited_for_is_not_told_when_it_is_done(house: House):
    await house.publish(flow("called", "echo", flow_id="f2"))
    await house.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))

    await house.post()

    assert [one.note for one in await house.until_all(2)] == [None, None]


async def test_a_webhook_that_cannot_be_read_is_told_to_the_flow_that_receives_failures(house: House):
    house.toy.refusal = late()
    await house.publish(flow("flowFailed", "echo", flow_id="f2", parameters={"flow": ANY_FLOW}))
    await house.publish(flow("brokenHook", "echo"))
    await house.settle()

    await house.post()

    broken, told = await house.until_all(2)
    item = told.step(0).data_out
    assert isinstance(item, dict)
    assert item["execution"]["id"] == broken.id
    assert "did not answer" in str(item["error"])


async def test_a_flow_that_calls_itself_without_waiting_is_stopped_too(
    house: House, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(aftermath, "MAX_CALL_DEPTH", 30)
    await house.publish(flow("called", ("callFlow", {"flow": "f1", "wait": False})))
    await house.publish(flow("hook", ("callFlow", {"flow": "f1", "wait": False}), flow_id="f2"))

    await house.post("f2")

    seen = await house.until_all(31)
    assert [one.state for one in seen] == [SUCCESS] * 30 + [ExecutionState.FAILURE]
    assert "called one the other" in str(seen[-1].note)


async def test_a_synchronous_caller_is_answered_after_the_flow_that_was_called(house: House):
    await house.publish(flow("called", "echo", ("answer", {"value": "hello"}), flow_id="f2"))
    print_message = ("respond", {"body": "{{step.f1-1.answer}}"})
    await house.publish(flow("hook", ("callFlow", {"flow": "f2"}), print_message))

    answer = await house.post(synchronous=True)

    assert (answer.status, answer.body) == (201, "hello")
