"""What people do to a run, and what a run does to others."""

import pytest
from tests.support.engine_house import House, Seen
from tests.support.toy_apps import flow, late, wrong_key

from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.executions import ExecutionState, Origin, ReplayOn, StepState, WaitsFor
from patchbay.domain.flow_calls import ANY_FLOW

SUCCESS, FAILURE, CANCELLED = ExecutionState.SUCCESS, ExecutionState.FAILURE, ExecutionState.CANCELLED


# Cancel


async def test_a_run_that_waits_is_cancelled_at_once_and_never_wakes(house: House):
    await house.publish(flow("hook", "delay", "echo"))
    await house.post()
    waiting = await house.one(ExecutionState.WAITING)

    await house.engine.cancel(waiting.id)
    await house.pass_time(120_000)
    await house.settle()

    assert (await house.one()).state is CANCELLED
    assert house.toy.calls == []


async def test_a_step_on_its_way_is_cut_off_and_its_outcome_called_unknown(house: House):
    await house.publish(flow("hook", "slow", "echo"))
    await house.post()
    await house.until(lambda: house.toy.inside == 1)

    await house.engine.cancel((await house.all())[0].id)

    seen = await house.one()
    assert house.toy.inside == 0
    assert (seen.state, seen.note) == (CANCELLED, "Cancelled.")
    assert seen.step(1).status is StepState.CANCELLED
    assert seen.step(1).error is not None
    assert "unknown" in str(seen.step(1).error)


async def test_cancelling_what_is_finished_or_unknown_is_refused_in_words(house: House):
    await house.publish(flow("hook", "echo"))
    await house.post()
    seen = await house.one()

    with pytest.raises(Conflict, match="finished already"):
        await house.engine.cancel(seen.id)
    with pytest.raises(NotFound):
        await house.engine.cancel("nobody")


# Retry and replay


async def test_a_retry_goes_on_at_the_failed_step_in_a_new_execution_with_a_link(house: House):
    house.toy.refusal = wrong_key()
    await house.publish(flow("hook", ("echo", {"say": "before"}), "refuse", ("echo", {"say": "after"})))
    await house.post(body={"n": 1})
    failed = await house.one()
    house.toy.refusal = None

    again = await house.engine.retry(failed.id)

    first, second = await house.until_all(2)
    assert second.state is SUCCESS
    assert house.toy.calls == ["before", "refuse", "refuse", "after"]
    assert first.state is FAILURE
    assert [step.data_out for step in second.steps[:2]] == [step.data_out for step in first.steps[:2]]
    told = await house.execution(again)
    assert (told.origin_id, told.origin_kind) == (failed.id, Origin.RETRY)


async def test_a_retried_step_keeps_the_idempotency_key_of_its_first_try(house: House):
    await house.publish(flow("hook", "slowWithKey", "bug"))
    house.toy.gate.set()
    await house.post()
    await house.engine.retry((await house.one()).id)
    await house.until_all(2)
    house.toy.refusal = wrong_key()
    await house.publish(flow("hook", "refuse", "slowWithKey", flow_id="f2"))
    await house.post("f2")
    third = (await house.until_all(3))[2]
    house.toy.refusal = None

    retried = await house.engine.retry(third.id)
    await house.until_all(4)

    assert house.toy.keys[-1] == f"{third.id}:2"
    assert retried != third.id


async def test_only_what_failed_is_retried(house: House):
    await house.publish(flow("hook", "echo"))
    await house.post()

    with pytest.raises(Conflict, match="failed"):
        await house.engine.retry((await house.one()).id)


async def test_a_replay_runs_from_the_start_on_the_data_given_and_on_the_chosen_version(house: House):
    print_message = ("echo", {"say": "{{step.f1-0.body.n}}"})
    await house.publish(flow("hook", print_message))
    await house.post(body={"n": 1})
    first = await house.one()
    await house.publish(flow("hook", print_message, ("echo", {"say": "new"}), number=2))

    await house.engine.replay(first.id, None, ReplayOn.ORIGINAL)
    await house.until_all(2)
    await house.engine.replay(first.id, {"body": {"n": 7}}, ReplayOn.NEWEST)
    await house.until_all(3)

    assert house.toy.calls == ["1", "1", "7", "new"]


# Flows that call flows


async def test_a_flow_calls_another_waits_for_it_and_takes_its_answer(house: House):
    await house.publish(
        flow(
            "called",
            ("echo", {"say": "{{step.f2-0.n}}"}),
            ("answer", {"value": {"double": 14}}),
            flow_id="f2",
        )
    )
    call = ("callFlow", {"flow": "f2", "item": {"n": 7}})
    await house.publish(flow("hook", call, ("echo", {"say": "{{step.f1-1.answer.double}}"})))

    await house.post()

    caller, called = await house.until_all(2)
    assert (caller.state, called.state) == (SUCCESS, SUCCESS)
    assert house.toy.calls == ["7", "14"]
    assert caller.step(1).data_out == {"executionId": called.id, "answer": {"double": 14}}
    told = await house.execution(called.id)
    assert (told.origin_id, told.origin_kind) == (caller.id, Origin.CALL)


async def test_the_caller_waits_without_a_slot_also_over_a_restart(house: House):
    await house.publish(flow("called", "slowRepeat", flow_id="f2"))
    await house.publish(flow("hook", ("callFlow", {"flow": "f2"}), ("echo", {"say": "after"})))
    await house.post()
    await house.until(lambda: house.toy.inside == 1)
    caller = (await house.all())[0]
    assert (caller.state, caller.wake_at) == (ExecutionState.WAITING, None)
    assert (await house.execution(caller.id)).waits_for is WaitsFor.FLOW

    await house.engine.stop(grace=0)
    house.new_engine()
    house.toy.gate.set()
    await house.engine.start()

    assert [one.state for one in await house.until_all(2)] == [SUCCESS, SUCCESS]
    assert house.toy.calls[-1] == "after"


async def test_a_called_flow_that_fails_fails_the_step_that_called_it(house: House):
    house.toy.refusal = wrong_key()
    await house.publish(flow("called", "refuse", flow_id="f2"))
    await house.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))

    await house.post()

    caller, _ = await house.until_all(2)
    assert caller.state is FAILURE
    assert "Toy answered “Invalid key” (401)." in str(caller.note)


async def test_cancelling_a_caller_cancels_what_it_called(house: House):
    await house.publish(flow("called", "delay", "echo", flow_id="f2"))
    await house.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))
    await house.post()
    caller, _ = await house.until_all(2, ExecutionState.WAITING)

    await house.engine.cancel(caller.id)

    assert [one.state for one in await house.until_all(2)] == [CANCELLED, CANCELLED]


async def test_cancelling_a_called_flow_tells_its_caller(house: House):
    await house.publish(flow("called", "delay", "echo", flow_id="f2"))
    await house.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))
    await house.post()
    _, called = await house.until_all(2, ExecutionState.WAITING)

    await house.engine.cancel(called.id)

    caller, _ = await house.until_all(2)
    assert caller.state is FAILURE
    assert "cancelled" in str(caller.note)


async def test_a_flow_that_calls_itself_without_end_is_stopped_in_words(house: House):
    await house.publish(flow("called", ("callFlow", {"flow": "f1"})))
    await house.publish(flow("hook", ("callFlow", {"flow": "f1"}), flow_id="f2"))

    await house.post("f2")

    seen = await house.until_all(11)
    assert all(one.state is FAILURE for one in seen)
    assert "wait one for the other" in str(seen[-1].note)


# Failures that are handed on


async def test_a_failure_starts_the_flows_that_receive_it_once_and_theirs_start_nothing(house: House):
    house.toy.refusal = wrong_key()
    await house.publish(flow("flowFailed", "refuse", flow_id="f2", parameters={"flow": ANY_FLOW}))
    await house.publish(flow("flowFailed", "echo", flow_id="f3", parameters={"flow": "f1"}))
    await house.publish(flow("flowFailed", "echo", flow_id="f4", parameters={"flow": "other"}))
    await house.publish(flow("hook", "refuse"))

    await house.post()

    await house.until_all(3)
    await house.settle()
    failed, *handed = await house.until_all(3)
    item = handed[0].step(0).data_out
    assert isinstance(item, dict)
    assert item["flow"] == {"id": "f1", "name": "Flow f1"}
    assert item["step"] == {"position": 2, "name": "Toy · Refuse", "app": "Toy"}
    assert "Invalid key" in str(item["error"])
    assert (await house.execution(handed[0].id)).origin_id == failed.id


# Holding back


async def test_a_flow_that_only_fails_is_paused_keeps_its_events_and_goes_on_when_resumed(house: House):
    house.toy.refusal = wrong_key()
    await house.publish(flow("hook", "refuse"))
    await house.set(pause_after=3)
    for count in range(1, 4):
        await house.post()
        await house.until_all(count)

    await house.until(lambda: any(change.noun is ResourceType.FLOW for change in house.changes))
    await house.settle()
    await house.post()
    await house.settle()
    assert (await house.all())[-1].state is ExecutionState.QUEUED

    house.toy.refusal = None
    await house.shelf.resume_flow("f1")
    house.engine.triggers_changed()
    assert (await house.until_all(4))[-1].state is SUCCESS


async def test_success_in_between_begins_the_count_anew(house: House):
    await house.publish(flow("hook", "refuse"))
    await house.set(pause_after=2)

    for refusal in (wrong_key(), None, wrong_key(), None):
        house.toy.refusal = refusal
        await house.post()
        await house.until_all(len(await house.all()))

    assert not any(change.noun is ResourceType.FLOW for change in house.changes)


async def test_a_flow_runs_as_many_at_once_as_it_may_and_others_are_not_held_up(house: House):
    await house.publish(flow("hook", "slow"))
    await house.publish(flow("hook", ("echo", {"say": "other"}), flow_id="f2"))
    await house.set(max_concurrent=1)
    for _ in range(3):
        await house.post()

    await house.post("f2")
    await house.until(lambda: house.toy.calls == ["slow", "other"])
    house.toy.gate.set()
    await house.until_all(4)

    assert house.toy.most_inside == 1


# Tries


async def test_a_step_without_a_policy_is_tried_again_only_where_that_is_safe(house: House):
    house.toy.refusal = late()
    await house.publish(flow("hook", "refuse"))
    await house.post()

    assert (await house.one()).state is FAILURE
    assert house.toy.calls == ["refuse"]


async def test_a_policy_says_how_often_and_the_pause_grows(house: House):
    house.toy.refusal = late()
    policy = {"attempts": 3, "first_pause_seconds": 10}
    await house.publish(flow("hook", "refuse", "echo", policy=policy))
    await house.post()

    waits = []
    for _ in range(2):
        waiting = await _asleep(house)
        assert waiting.wake_at is not None
        waits.append((waiting.wake_at - house.clock.now) / 1000)
        assert (await house.execution(waiting.id)).waits_for is WaitsFor.RETRY
        await house.pass_time(waiting.wake_at - house.clock.now + 1)
    seen = await house.one()

    assert seen.state is FAILURE
    assert [step.attempt for step in seen.steps] == [1, 1, 2, 3]
    assert 8 <= waits[0] <= 12
    assert 16 <= waits[1] <= 24


async def _asleep(house: House) -> Seen:
    """The only execution, once it waits for a time to come."""

    async def asleep() -> bool:
        seen = (await house.all())[0]
        return seen.wake_at is not None and seen.wake_at > house.clock.now

    await house.until_true(asleep)
    return (await house.all())[0]


async def test_a_refusal_that_will_not_pass_is_not_tried_again(house: House):
    house.toy.refusal = wrong_key()
    await house.publish(flow("hook", "refuse", policy={"attempts": 5}))
    await house.post()

    assert (await house.one()).state is FAILURE
    assert house.toy.calls == ["refuse"]


async def test_a_step_that_takes_too_long_is_cut_off_in_words(house: House):
    await house.publish(flow("hook", "slow", policy={"timeout_seconds": 1}))
    await house.post()

    seen = await house.one()

    assert seen.note == "Toy · Slow did not finish within 1 second."
    assert house.toy.inside == 0
