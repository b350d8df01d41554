"""A step that was running both times when the program died isn't run a third time; others are."""

import asyncio

from tests.support.engine_house import House
from tests.support.patience import PATIENCE
from tests.support.toy_apps import flow

from patchbay.domain.base import EpochMs
from patchbay.domain.executions import ExecutionState


async def die(house: House) -> None:
    """End the engine as a kill does, which leaves what runs as it is. Then start anew."""
    store, release = house.shelf.store, house.shelf.store.release

    async def not_released(now: EpochMs) -> int:
        return 0

    store.release = not_released  # type: ignore[method-assign]
    await house.engine.stop(grace=0)
    store.release = release  # type: ignore[method-assign]
    house.toy.inside = house.toy.most_inside = 0
    house.new_engine()
    await house.engine.start()


async def inside(house: House, count: int = 1) -> None:
    await house.until(lambda: house.toy.inside == count)


async def test_a_step_that_was_running_at_two_deaths_fails_with_words_and_can_be_retried(house: House):
    await house.publish(flow("hook", "slowRepeat", "echo"))
    await house.post()
    for _ in range(2):
        await inside(house)
        await die(house)

    seen = await house.one()

    assert seen.state is ExecutionState.FAILURE
    assert house.toy.calls == ["slow", "slow"]
    error = seen.step(1).error
    assert error["kind"] == "StoppedTwice"
    assert "stopped unexpectedly twice while running" in error["happened"]
    assert error["meaning"]
    assert "retry" in error["todo"]
    house.toy.gate.set()
    again = await house.engine.retry(seen.id)
    retried = next(one for one in await house.until_all(2) if one.id == again)
    assert retried.state is ExecutionState.SUCCESS


async def test_orderly_restarts_never_count(house: House):
    await house.publish(flow("hook", "slowRepeat"))
    await house.post()
    for _ in range(3):
        await inside(house)
        await house.engine.stop(grace=0)
        house.toy.inside = 0
        house.new_engine()
        await house.engine.start()
    await inside(house)
    house.toy.gate.set()

    assert (await house.one()).state is ExecutionState.SUCCESS


async def test_a_run_that_moved_on_between_two_deaths_is_not_blamed(house: House):
    await house.publish(flow("hook", "slowRepeat", "slowRepeat"))
    await house.post()
    await inside(house)
    await die(house)
    await inside(house)
    house.toy.gate.set()
    house.toy.gate.clear()  # lets go on who waits now, and nobody who comes later
    await house.until(lambda: len(house.toy.calls) == 3)
    await inside(house)
    await die(house)
    await inside(house)
    house.toy.gate.set()

    assert (await house.one()).state is ExecutionState.SUCCESS


async def test_what_was_running_at_a_death_runs_one_at_a_time(house: House):
    await house.publish(flow("hook", "slowRepeat"))
    for _ in range(4):
        await house.post()
    await inside(house, 4)

    await die(house)
    await inside(house)
    await house.settle()

    assert house.toy.inside == 1
    house.toy.gate.set()
    seen = await house.until_all(4)
    assert {one.state for one in seen} == {ExecutionState.SUCCESS}


async def test_at_the_second_death_only_one_of_those_that_were_running_is_blamed(house: House):
    await house.publish(flow("hook", "slowRepeat"))
    for _ in range(4):
        await house.post()
    await inside(house, 4)
    await die(house)
    await inside(house)
    await die(house)
    house.toy.gate.set()

    states = [one.state for one in await house.until_all(4)]

    assert sorted(states) == sorted([ExecutionState.FAILURE, *[ExecutionState.SUCCESS] * 3])


async def test_new_events_do_not_wait_for_what_was_running_at_a_death(house: House):
    await house.publish(flow("hook", "slowRepeat"))
    await house.publish(flow("hook", "echo", flow_id="f2"))
    await house.post()
    await inside(house)
    await die(house)
    await inside(house)

    await house.post("f2")

    async with asyncio.timeout(PATIENCE):
        while not any(one.state is ExecutionState.SUCCESS for one in await house.all()):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    house.toy.gate.set()
    await house.until_all(2)
