"""Nothing that could go on is left lying, in whatever awkward moment it becomes due."""

import asyncio
from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.patience import PATIENCE
from tests.support.toy_apps import flow, wrong_key

from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import PayloadTooLarge, StorageFault
from patchbay.domain.executions import ExecutionState
from patchbay.engine.dispatcher import MAX_QUEUED, Dispatcher, PublishedFlowSettings
from patchbay.engine.runs import runner
from patchbay.engine.runs.active_run import ActiveRun
from patchbay.engine.runs.run_effects import RunEffects
from patchbay.engine.timer import Timer

SUCCESS, FAILURE = ExecutionState.SUCCESS, ExecutionState.FAILURE


async def test_a_time_asked_for_during_a_look_is_not_forgotten_by_what_the_look_finds():
    looks: list[int] = []
    thrice = asyncio.Event()

    async def tick(now: int) -> int | None:
        looks.append(now)
        if len(looks) == 1:
            return 1
        if len(looks) == 2:
            timer.wake_by(2)
        else:
            thrice.set()
        return None

    timer = Timer(lambda: 0, tick)
    timer.start()
    await asyncio.wait_for(thrice.wait(), PATIENCE)
    await timer.stop()

    assert len(looks) == 3


async def test_flows_with_the_most_ids_here_are_left_out_until_theirs_are_worked_off():
    gate, drained = asyncio.Event(), asyncio.Event()

    async def run(execution_id: str) -> None:
        await gate.wait()

    dispatcher = Dispatcher(run, drained.set, PublishedFlowSettings(), limit=1)
    for number in range(MAX_QUEUED):
        dispatcher.submit(ExecutionId(f"a{number}"), FlowId("a" if number % 2 else "b"))
    dispatcher.submit(ExecutionId("c1"), FlowId("c"))

    assert dispatcher.exclude_full_flows() == {"a", "b"}
    gate.set()
    dispatcher.open()
    await asyncio.wait_for(drained.wait(), PATIENCE)

    assert dispatcher.exclude_full_flows() == set()
    await dispatcher.stop(0)


async def test_flows_that_run_one_at_a_time_hold_up_no_other_however_long_their_queues(
    runtime: EngineRuntime,
):
    runtime.engine.pause()
    await runtime.publish(flow("hook", "delay", ("echo", {"say": "awake"}), flow_id="late"))
    busy = [FlowId(f"busy-{number}") for number in range(3)]
    for name in busy:
        await runtime.publish(flow("hook", "slow", flow_id=name))
        await runtime.set(name, max_concurrent=1)
    runtime.engine.resume()
    await runtime.post(FlowId("late"))
    await runtime.one(ExecutionState.WAITING)
    for _ in range(200):
        await asyncio.gather(*(runtime.post(name) for name in busy))
    await runtime.until(lambda: runtime.toy.inside == 3)

    await runtime.pass_time(60_000)

    await runtime.until(lambda: "awake" in runtime.toy.calls)


async def test_more_runs_at_once_are_begun_as_soon_as_they_are_allowed(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow"))
    await runtime.set(max_concurrent=1)
    for _ in range(3):
        await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)

    await runtime.set(max_concurrent=2)

    await runtime.until(lambda: runtime.toy.inside == 2)
    await runtime.settle()
    assert runtime.toy.inside == 2


async def test_a_paused_flow_does_not_run_before_the_engine_knows_that_it_is_paused(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    await runtime.publish(flow("hook", "echo"))
    await runtime.shelf.pause_flow(FLOW_1, runtime.clock.now)
    await runtime.engine.stop()
    runtime.new_engine()
    read, posted = runtime.shelf.store.active_triggers, asyncio.Event()

    async def read_late():
        await posted.wait()
        return await read()

    monkeypatch.setattr(runtime.shelf.store, "active_triggers", read_late)

    await runtime.engine.start()
    await runtime.post()
    await runtime.settle()
    posted.set()
    await runtime.settle()

    assert (await runtime.all())[0].state is ExecutionState.QUEUED


@pytest.mark.parametrize("what", ["claim", "version", "is_caused_by_failure"])
async def test_a_storage_that_refuses_to_read_for_a_moment_leaves_no_run_as_if_it_still_went_on(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, what: str
):
    monkeypatch.setattr(runner, "STORAGE_RETRY_SECONDS", 0.005)
    name = {"version": "_get_version"}.get(what, what)
    runtime.toy.refusal = wrong_key()
    await runtime.publish(flow("hook", "refuse"))
    await runtime.post()
    await runtime.engine.retry((await runtime.one()).id)
    await runtime.until_all(2)
    ask = getattr(runtime.shelf.store, name)
    refused: list[Any] = []

    async def refuse_once(*given):
        if not refused:
            refused.append(1)
            raise StorageFault("The disk cannot be read.")
        return await ask(*given)

    monkeypatch.setattr(runtime.shelf.store, name, refuse_once)
    again = (await runtime.all())[1].id
    if what == "version":
        await runtime.post()
    else:
        monkeypatch.setattr(runtime.shelf.store, name, ask)
        runtime.toy.refusal = None
        runtime.engine.pause()
        again = await runtime.engine.retry(again)
        runtime.toy.refusal = wrong_key()
        monkeypatch.setattr(runtime.shelf.store, name, refuse_once)
        runtime.engine.resume()

    assert [one.state for one in await runtime.until_all(3)] == [FAILURE] * 3
    assert refused


@pytest.mark.parametrize("fault", [RuntimeError("a mistake"), PayloadTooLarge("Far too large.")])
async def test_a_mistake_in_the_engine_ends_the_run_and_tells_who_waits_for_it(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, fault: Exception
):
    await runtime.publish(flow("called", "echo", flow_id="f2"))
    await runtime.publish(flow("hook", ("callFlow", {"flow": "f2"}), "echo"))
    effects = RunEffects.end_effects

    async def break_called(self, active_run, last, then):
        if active_run.plan.flow_id == "f2":
            raise fault
        return await effects(self, active_run, last, then)

    monkeypatch.setattr(RunEffects, "end_effects", break_called)

    await runtime.post()

    caller, called = await runtime.until_all(2)
    assert (caller.state, called.state) == (FAILURE, FAILURE)
    assert "bug in Patchbay" in str(caller.note)


async def test_a_mistake_before_the_first_step_ends_the_run(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    def broken(run, plan):
        raise RuntimeError("a mistake")

    monkeypatch.setattr(ActiveRun, "begin", broken)
    await runtime.publish(flow("hook", "echo"))

    await runtime.post()

    assert (await runtime.one()).state is FAILURE


async def test_failures_while_nothing_was_counted_count_from_when_it_is(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "refuse"))
    await runtime.set(pause_after=3)
    await runtime.post()
    await runtime.one()
    runtime.toy.refusal = wrong_key()
    await runtime.set(pause_after=None)
    for _ in range(3):
        await runtime.post()
    await runtime.until_all(4)

    await runtime.set(pause_after=3)
    await runtime.post()

    await runtime.until(lambda: any(change.noun is ResourceType.FLOW for change in runtime.changes))
