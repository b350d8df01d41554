"""Many triggers share what there is: one timer, one loop, no threads of their own."""

import threading

from tests.support.engine_runtime import EngineRuntime
from tests.support.forms import long_form
from tests.support.toy_apps import flow

from patchbay.domain.base import FlowId

HOUR = 3_600_000


@long_form
async def test_fifty_triggers_cost_no_threads(runtime: EngineRuntime):
    await runtime.publish(flow("poll", "echo", flow_id="first"))
    await runtime.settle()
    before = {thread.name for thread in threading.enumerate()}

    for number in range(50):
        trigger = ("poll", "clock", "watched")[number % 3]
        await runtime.publish(flow(trigger, "echo", flow_id=f"f{number}"), interval=1)
    await runtime.until(lambda: runtime.toy.listening == 16)
    await runtime.pass_time(HOUR)
    await runtime.until(lambda: runtime.toy.calls.count("poll") >= 2 * 34)
    await runtime.until_all(17)

    grown = {thread.name for thread in threading.enumerate()} - before
    assert [name for name in grown if not name.startswith("patchbay-reader")] == []


async def test_fifty_schedules_of_one_moment_all_start(runtime: EngineRuntime):
    for number in range(50):
        await runtime.publish(flow("clock", "echo", flow_id=f"f{number}"))
    await runtime.settle()

    await runtime.pass_time(
        ((await runtime.shelf.trigger(FlowId("f49"))).next_due_at or 0) - runtime.clock.now
    )

    seen = await runtime.until_all(50)
    assert {one.note for one in seen} == {None}
