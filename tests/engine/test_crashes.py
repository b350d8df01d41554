"""A step that was running both times when the program died isn't run a third time; others are."""

import asyncio

from tests.support.engine_runtime import FLOW_2, EngineRuntime
from tests.support.patience import PATIENCE
from tests.support.toy_apps import flow

from patchbay.domain.base import EpochMs
from patchbay.domain.executions import ExecutionState


async def die(runtime: EngineRuntime) -> None:
    """End the engine as a kill does, which leaves what runs as it is. Then start anew."""
    store, release = runtime.shelf.store, runtime.shelf.store.release

    async def not_released(now: EpochMs) -> int:
        return 0

    store.release = not_released  # type: ignore[method-assign]
    await runtime.engine.stop(grace=0)
    store.release = release  # type: ignore[method-assign]
    runtime.toy.inside = runtime.toy.most_inside = 0
    runtime.new_engine()
    await runtime.engine.start()


async def inside(runtime: EngineRuntime, count: int = 1) -> None:
    await runtime.until(lambda: runtime.toy.inside == count)


async def test_a_step_that_was_running_at_two_deaths_fails_with_words_and_can_be_retried(
    runtime: EngineRuntime,
):
    await runtime.publish(flow("hook", "slowRepeat", "echo"))
    await runtime.post()
    for _ in range(2):
        await inside(runtime)
        await die(runtime)

    seen = await runtime.one()

    assert seen.state is ExecutionState.FAILURE
    assert runtime.toy.calls == ["slow", "slow"]
    error = seen.step(1).error
    assert error["kind"] == "StoppedTwice"
    assert "stopped unexpectedly twice while running" in error["happened"]
    assert seen.note == error["happened"]
    assert error["meaning"]
    assert "retry" in error["todo"]
    runtime.toy.gate.set()
    again = await runtime.engine.retry(seen.id)
    retried = next(one for one in await runtime.until_all(2) if one.id == again)
    assert retried.state is ExecutionState.SUCCESS


async def test_orderly_restarts_never_count(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slowRepeat"))
    await runtime.post()
    for _ in range(3):
        await inside(runtime)
        await runtime.engine.stop(grace=0)
        runtime.toy.inside = 0
        runtime.new_engine()
        await runtime.engine.start()
    await inside(runtime)
    runtime.toy.gate.set()

    assert (await runtime.one()).state is ExecutionState.SUCCESS


async def test_a_run_that_moved_on_between_two_deaths_is_not_blamed(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slowRepeat", "slowRepeat"))
    await runtime.post()
    await inside(runtime)
    await die(runtime)
    await inside(runtime)
    runtime.toy.gate.set()
    runtime.toy.gate.clear()  # lets go on who waits now, and nobody who comes later
    await runtime.until(lambda: len(runtime.toy.calls) == 3)
    await inside(runtime)
    await die(runtime)
    await inside(runtime)
    runtime.toy.gate.set()

    assert (await runtime.one()).state is ExecutionState.SUCCESS


async def test_what_was_running_at_a_death_runs_one_at_a_time(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slowRepeat"))
    for _ in range(4):
        await runtime.post()
    await inside(runtime, 4)

    await die(runtime)
    await inside(runtime)
    await runtime.settle()

    assert runtime.toy.inside == 1
    runtime.toy.gate.set()
    seen = await runtime.until_all(4)
    assert {one.state for one in seen} == {ExecutionState.SUCCESS}


async def test_at_the_second_death_only_one_of_those_that_were_running_is_blamed(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slowRepeat"))
    for _ in range(4):
        await runtime.post()
    await inside(runtime, 4)
    await die(runtime)
    await inside(runtime)
    await die(runtime)
    runtime.toy.gate.set()

    states = [one.state for one in await runtime.until_all(4)]

    assert sorted(states) == sorted([ExecutionState.FAILURE, *[ExecutionState.SUCCESS] * 3])


async def test_new_events_do_not_wait_for_what_was_running_at_a_death(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slowRepeat"))
    await runtime.publish(flow("hook", "echo", flow_id="f2"))
    await runtime.post()
    await inside(runtime)
    await die(runtime)
    await inside(runtime)

    await runtime.post(FLOW_2)

    async with asyncio.timeout(PATIENCE):
        while not any(one.state is ExecutionState.SUCCESS for one in await runtime.all()):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    assert {one.step(0).step_id: one.state for one in await runtime.all()} == {
        "f1-0": ExecutionState.RUNNING,
        "f2-0": ExecutionState.SUCCESS,
    }
    runtime.toy.gate.set()
    assert {one.state for one in await runtime.until_all(2)} == {ExecutionState.SUCCESS}
