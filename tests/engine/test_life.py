"""Starting, stopping, crashing and telling how it goes."""

from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, FLOW_2, EngineRuntime
from tests.support.forms import long_form
from tests.support.toy_apps import flow

from patchbay.domain.base import FlowId
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState
from patchbay.engine.runs import runner
from patchbay.storage import executions


async def crash(runtime: EngineRuntime) -> None:
    """End the engine in the middle of a step, as a kill would leave the rows; then start anew."""
    await runtime.until(lambda: runtime.toy.inside == 1)
    await runtime.engine.stop(grace=0)
    runtime.toy.gate.set()
    runtime.new_engine()
    await runtime.engine.start()


async def test_stop_lets_the_running_step_finish_and_the_rest_continues_after_the_next_start(
    runtime: EngineRuntime,
):
    await runtime.publish(flow("hook", "slow", "echo"))
    await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)
    runtime.toy.gate.set()

    await runtime.engine.stop(grace=5)

    assert (await runtime.all())[0].state is ExecutionState.QUEUED
    runtime.new_engine()
    await runtime.engine.start()
    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["slow", ""]


async def test_an_interrupted_step_that_must_not_repeat_ends_the_run_and_says_what_to_do(
    runtime: EngineRuntime,
):
    await runtime.publish(flow("hook", "slow", "echo"))
    await runtime.post()

    await crash(runtime)

    seen = await runtime.one()
    assert seen.state is ExecutionState.FAILURE
    assert runtime.toy.calls == ["slow"]
    error = seen.step(1).error
    assert error["kind"] == "OutcomeUnknown"
    assert "may or may not have completed it" in error["meaning"]
    assert "retry from here" in error["todo"]
    stored = await runtime.shelf.db.read(lambda tx: executions.get_execution(tx, seen.id))
    assert stored.outcome_unknown
    assert len([step for step in seen.steps if step.seq == 1]) == 1


@pytest.mark.parametrize("action", ["slowRepeat", "slowWithKey"])
async def test_an_interrupted_step_that_may_repeat_is_repeated_with_the_same_key(
    runtime: EngineRuntime, action: str
):
    await runtime.publish(flow("hook", action, "echo"))
    await runtime.post()

    await crash(runtime)

    seen = await runtime.one()
    assert seen.state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["slow", "slow", ""]
    assert runtime.toy.keys[0] == runtime.toy.keys[1] == f"{seen.id}:1"


@long_form
async def test_what_was_queued_before_a_stop_runs_after_the_next_start(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    runtime.engine.pause()
    for _ in range(600):
        await runtime.post()
    await runtime.engine.stop()

    runtime.new_engine()
    await runtime.engine.start()

    seen = await runtime.until_all(600)
    assert {one.state for one in seen} == {ExecutionState.SUCCESS}
    assert len(runtime.toy.calls) == 600


async def test_a_delay_survives_a_restart(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "delay", "echo"))
    await runtime.post()
    await runtime.one(ExecutionState.WAITING)
    await runtime.engine.stop()
    runtime.clock.now += 60_000

    runtime.new_engine()
    await runtime.engine.start()

    assert (await runtime.one()).state is ExecutionState.SUCCESS


async def test_a_storage_that_refuses_for_a_while_loses_nothing(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runner, "STORAGE_RETRY_SECONDS", 0.01)
    await runtime.publish(flow("hook", "echo", "echo"))
    write = runtime.shelf.store.outcome
    refused: list[Any] = []

    async def refuse_twice(*given):
        if len(refused) < 2:
            refused.append(1)
            raise StorageFault("The disk is full.")
        return await write(*given)

    monkeypatch.setattr(runtime.shelf.store, "outcome", refuse_twice)

    await runtime.post()

    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["", ""]


async def test_health_counts_and_names_what_comes_next(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow"))
    await runtime.publish(flow("hook", "delay", "echo", flow_id="f2"))
    await runtime.publish(flow("hook", "bug", flow_id="f3"))
    await runtime.publish(flow("poll", "echo", flow_id="f4"))
    for name in (FLOW_1, FLOW_2, FlowId("f3")):
        await runtime.post(name)
    await runtime.until(lambda: runtime.toy.inside == 1)

    async def settled() -> bool:
        health = await runtime.engine.health()
        return (health.running, health.waiting, health.queued, health.failures_today) == (1, 1, 0, 1)

    await runtime.until_true(settled)
    health = await runtime.engine.health()
    assert health.state is EngineState.RUNNING
    assert (health.next_run_at, health.next_flow) == (runtime.clock.now + 15 * 60_000, "Flow f4")
    assert health.started_at == runtime.clock.now


async def test_start_and_stop_may_be_said_twice(runtime: EngineRuntime):
    await runtime.engine.start()
    await runtime.engine.stop()
    await runtime.engine.stop()

    assert (await runtime.engine.health()).state is EngineState.STOPPED
