"""Polling triggers: what is new runs once, oldest first."""

from tests.support.engine_house import House
from tests.support.toy_apps import flow, late, too_many

from patchbay.domain.executions import ExecutionState

QUARTER = 15 * 60_000


def texts(house: House) -> list[str]:
    return [call for call in house.toy.calls if call != "poll"]


ECHO = ("echo", {"say": "{{step.f1-0.text}}"})


async def test_publishing_records_what_is_there_and_runs_nothing(house: House):
    house.toy.items = [("2", "two"), ("1", "one")]

    await house.publish(flow("poll", ECHO))
    await house.settle()

    await house.pass_time(QUARTER)
    await house.until(lambda: house.toy.calls.count("poll") == 2)
    await house.settle()
    assert await house.all() == []


async def test_new_items_run_oldest_first_one_execution_each(house: House):
    house.toy.items = [("1", "one")]
    await house.publish(flow("poll", ECHO))
    await house.settle()
    house.toy.items = [("4", "four"), ("3", "three"), ("2", "two"), ("1", "one")]

    await house.pass_time(QUARTER)

    seen = await house.until_all(3)
    assert [one.step(0).data_out["text"] for one in seen] == ["two", "three", "four"]
    assert sorted(texts(house)) == ["four", "three", "two"]


async def test_an_item_never_runs_twice_even_when_it_moves_on_the_page(house: House):
    await house.publish(flow("poll", ECHO))
    await house.settle()
    house.toy.items = [("1", "one")]
    await house.pass_time(QUARTER)
    await house.until_all(1)
    house.toy.items = [("2", "two"), ("1", "one")]
    await house.pass_time(QUARTER)
    await house.until_all(2)
    house.toy.items = [("3", "three"), ("1", "one"), ("2", "two")]

    await house.pass_time(QUARTER)

    await house.until_all(3)
    assert texts(house) == ["one", "two", "three"]


async def test_without_baseline_the_first_poll_records_it(house: House):
    house.toy.items = [("1", "one")]
    await house.publish(flow("poll", ECHO), baseline=False)
    await house.settle()

    await house.pass_time(QUARTER)

    await house.until(lambda: house.toy.calls.count("poll") == 1)
    await house.settle()
    assert await house.all() == []
    house.toy.items = [("2", "two"), ("1", "one")]
    await house.pass_time(QUARTER)
    assert (await house.one()).state is ExecutionState.SUCCESS


async def test_a_streak_of_failing_polls_makes_one_failed_execution(house: House):
    await house.publish(flow("poll", ECHO))
    await house.settle()
    house.toy.refusal = late()
    for times in (2, 3, 4):
        await house.pass_time(QUARTER)
        await house.until(lambda times=times: house.toy.calls.count("poll") == times)
        await house.settle()

    failed = await house.one()

    assert failed.state is ExecutionState.FAILURE
    assert failed.note == "Toy did not answer within 30 seconds."
    assert failed.step(0).error["kind"] == "TimedOut"


async def test_a_poll_that_works_again_takes_what_came_meanwhile_and_the_next_failure_is_told(house: House):
    await house.publish(flow("poll", ECHO))
    await house.settle()
    house.toy.refusal = late()
    await house.pass_time(QUARTER)
    await house.until_all(1)
    house.toy.refusal, house.toy.items = None, [("1", "one")]
    await house.pass_time(QUARTER)
    await house.until_all(2)
    house.toy.refusal = late()

    await house.pass_time(QUARTER)

    states = [seen.state.value for seen in await house.until_all(3)]
    assert states == ["failure", "success", "failure"]


async def test_a_poll_that_is_asked_to_wait_waits_and_makes_no_execution(house: House):
    await house.publish(flow("poll", ECHO), interval=1)
    await house.settle()
    house.toy.refusal = too_many(600)
    await house.pass_time(60_000)
    await house.until(lambda: house.toy.calls.count("poll") == 2)
    await house.settle()

    await house.pass_time(60_000)

    await house.settle()
    assert house.toy.calls.count("poll") == 2
    assert await house.all() == []
    assert (await house.shelf.trigger("f1")).next_due_at == house.clock.now + 540_000


async def test_a_restart_keeps_the_place_and_the_time(house: House):
    house.toy.items = [("1", "one")]
    await house.publish(flow("poll", ECHO))
    await house.settle()
    await house.engine.stop()
    house.toy.items = [("2", "two"), ("1", "one")]
    house.clock.now += 3 * QUARTER

    house.new_engine()
    await house.engine.start()

    assert (await house.one()).step(0).data_out == {"text": "two"}


async def test_a_shorter_interval_counts_at_once(house: House):
    version = flow("poll", ECHO)
    await house.publish(version, interval=60)
    await house.settle()

    await house.shelf.unpublish("f1")
    await house.publish(version.model_copy(update={"number": 2}), interval=1)
    await house.settle()

    assert (await house.shelf.trigger("f1")).next_due_at == house.clock.now + 60_000


async def test_polls_of_an_unpublished_flow_stop(house: House):
    await house.publish(flow("poll", ECHO))
    await house.settle()
    await house.shelf.unpublish("f1")

    await house.pass_time(QUARTER)

    await house.settle()
    assert house.toy.calls == ["poll"]


async def test_a_mark_starts_nothing_and_comes_back_as_known(house: House):
    house.toy.mark = "up-to-7"
    await house.publish(flow("poll", ECHO))
    await house.settle()
    house.toy.items, house.toy.mark = [("9", "nine")], "up-to-9"

    await house.pass_time(QUARTER)
    await house.until_all(1)
    await house.pass_time(QUARTER)
    await house.until(lambda: house.toy.calls.count("poll") == 3)

    assert texts(house) == ["nine"]
    assert house.toy.known == {"up-to-7", "up-to-9", "9"}
