"""Many triggers share what there is: one timer, one loop, no threads of their own."""

import threading

from tests.support.engine_house import House
from tests.support.toy_apps import flow

HOUR = 3_600_000


async def test_fifty_triggers_cost_no_threads(house: House):
    await house.publish(flow("poll", "echo", flow_id="first"))
    await house.settle()
    before = {thread.name for thread in threading.enumerate()}

    for number in range(50):
        trigger = ("poll", "clock", "watched")[number % 3]
        await house.publish(flow(trigger, "echo", flow_id=f"f{number}"), interval=1)
    await house.until(lambda: house.toy.listening == 16)
    await house.pass_time(HOUR)
    await house.until(lambda: house.toy.calls.count("poll") >= 2 * 34)
    await house.until_all(17)

    grown = {thread.name for thread in threading.enumerate()} - before
    assert [name for name in grown if not name.startswith("patchbay-reader")] == []


async def test_fifty_schedules_of_one_moment_all_start(house: House):
    for number in range(50):
        await house.publish(flow("clock", "echo", flow_id=f"f{number}"))
    await house.settle()

    await house.pass_time(((await house.shelf.trigger("f49")).next_due_at or 0) - house.clock.now)

    seen = await house.until_all(50)
    assert {one.note for one in seen} == {None}
