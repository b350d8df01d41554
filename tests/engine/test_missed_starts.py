"""Starts that were missed: skipped, made up for once or each; and schedules in a zone of their own."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from tests.support.engine_runtime import FLOW_1, FLOW_2, EngineRuntime, Seen
from tests.support.toy_apps import flow

from patchbay.domain.base import FlowId, StepId
from patchbay.domain.engine_store import TriggerState
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowSettings, MissedStartPolicy
from patchbay.engine.cron import MAX_COUNTED, next_time
from patchbay.engine.triggers import schedules

BERLIN = ZoneInfo("Europe/Berlin")
MINUTE, HOUR = 60_000, 3_600_000


async def settle_on(
    runtime: EngineRuntime, missed: MissedStartPolicy, time_zone: str | None = None, flow_id: FlowId = FLOW_1
) -> None:
    await runtime.shelf.settle_flow(flow_id, FlowSettings(missed=missed, time_zone=time_zone))
    runtime.engine.triggers_changed()
    await runtime.settle()


async def off_for(runtime: EngineRuntime, ms: int) -> None:
    await runtime.engine.stop()
    runtime.clock.now += ms
    runtime.new_engine()
    await runtime.engine.start()


def last_hours(runtime: EngineRuntime, count: int) -> list[int]:
    newest = next_time("0 * * * *", runtime.clock.now - HOUR, BERLIN)
    return [newest - back * HOUR for back in reversed(range(count))]


def times(seen: list[Seen]) -> list[int]:
    return [one.step(0).data_out["at"] for one in seen]


async def test_skipping_leaves_one_cancelled_execution_that_says_so(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))
    await settle_on(runtime, MissedStartPolicy.SKIP)

    await off_for(runtime, 5 * HOUR + 7 * MINUTE)

    seen = await runtime.one()
    assert seen.state is ExecutionState.CANCELLED
    assert seen.note == "Skipped: 5 starts were missed while Patchbay wasn't running."
    assert times([seen]) == last_hours(runtime, 1)
    assert len(seen.steps) == 1
    assert runtime.toy.calls == []


async def test_after_skipping_the_next_start_is_on_time(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))
    await settle_on(runtime, MissedStartPolicy.SKIP)
    await off_for(runtime, 5 * HOUR + 7 * MINUTE)
    await runtime.one()

    await runtime.pass_time(next_time("0 * * * *", runtime.clock.now, BERLIN) - runtime.clock.now)

    newest = (await runtime.until_all(2))[1]
    assert (newest.state, newest.note) == (ExecutionState.SUCCESS, None)


async def test_all_that_were_missed_run_oldest_first_each_with_its_own_time(runtime: EngineRuntime):
    await runtime.publish(flow("clock", ("echo", {"say": "{{step.f1-0.at}}"})))
    await settle_on(runtime, MissedStartPolicy.ALL)

    await off_for(runtime, 5 * HOUR + 7 * MINUTE)

    seen = await runtime.until_all(5)
    assert times(seen) == last_hours(runtime, 5)
    assert {one.note for one in seen} == {"Started late: Patchbay wasn't running at the time."}
    assert sorted(runtime.toy.calls) == [str(at) for at in last_hours(runtime, 5)]


async def test_more_than_the_most_are_cut_and_the_last_tells(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(schedules, "MAX_CATCH_UP_RUNS", 3)
    await runtime.publish(flow("clock", "echo"))
    await settle_on(runtime, MissedStartPolicy.ALL)

    await off_for(runtime, 5 * HOUR + 7 * MINUTE)

    seen = await runtime.until_all(3)
    assert times(seen) == last_hours(runtime, 3)
    assert seen[2].note == (
        "Started late: Patchbay wasn't running at the time. "
        "2 earlier starts were skipped: at most 3 missed starts are run."
    )


@pytest.mark.parametrize(
    "most", [60, pytest.param(schedules.MAX_CATCH_UP_RUNS, marks=pytest.mark.acceptance)], ids=["60", "all"]
)
async def test_as_many_missed_starts_as_are_allowed_all_run(
    runtime: EngineRuntime, monkeypatch: pytest.MonkeyPatch, most: int
):
    monkeypatch.setattr(schedules, "MAX_CATCH_UP_RUNS", most)
    await runtime.publish(flow("clock", parameters={"cron": "* * * * *"}))
    await settle_on(runtime, MissedStartPolicy.ALL)

    await off_for(runtime, 30 * 24 * HOUR)

    await runtime.until_all(most + 1)
    seen = await runtime.all()
    made_up = sorted(times(seen))[:-1]
    assert made_up == list(range(made_up[0], made_up[0] + most * MINUTE, MINUTE))
    told = [one.note for one in seen if one.note and "skipped" in one.note]
    assert told == [
        "Started late: Patchbay wasn't running at the time. "
        f"At least {MAX_COUNTED - most:,} earlier starts were skipped: "
        f"at most {most:,} missed starts are run."
    ]


@pytest.mark.parametrize("missed", list(MissedStartPolicy))
async def test_a_start_that_is_on_time_runs_whatever_becomes_of_those_before(
    runtime: EngineRuntime, missed: MissedStartPolicy
):
    await runtime.publish(flow("clock", "echo"))
    await settle_on(runtime, missed)
    first = next_time("0 * * * *", runtime.clock.now, BERLIN)

    await off_for(runtime, first + 2 * HOUR + 20_000 - runtime.clock.now)

    count = {MissedStartPolicy.SKIP: 2, MissedStartPolicy.ONCE: 1, MissedStartPolicy.ALL: 3}[missed]
    newest = max(await runtime.until_all(count), key=lambda one: one.step(0).data_out["at"])
    assert newest.state is ExecutionState.SUCCESS
    assert times([newest]) == [first + 2 * HOUR]
    assert newest.note == (
        "Caught up once: 2 starts were missed while Patchbay wasn't running."
        if missed is MissedStartPolicy.ONCE
        else None
    )


async def test_what_a_paused_flow_missed_is_dealt_with_when_it_is_resumed(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))
    await settle_on(runtime, MissedStartPolicy.SKIP)
    await runtime.shelf.store.pause_flow(FLOW_1, "A person did.", runtime.clock.now)

    await runtime.pass_time(3 * HOUR + 7 * MINUTE)
    await runtime.settle()
    assert await runtime.all() == []
    assert (await runtime.engine.health()).next_run_at is None

    await runtime.shelf.resume_flow(FLOW_1)
    runtime.engine.triggers_changed()
    assert (await runtime.one()).note == "Skipped: 3 starts were missed while the flow was paused."


async def test_a_schedule_runs_by_the_clocks_of_its_flow(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo", parameters={"cron": "0 9 * * *"}))
    due = next_time("0 9 * * *", runtime.clock.now, ZoneInfo("Asia/Kathmandu"))

    await settle_on(runtime, MissedStartPolicy.ONCE, "Asia/Kathmandu")
    await runtime.until_due(FLOW_1, due)
    await runtime.pass_time(due - runtime.clock.now)

    seen = await runtime.one()
    assert seen.step(0).data_out == {"at": due, "zone": "Asia/Kathmandu"}
    local = datetime.fromtimestamp(due / 1000, ZoneInfo("Asia/Kathmandu"))
    assert (local.hour, local.minute) == (9, 0)


async def test_a_zone_this_computer_does_not_know_leaves_the_one_of_the_workspace(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo", parameters={"cron": "0 9 * * *"}))

    await settle_on(runtime, MissedStartPolicy.ONCE, "Mars/Olympus")

    due = next_time("0 9 * * *", runtime.clock.now, BERLIN)
    await runtime.until_due(FLOW_1, due)


async def test_moving_to_another_zone_while_off_moves_the_next_start(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo", parameters={"cron": "0 9 * * *"}))
    await runtime.engine.stop()

    runtime.new_engine(time_zone="America/New_York")
    await runtime.engine.start()
    await runtime.settle()

    due = next_time("0 9 * * *", runtime.clock.now, ZoneInfo("America/New_York"))
    await runtime.until_due(FLOW_1, due)


async def test_a_schedule_that_names_no_time_cannot_be_published(runtime: EngineRuntime):
    with pytest.raises(ValidationFailed, match="never matches any date"):
        await runtime.engine.initial_trigger_state(flow("clock", parameters={"cron": "0 0 31 2 *"}))


async def test_a_clock_that_ran_ahead_in_the_last_life_holds_nothing_up(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))
    await runtime.publish(flow("poll", "echo", flow_id="f2"), interval=15)
    await runtime.settle()
    for flow_id in (FLOW_1, FLOW_2):
        ahead = TriggerState(flow_id=flow_id, next_due_at=runtime.clock.now + 1000 * HOUR)
        await runtime.shelf.store.save_trigger(ahead)

    await off_for(runtime, 1000)
    await runtime.settle()

    await runtime.until_due(FLOW_1, next_time("0 * * * *", runtime.clock.now, BERLIN))
    await runtime.until_due(FLOW_2, runtime.clock.now + 15 * MINUTE)


async def test_a_test_and_a_run_by_hand_show_the_time_in_the_zone_of_the_flow(runtime: EngineRuntime):
    version = flow("clock", "echo", parameters={"cron": "0 9 * * *"})
    await runtime.publish(version)
    await settle_on(runtime, MissedStartPolicy.ONCE, "Asia/Kathmandu")

    await runtime.engine.run_now(FLOW_1)
    await runtime.engine.test_step(version, StepId("f1-0"), {})

    seen = await runtime.until_all(2)
    assert [one.step(0).data_out["zone"] for one in seen] == ["Asia/Kathmandu"] * 2
