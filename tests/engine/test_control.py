"""What people do to a run, and what a run does to others."""

import pytest
from tests.support.engine_runtime import FLOW_1, FLOW_2, EngineRuntime, Seen
from tests.support.toy_apps import flow, late, wrong_key

from patchbay.domain.base import ExecutionId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.executions import ExecutionState, Origin, ReplayOn, StepState, WaitsFor
from patchbay.domain.flow_calls import ANY_FLOW

SUCCESS = ExecutionState.SUCCESS
FAILURE = ExecutionState.FAILURE
CANCELLED = ExecutionState.CANCELLED


# Cancel


async def test_a_run_that_waits_is_cancelled_at_once_and_never_wakes(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "delay", "echo"))
    await runtime.post()
    waiting = await runtime.one(ExecutionState.WAITING)

    await runtime.engine.cancel(waiting.id)
    await runtime.pass_time(120_000)
    await runtime.settle()

    assert (await runtime.one()).state is CANCELLED
    assert runtime.toy.calls == []


async def test_a_step_on_its_way_is_cut_off_and_its_outcome_called_unknown(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow", "echo"))
    await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)

    await runtime.engine.cancel((await runtime.all())[0].id)

    seen = await runtime.one()
    assert runtime.toy.inside == 0
    assert (seen.state, seen.note) == (CANCELLED, "Cancelled.")
    assert seen.step(1).status is StepState.CANCELLED
    assert seen.step(1).error is not None
    assert "may or may not have completed it" in str(seen.step(1).error)


async def test_cancelling_what_is_finished_or_unknown_is_rejected_with_a_clear_error(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    await runtime.post()
    seen = await runtime.one()

    with pytest.raises(Conflict, match="already finished"):
        await runtime.engine.cancel(seen.id)
    with pytest.raises(NotFound):
        await runtime.engine.cancel(ExecutionId("nobody"))


# Retry and replay


async def test_a_retry_continues_at_the_failed_step_in_a_new_execution_with_a_link(runtime: EngineRuntime):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", ("echo", {"say": "before"}), "refuse", ("echo", {"say": "after"})))
    await runtime.post(body={"n": 1})
    failed = await runtime.one()
    runtime.toy.refusal = None

    again = await runtime.engine.retry(failed.id)

    first, second = await runtime.until_all(2)
    assert second.state is SUCCESS
    assert runtime.toy.calls == ["before", "refuse", "refuse", "after"]
    assert first.state is FAILURE
    assert [step.data_out for step in second.steps[:2]] == [step.data_out for step in first.steps[:2]]
    told = await runtime.execution(again)
    assert (told.origin_id, told.origin_kind) == (failed.id, Origin.RETRY)


async def test_a_retried_step_keeps_the_idempotency_key_of_its_first_try(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slowWithKey", "bug"))
    runtime.toy.gate.set()
    await runtime.post()
    await runtime.engine.retry((await runtime.one()).id)
    await runtime.until_all(2)
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", "refuse", "slowWithKey", flow_id="f2"))
    await runtime.post(FLOW_2)
    third = (await runtime.until_all(3))[2]
    runtime.toy.refusal = None

    retried = await runtime.engine.retry(third.id)
    await runtime.until_all(4)

    assert runtime.toy.keys[-1] == f"{third.id}:2"
    assert retried != third.id


async def test_only_what_failed_is_retried(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    await runtime.post()

    with pytest.raises(Conflict, match="failed"):
        await runtime.engine.retry((await runtime.one()).id)


async def test_a_replay_runs_from_the_start_on_the_data_given_and_on_the_chosen_version(
    runtime: EngineRuntime,
):
    print_message = ("echo", {"say": "{{step.f1-0.body.n}}"})
    await runtime.publish(flow("hook", print_message))
    await runtime.post(body={"n": 1})
    first = await runtime.one()
    await runtime.publish(flow("hook", print_message, ("echo", {"say": "new"}), number=2))

    await runtime.engine.replay(first.id, None, ReplayOn.ORIGINAL)
    await runtime.until_all(2)
    await runtime.engine.replay(first.id, {"body": {"n": 7}}, ReplayOn.NEWEST)
    await runtime.until_all(3)

    assert runtime.toy.calls == ["1", "1", "7", "new"]


# Flows that call flows


async def test_a_flow_calls_another_waits_for_it_and_takes_its_answer(runtime: EngineRuntime):
    await runtime.publish(
        flow(
            "called",
            ("echo", {"say": "{{step.f2-0.n}}"}),
            ("answer", {"value": {"double": 14}}),
            flow_id="f2",
        )
    )
    call = ("callFlow", {"flow": "f2", "item": {"n": 7}})
    await runtime.publish(flow("hook", call, ("echo", {"say": "{{step.f1-1.answer.double}}"})))

    await runtime.post()

    caller, called = await runtime.until_all(2)
    assert (caller.state, called.state) == (SUCCESS, SUCCESS)
    assert runtime.toy.calls == ["7", "14"]
    assert caller.step(1).data_out == {"executionId": called.id, "answer": {"double": 14}}
    told = await runtime.execution(called.id)
    assert (told.origin_id, told.origin_kind) == (caller.id, Origin.CALL)


async def test_the_caller_waits_without_a_slot_also_over_a_restart(runtime: EngineRuntime):
    await runtime.publish(flow("called", "slowRepeat", flow_id="f2"))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f2"}), ("echo", {"say": "after"})))
    await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)
    caller = (await runtime.all())[0]
    assert (caller.state, caller.wake_at) == (ExecutionState.WAITING, None)
    assert (await runtime.execution(caller.id)).waits_for is WaitsFor.FLOW

    await runtime.engine.stop(grace=0)
    runtime.new_engine()
    runtime.toy.gate.set()
    await runtime.engine.start()

    assert [one.state for one in await runtime.until_all(2)] == [SUCCESS, SUCCESS]
    assert runtime.toy.calls[-1] == "after"


async def test_a_called_flow_that_fails_fails_the_step_that_called_it(runtime: EngineRuntime):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("called", "refuse", flow_id="f2"))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))

    await runtime.post()

    caller, _ = await runtime.until_all(2)
    assert caller.state is FAILURE
    assert "Toy returned “Invalid key” (401)." in str(caller.note)


async def test_cancelling_a_caller_cancels_what_it_called(runtime: EngineRuntime):
    await runtime.publish(flow("called", "delay", "echo", flow_id="f2"))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))
    await runtime.post()
    caller, _ = await runtime.until_all(2, ExecutionState.WAITING)

    await runtime.engine.cancel(caller.id)

    assert [one.state for one in await runtime.until_all(2)] == [CANCELLED, CANCELLED]


async def test_cancelling_a_called_flow_tells_its_caller(runtime: EngineRuntime):
    await runtime.publish(flow("called", "delay", "echo", flow_id="f2"))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))
    await runtime.post()
    _, called = await runtime.until_all(2, ExecutionState.WAITING)

    await runtime.engine.cancel(called.id)

    caller, _ = await runtime.until_all(2)
    assert caller.state is FAILURE
    assert "cancelled" in str(caller.note)


async def test_a_flow_that_calls_itself_without_end_is_stopped_with_a_clear_error(runtime: EngineRuntime):
    await runtime.publish(flow("called", ("callFlow", {"flow": "f1"})))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f1"}), flow_id="f2"))

    await runtime.post(FLOW_2)

    seen = await runtime.until_all(11)
    assert all(one.state is FAILURE for one in seen)
    assert "waiting for each other" in str(seen[-1].note)


# Failures that are handed on


async def test_a_failure_starts_the_flows_that_receive_it_once_and_theirs_start_nothing(
    runtime: EngineRuntime,
):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("flowFailed", "refuse", flow_id="f2", parameters={"flow": ANY_FLOW}))
    await runtime.publish(flow("flowFailed", "echo", flow_id="f3", parameters={"flow": "f1"}))
    await runtime.publish(flow("flowFailed", "echo", flow_id="f4", parameters={"flow": "other"}))
    await runtime.publish(flow("hook", "refuse"))

    await runtime.post()

    await runtime.until_all(3)
    await runtime.settle()
    failed, *handed = await runtime.until_all(3)
    item = handed[0].step(0).data_out
    assert isinstance(item, dict)
    assert item["flow"] == {"id": "f1", "name": "Flow f1"}
    assert item["step"] == {"position": 2, "name": "Toy · Refuse", "app": "Toy"}
    assert "Invalid key" in str(item["error"])
    assert (await runtime.execution(handed[0].id)).origin_id == failed.id


# Holding back


async def test_a_flow_that_only_fails_is_paused_keeps_its_events_and_continues_when_resumed(
    runtime: EngineRuntime,
):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", "refuse"))
    await runtime.set(pause_after=3)
    for count in range(1, 4):
        await runtime.post()
        await runtime.until_all(count)

    await runtime.until(lambda: any(change.noun is ResourceType.FLOW for change in runtime.changes))
    await runtime.settle()
    await runtime.post()
    await runtime.settle()
    assert (await runtime.all())[-1].state is ExecutionState.QUEUED

    runtime.toy.refusal = None
    await runtime.shelf.resume_flow(FLOW_1)
    runtime.engine.triggers_changed()
    assert (await runtime.until_all(4))[-1].state is SUCCESS


async def test_a_success_resets_the_count(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "refuse"))
    await runtime.set(pause_after=2)

    for refusal in (wrong_key(), None, wrong_key(), None):
        runtime.toy.refusal = refusal
        await runtime.post()
        await runtime.until_all(len(await runtime.all()))

    assert not any(change.noun is ResourceType.FLOW for change in runtime.changes)


async def test_a_flow_runs_as_many_at_once_as_it_may_and_others_are_not_held_up(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow"))
    await runtime.publish(flow("hook", ("echo", {"say": "other"}), flow_id="f2"))
    await runtime.set(max_concurrent=1)
    for _ in range(3):
        await runtime.post()

    await runtime.post(FLOW_2)
    await runtime.until(lambda: runtime.toy.calls == ["slow", "other"])
    runtime.toy.gate.set()
    await runtime.until_all(4)

    assert runtime.toy.most_inside == 1


# Tries


async def test_a_step_without_a_policy_is_tried_again_only_where_that_is_safe(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    await runtime.publish(flow("hook", "refuse"))
    await runtime.post()

    assert (await runtime.one()).state is FAILURE
    assert runtime.toy.calls == ["refuse"]


async def test_a_policy_says_how_often_and_the_pause_grows(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    policy = {"attempts": 3, "first_pause_seconds": 10}
    await runtime.publish(flow("hook", "refuse", "echo", policy=policy))
    await runtime.post()

    waits = []
    for _ in range(2):
        waiting = await _asleep(runtime)
        assert waiting.wake_at is not None
        waits.append((waiting.wake_at - runtime.clock.now) / 1000)
        assert (await runtime.execution(waiting.id)).waits_for is WaitsFor.RETRY
        await runtime.pass_time(waiting.wake_at - runtime.clock.now + 1)
    seen = await runtime.one()

    assert seen.state is FAILURE
    assert [step.attempt for step in seen.steps] == [1, 1, 2, 3]
    assert 8 <= waits[0] <= 12
    assert 16 <= waits[1] <= 24


async def _asleep(runtime: EngineRuntime) -> Seen:
    """The only execution, once it waits for a time to come."""

    async def asleep() -> bool:
        seen = (await runtime.all())[0]
        return seen.wake_at is not None and seen.wake_at > runtime.clock.now

    await runtime.until_true(asleep)
    return (await runtime.all())[0]


async def test_a_refusal_that_will_not_pass_is_not_tried_again(runtime: EngineRuntime):
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", "refuse", policy={"attempts": 5}))
    await runtime.post()

    assert (await runtime.one()).state is FAILURE
    assert runtime.toy.calls == ["refuse"]


async def test_a_step_that_takes_too_long_is_cut_off_with_a_clear_error(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow", policy={"timeout_seconds": 1}))
    await runtime.post()

    seen = await runtime.one()

    assert seen.note == "Toy · Slow timed out after 1 second."
    assert runtime.toy.inside == 0
