"""What people do to a run in the very moment in which it moves, and how retries find their place."""

import asyncio
from dataclasses import replace

import pytest
from tests.engine.test_structure import with_loop, with_paths
from tests.support.engine_runtime import FLOW_2, EngineRuntime
from tests.support.toy_apps import flow, late

from patchbay.domain.errors import Conflict
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flow_calls import ANY_FLOW
from patchbay.engine.runs import run_effects
from patchbay.engine.runs.runner import StepRunner
from patchbay.integration.context import Context

SUCCESS, CANCELLED = ExecutionState.SUCCESS, ExecutionState.CANCELLED


async def test_a_run_that_goes_to_sleep_while_it_is_cancelled_is_cancelled(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    await runtime.publish(flow("hook", "slow", "delay", "echo"))
    await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)
    look = runtime.shelf.store.cancel

    async def cancel_and_fall_asleep(*given):
        seen = await look(*given)
        runtime.toy.gate.set()
        if seen.running:
            await runtime.one(ExecutionState.WAITING)
        return seen

    monkeypatch.setattr(runtime.shelf.store, "cancel", cancel_and_fall_asleep)

    await runtime.engine.cancel((await runtime.all())[0].id)

    assert (await runtime.all())[0].state is CANCELLED


async def test_a_run_whose_step_needs_a_while_to_stop_may_be_cancelled_twice(runtime: EngineRuntime):
    stopping = asyncio.Event()

    async def linger(ctx: Context) -> None:
        runtime.toy.inside += 1
        try:
            await asyncio.Event().wait()
        finally:
            stopping.set()
            await runtime.toy.gate.wait()

    actions = [replace(one, run=linger) if one.key == "slow" else one for one in runtime.toy.app.actions]
    runtime.toy.app = replace(runtime.toy.app, actions=tuple(actions))
    await runtime.publish(flow("hook", "slow"))
    await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)
    key = (await runtime.all())[0].id

    first = asyncio.create_task(runtime.engine.cancel(key))
    await stopping.wait()
    second = asyncio.create_task(runtime.engine.cancel(key))
    await runtime.settle()
    runtime.toy.gate.set()
    await asyncio.gather(first, second)

    assert (await runtime.one()).state is CANCELLED
    with pytest.raises(Conflict):
        await runtime.engine.cancel(key)


async def test_a_step_that_turns_its_being_cut_off_into_an_error_is_cancelled_all_the_same(
    runtime: EngineRuntime,
):
    async def tells(ctx: Context) -> None:
        runtime.toy.inside += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise late() from None

    actions = [replace(one, run=tells) if one.key == "slow" else one for one in runtime.toy.app.actions]
    runtime.toy.app = replace(runtime.toy.app, actions=tuple(actions))
    await runtime.publish(flow("hook", "slow", policy={"attempts": 5}))
    await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)

    await runtime.engine.cancel((await runtime.all())[0].id)

    seen = await runtime.one()
    assert (seen.state, seen.note) == (CANCELLED, "Cancelled.")


async def test_a_retry_begins_at_the_failure_and_not_at_an_item_that_was_filtered_out(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    item = "{{step.f1-1.item}}"
    await runtime.publish(
        with_loop(("filter", {"pass": item}), ("slowRepeat", {"say": item}), "refuse", continue_on_error=True)
    )
    runtime.toy.gate.set()
    await runtime.post(body={"list": ["no", "yes", "no"]})
    failed = await runtime.one()
    runtime.toy.refusal = None

    await runtime.engine.retry(failed.id)

    assert (await runtime.until_all(2))[1].state is SUCCESS
    assert runtime.toy.calls == ["slow yes", "refuse", "3", "refuse", "3"]


async def test_a_retry_begins_at_the_first_failure_that_was_passed_over_also_when_the_last_step_failed(
    runtime: EngineRuntime,
):
    runtime.toy.refusal = late()
    await runtime.publish(flow("hook", "refuse", "refuse", continue_on_error=True))
    await runtime.post()
    failed = await runtime.one()
    runtime.toy.refusal = None

    await runtime.engine.retry(failed.id)

    assert (await runtime.until_all(2))[1].state is SUCCESS


async def test_a_retry_that_goes_another_way_gives_no_step_the_key_of_another_one(runtime: EngineRuntime):
    runtime.toy.refusal = late()
    item = {"say": "{{step.f1-1.item}}"}
    await runtime.publish(with_loop("refuse", ("slowWithKey", item), continue_on_error=True))
    runtime.toy.gate.set()
    await runtime.post(body={"list": ["a", "b"]})
    failed = await runtime.one()
    runtime.toy.refusal = None

    await runtime.engine.retry(failed.id)
    await runtime.until_all(2)

    keys = {key for execution_id, key in runtime.toy.made}
    assert keys == {f"{failed.id}:{place}" for place in ("2.0", "2.1", "3.0", "3.1", "4")}


async def test_a_finished_run_does_not_say_what_it_waited_for(runtime: EngineRuntime):
    await runtime.publish(flow("called", "echo", flow_id="f2"))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))

    await runtime.post()

    assert [one.note for one in await runtime.until_all(2)] == [None, None]


async def test_a_webhook_that_cannot_be_read_runs_the_flow_that_receives_failures(
    runtime: EngineRuntime,
):
    runtime.toy.refusal = late()
    await runtime.publish(flow("flowFailed", "echo", flow_id="f2", parameters={"flow": ANY_FLOW}))
    await runtime.publish(flow("brokenHook", "echo"))
    await runtime.settle()

    await runtime.post()

    broken, told = await runtime.until_all(2)
    item = told.step(0).data_out
    assert isinstance(item, dict)
    assert item["execution"]["id"] == broken.id
    assert "did not answer" in str(item["error"])


async def test_a_flow_that_calls_itself_without_waiting_is_stopped_too(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_effects, "MAX_CALL_DEPTH", 30)
    await runtime.publish(flow("called", ("callFlow", {"flow": "f1", "wait": False})))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f1", "wait": False}), flow_id="f2"))

    await runtime.post(FLOW_2)

    seen = await runtime.until_all(31)
    assert [one.state for one in seen] == [SUCCESS] * 30 + [ExecutionState.FAILURE]
    assert "chain of calls" in str(seen[-1].note)


async def test_a_synchronous_caller_is_answered_after_the_flow_that_was_called(runtime: EngineRuntime):
    await runtime.publish(flow("called", "echo", ("answer", {"value": "hello"}), flow_id="f2"))
    print_message = ("respond", {"body": "{{step.f1-1.answer}}"})
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f2"}), print_message))

    answer = await runtime.post(synchronous=True)

    assert (answer.status, answer.body) == (201, "hello")


@pytest.mark.parametrize(
    "made", [flow("hook", "echo"), with_loop("echo"), with_paths()], ids=["action", "loop", "branches"]
)
async def test_a_step_before_which_the_run_was_cancelled_says_that_nothing_was_called(
    runtime: EngineRuntime, monkeypatch, made
):
    begin = StepRunner.begin

    async def begin_and_cancel(steps, active_run):
        prepared = await begin(steps, active_run)
        steps.cancel(active_run.run.id)
        return prepared

    monkeypatch.setattr(StepRunner, "begin", begin_and_cancel)
    await runtime.publish(made)
    await runtime.post(body={"list": [1, 2], "kind": "gold"})

    seen = await runtime.one()
    assert (seen.state, seen.note) == (CANCELLED, "Cancelled.")
    assert [step.status for step in seen.steps] == [StepState.SUCCESS, StepState.CANCELLED]
    assert "Nothing was called." in str(seen.step(1).error)
    assert "may or may not" not in str(seen.step(1).error)
    assert runtime.toy.calls == []


async def test_a_run_cancelled_while_it_waits_for_a_rate_limit_says_that_nothing_was_called(
    runtime: EngineRuntime, monkeypatch
):
    runner = runtime.engine._components.runner

    async def acquire(connection_id, app_key, execution_id, key):
        runner.interrupt(execution_id)
        return 0.01

    monkeypatch.setattr(runner._steps._limits, "acquire", acquire)
    await runtime.publish(flow("hook", "echo"))
    await runtime.post()

    seen = await runtime.one()
    assert seen.state is CANCELLED
    assert "Nothing was called." in str(seen.step(1).error)
