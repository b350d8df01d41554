"""Polling triggers: what is new runs once, oldest first."""

from functools import partial

from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow, late, too_many

from patchbay.domain.executions import ExecutionState

QUARTER = 15 * 60_000


def texts(runtime: EngineRuntime) -> list[str]:
    return [call for call in runtime.toy.calls if call != "poll"]


ECHO = ("echo", {"say": "{{step.f1-0.text}}"})


def polled(runtime: EngineRuntime, times: int) -> bool:
    return runtime.toy.calls.count("poll") == times


async def test_publishing_records_what_is_there_and_runs_nothing(runtime: EngineRuntime):
    runtime.toy.items = [("2", "two"), ("1", "one")]

    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()

    await runtime.pass_time(QUARTER)
    await runtime.until(lambda: runtime.toy.calls.count("poll") == 2)
    await runtime.settle()
    assert await runtime.all() == []


async def test_new_items_run_oldest_first_one_execution_each(runtime: EngineRuntime):
    runtime.toy.items = [("1", "one")]
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    runtime.toy.items = [("4", "four"), ("3", "three"), ("2", "two"), ("1", "one")]

    await runtime.pass_time(QUARTER)

    seen = await runtime.until_all(3)
    assert [one.step(0).data_out["text"] for one in seen] == ["two", "three", "four"]
    assert sorted(texts(runtime)) == ["four", "three", "two"]


async def test_an_item_never_runs_twice_even_when_it_moves_on_the_page(runtime: EngineRuntime):
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    runtime.toy.items = [("1", "one")]
    await runtime.pass_time(QUARTER)
    await runtime.until_all(1)
    runtime.toy.items = [("2", "two"), ("1", "one")]
    await runtime.pass_time(QUARTER)
    await runtime.until_all(2)
    runtime.toy.items = [("3", "three"), ("1", "one"), ("2", "two")]

    await runtime.pass_time(QUARTER)

    await runtime.until_all(3)
    assert texts(runtime) == ["one", "two", "three"]


async def test_without_baseline_the_first_poll_records_it(runtime: EngineRuntime):
    runtime.toy.items = [("1", "one")]
    await runtime.publish(flow("poll", ECHO), baseline=False)
    await runtime.settle()

    await runtime.pass_time(QUARTER)

    await runtime.until(lambda: runtime.toy.calls.count("poll") == 1)
    await runtime.settle()
    assert await runtime.all() == []
    runtime.toy.items = [("2", "two"), ("1", "one")]
    await runtime.pass_time(QUARTER)
    assert (await runtime.one()).state is ExecutionState.SUCCESS


async def test_a_streak_of_failing_polls_makes_one_failed_execution(runtime: EngineRuntime):
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    runtime.toy.refusal = late()
    for times in (2, 3, 4):
        await runtime.pass_time(QUARTER)
        await runtime.until(partial(polled, runtime, times))
        await runtime.settle()

    failed = await runtime.one()

    assert failed.state is ExecutionState.FAILURE
    assert failed.note == "Toy did not answer within 30 seconds."
    assert failed.step(0).error["kind"] == "TimedOut"


async def test_a_poll_that_works_again_takes_what_came_meanwhile_and_the_next_failure_is_reported(
    runtime: EngineRuntime,
):
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    runtime.toy.refusal = late()
    await runtime.pass_time(QUARTER)
    await runtime.until_all(1)
    runtime.toy.refusal, runtime.toy.items = None, [("1", "one")]
    await runtime.pass_time(QUARTER)
    await runtime.until_all(2)
    runtime.toy.refusal = late()

    await runtime.pass_time(QUARTER)

    states = [seen.state.value for seen in await runtime.until_all(3)]
    assert states == ["failure", "success", "failure"]


async def test_a_poll_that_is_asked_to_wait_waits_and_makes_no_execution(runtime: EngineRuntime):
    await runtime.publish(flow("poll", ECHO), interval=1)
    await runtime.settle()
    runtime.toy.refusal = too_many(600)
    await runtime.pass_time(60_000)
    await runtime.until(lambda: runtime.toy.calls.count("poll") == 2)
    await runtime.settle()

    await runtime.pass_time(60_000)

    await runtime.settle()
    assert runtime.toy.calls.count("poll") == 2
    assert await runtime.all() == []
    await runtime.until_due(FLOW_1, runtime.clock.now + 540_000)


async def test_a_restart_keeps_the_place_and_the_time(runtime: EngineRuntime):
    runtime.toy.items = [("1", "one")]
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    await runtime.engine.stop()
    runtime.toy.items = [("2", "two"), ("1", "one")]
    runtime.clock.now += 3 * QUARTER

    runtime.new_engine()
    await runtime.engine.start()

    assert (await runtime.one()).step(0).data_out == {"text": "two"}


async def test_a_shorter_interval_counts_at_once(runtime: EngineRuntime):
    version = flow("poll", ECHO)
    await runtime.publish(version, interval=60)
    await runtime.settle()

    await runtime.shelf.unpublish(FLOW_1)
    await runtime.publish(version.model_copy(update={"number": 2}), interval=1)

    await runtime.until_due(FLOW_1, runtime.clock.now + 60_000)


async def test_polls_of_an_unpublished_flow_stop(runtime: EngineRuntime):
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    await runtime.shelf.unpublish(FLOW_1)

    await runtime.pass_time(QUARTER)

    await runtime.settle()
    assert runtime.toy.calls == ["poll"]


async def test_a_mark_starts_nothing_and_comes_back_as_known(runtime: EngineRuntime):
    runtime.toy.mark = "up-to-7"
    await runtime.publish(flow("poll", ECHO))
    await runtime.settle()
    runtime.toy.items, runtime.toy.mark = [("9", "nine")], "up-to-9"

    await runtime.pass_time(QUARTER)
    await runtime.until_all(1)
    await runtime.pass_time(QUARTER)
    await runtime.until(lambda: runtime.toy.calls.count("poll") == 3)

    assert texts(runtime) == ["nine"]
    assert runtime.toy.known == {"up-to-7", "up-to-9", "9"}
