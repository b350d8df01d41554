"""Starting, stopping, crashing and telling how it goes."""

import pytest
from tests.support.engine_house import House
from tests.support.toy_apps import flow

from patchbay.domain.engine import EngineState
from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState
from patchbay.engine.runs import runner
from patchbay.storage import executions


async def crash(house: House) -> None:
    """End the engine in the middle of a step, as a kill would leave the rows; then start anew."""
    await house.until(lambda: house.toy.inside == 1)
    await house.engine.stop(grace=0)
    house.toy.gate.set()
    house.new_engine()
    await house.engine.start()


async def test_stop_lets_the_running_step_finish_and_the_rest_goes_on_after_the_next_start(house: House):
    await house.publish(flow("hook", "slow", "echo"))
    await house.post()
    await house.until(lambda: house.toy.inside == 1)
    house.toy.gate.set()

    await house.engine.stop(grace=5)

    assert (await house.all())[0].state is ExecutionState.QUEUED
    house.new_engine()
    await house.engine.start()
    assert (await house.one()).state is ExecutionState.SUCCESS
    assert house.toy.calls == ["slow", ""]


async def test_an_interrupted_step_that_must_not_repeat_ends_the_run_and_says_what_to_do(house: House):
    await house.publish(flow("hook", "slow", "echo"))
    await house.post()

    await crash(house)

    seen = await house.one()
    assert seen.state is ExecutionState.FAILURE
    assert house.toy.calls == ["slow"]
    error = seen.step(1).error
    assert error["kind"] == "OutcomeUnknown"
    assert "unknown" in error["meaning"]
    assert "retry from here" in error["todo"]
    stored = await house.shelf.db.read(lambda tx: executions.get_execution(tx, seen.id))
    assert stored.outcome_unknown
    assert len([step for step in seen.steps if step.seq == 1]) == 1


@pytest.mark.parametrize("action", ["slowRepeat", "slowWithKey"])
async def test_an_interrupted_step_that_may_repeat_is_repeated_with_the_same_key(house: House, action: str):
    await house.publish(flow("hook", action, "echo"))
    await house.post()

    await crash(house)

    seen = await house.one()
    assert seen.state is ExecutionState.SUCCESS
    assert house.toy.calls == ["slow", "slow", ""]
    assert house.toy.keys[0] == house.toy.keys[1] == f"{seen.id}:1"


async def test_what_was_queued_before_a_stop_runs_after_the_next_start(house: House):
    await house.publish(flow("hook", "echo"))
    house.engine.pause()
    for _ in range(600):
        await house.post()
    await house.engine.stop()

    house.new_engine()
    await house.engine.start()

    seen = await house.until_all(600)
    assert {one.state for one in seen} == {ExecutionState.SUCCESS}
    assert len(house.toy.calls) == 600


async def test_a_delay_survives_a_restart(house: House):
    await house.publish(flow("hook", "delay", "echo"))
    await house.post()
    await house.one(ExecutionState.WAITING)
    await house.engine.stop()
    house.clock.now += 60_000

    house.new_engine()
    await house.engine.start()

    assert (await house.one()).state is ExecutionState.SUCCESS


async def test_a_storage_that_refuses_for_a_while_loses_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runner, "STORAGE_RETRY_SECONDS", 0.01)
    await house.publish(flow("hook", "echo", "echo"))
    write, refused = house.shelf.store.outcome, []

    async def refuse_twice(*given):
        if len(refused) < 2:
            refused.append(1)
            raise StorageFault("The disk is full.")
        return await write(*given)

    monkeypatch.setattr(house.shelf.store, "outcome", refuse_twice)

    await house.post()

    assert (await house.one()).state is ExecutionState.SUCCESS
    assert house.toy.calls == ["", ""]


async def test_health_counts_and_names_what_comes_next(house: House):
    await house.publish(flow("hook", "slow"))
    await house.publish(flow("hook", "delay", "echo", flow_id="f2"))
    await house.publish(flow("hook", "bug", flow_id="f3"))
    await house.publish(flow("poll", "echo", flow_id="f4"))
    for name in ("f1", "f2", "f3"):
        await house.post(name)
    await house.until(lambda: house.toy.inside == 1)

    async def settled() -> bool:
        health = await house.engine.health()
        return (health.running, health.waiting, health.queued, health.failures_today) == (1, 1, 0, 1)

    await house.until_true(settled)
    health = await house.engine.health()
    assert health.state is EngineState.RUNNING
    assert (health.next_run_at, health.next_flow) == (house.clock.now + 15 * 60_000, "Flow f4")
    assert health.started_at == house.clock.now


async def test_start_and_stop_may_be_said_twice(house: House):
    await house.engine.start()
    await house.engine.stop()
    await house.engine.stop()

    assert (await house.engine.health()).state is EngineState.STOPPED
