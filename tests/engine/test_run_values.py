"""What `{{execution.id}}`, `{{flow.id}}`, and `{{now}}` insert into steps, branches, loops, and tests."""

from datetime import datetime
from zoneinfo import ZoneInfo

from tests.support.engine_runtime import FLOW_1, NOON, EngineRuntime
from tests.support.toy_apps import flow, tree

from patchbay.domain.base import StepId
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import StructuralType

ALL = "{{execution.id}} {{flow.id}} {{now}}"
ECHO = ("echo", {"text": ALL})


def iso(at: int, zone: str) -> str:
    return datetime.fromtimestamp(at / 1000, ZoneInfo(zone)).isoformat(timespec="seconds")


async def test_a_step_gets_the_ids_and_the_time_when_it_started(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ECHO))

    await runtime.post()
    seen = await runtime.one()

    assert seen.step(1).data_in["text"] == f"{seen.id} {FLOW_1} {iso(NOON, 'Europe/Berlin')}"
    assert list(seen.step(1).warnings) == []


async def test_the_time_is_in_the_zone_of_the_flow(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ECHO))
    await runtime.set(time_zone="Asia/Kolkata")

    await runtime.post()

    assert (await runtime.one()).step(1).data_in["text"].endswith(iso(NOON, "Asia/Kolkata"))


async def test_after_a_delay_it_is_later_and_the_ids_are_the_same(runtime: EngineRuntime):
    await runtime.publish(flow("hook", ECHO, "delay", ECHO))
    await runtime.post()
    await runtime.one(ExecutionState.WAITING)

    await runtime.pass_time(3_600_000)
    seen = await runtime.one()

    first, last = (seen.step(seq).data_in["text"].split() for seq in (1, 3))
    assert first[:2] == last[:2] == [seen.id, FLOW_1]
    assert (first[2], last[2]) == (iso(NOON, "Europe/Berlin"), iso(NOON + 3_600_000, "Europe/Berlin"))


async def test_a_retry_has_its_own_id(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "refuse", ECHO, continue_on_error=False))
    runtime.toy.refusal = ValueError("no")
    await runtime.post()
    failed = await runtime.one()
    runtime.toy.refusal = None

    again = await runtime.engine.retry(failed.id)
    retried = next(one for one in await runtime.until_all(2) if one.id == again)

    assert retried.step(2).data_in["text"].startswith(f"{again} ")


async def test_branches_and_loops_can_use_them(runtime: EngineRuntime):
    condition = {"key": "{{flow.id}}", "operator": "equal", "value": FLOW_1}
    branching = tree(
        flow("hook", "echo", "echo", ECHO),
        (1, StructuralType.PATHS, None, {}),
        (2, StructuralType.BRANCH, 1, {"branch_conditions": ({"and": [condition]},)}),
        (3, StructuralType.SINGLE, 2, {}),
    )
    await runtime.publish(branching)
    await runtime.post()
    taken = await runtime.one()
    looping = tree(
        flow("hook", "echo", ECHO, flow_id="f2"),
        (1, StructuralType.EACH, None, {"parameters": {"list": '["{{execution.id}}"]'}}),
        (2, StructuralType.SINGLE, 1, {}),
    )
    await runtime.publish(looping)
    await runtime.post(looping.flow_id)
    looped = next(one for one in await runtime.until_all(2) if one.id != taken.id)

    assert taken.step(1).data_out["taken"] == ["f1-2"]
    assert taken.step(2).data_in["text"].startswith(f"{taken.id} {FLOW_1} ")
    assert looped.step(1).data_out["items"] == [looped.id]


async def test_a_test_of_a_step_and_of_a_draft_has_them_too(runtime: EngineRuntime):
    draft = flow("hook", ECHO, number=0)
    await runtime.shelf.draft(draft)
    await runtime.set(time_zone="Asia/Kolkata")

    execution_id, outcome = await runtime.engine.test_step(draft, StepId("f1-1"), {})
    whole = await runtime.engine.run_now(FLOW_1, {"a": 1})

    expected = f"{FLOW_1} {iso(NOON, 'Asia/Kolkata')}"
    assert outcome.data_in == {"text": f"{execution_id} {expected}"}
    seen = next(one for one in await runtime.all() if one.id == whole)
    assert seen.step(1).data_in["text"] == f"{whole} {expected}"
