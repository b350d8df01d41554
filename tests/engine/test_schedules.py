"""Schedules: on time, once when missed, and through the nights when clocks change."""

import os
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow

from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import ExecutionState
from patchbay.engine import cron
from patchbay.engine.cron import count_between, local_zone, next_time

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = 3_600_000


def at(text: str, fold: int = 0) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).timestamp() * 1000)


@pytest.mark.parametrize(
    ("cron", "after", "expected"),
    [
        ("*/15 * * * *", "2026-11-21 10:07", "2026-11-21 10:15"),
        ("0 9 * * 1-5", "2026-11-20 09:00", "2026-11-23 09:00"),
        ("30 2 1 * *", "2026-11-21 10:00", "2026-12-01 02:30"),
        ("30 2 * * *", "2026-03-28 12:00", "2026-03-29 03:00"),
        ("0 * * * *", "2026-03-29 01:00", "2026-03-29 03:00"),
        ("30 2 * * *", "2026-10-25 02:30", "2026-10-26 02:30"),
    ],
)
def test_next_time_on_local_clocks(cron: str, after: str, expected: str):
    assert next_time(cron, at(after), BERLIN) == at(expected)


def test_an_hourly_schedule_runs_in_both_repeated_hours():
    times = [at("2026-10-25 01:00")]
    for _ in range(3):
        times.append(next_time("0 * * * *", times[-1], BERLIN))

    assert times[1:] == [at("2026-10-25 02:00"), at("2026-10-25 02:00", fold=1), at("2026-10-25 03:00")]


def test_missed_times_are_counted_up_to_the_last():
    found = count_between("0 * * * *", at("2026-11-21 10:00"), at("2026-11-21 14:20"), BERLIN)

    assert found == (5, at("2026-11-21 14:00"))


def test_the_computers_zone_has_a_name_that_works():
    assert ZoneInfo(local_zone())


@pytest.mark.parametrize("name", ["Europe/Berlin", "Asia/Kolkata"])
def test_the_zone_is_known_without_the_files_of_linux(monkeypatch, tmp_path, name):
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(cron, "Path", lambda _: tmp_path / "nothing")
    monkeypatch.setattr(os.path, "realpath", lambda path: path)
    monkeypatch.setattr("tzlocal.get_localzone_name", lambda: name)

    assert local_zone() == name


async def test_a_change_of_the_next_run_is_announced(runtime: EngineRuntime):
    """A window shows the next run, and asks for it only when it has changed."""
    await runtime.publish(flow("clock", "echo"))
    await runtime.until(lambda: Change(noun=ResourceType.WORKSPACE) in runtime.changes)
    assert (await runtime.engine.health()).next_run_at is not None

    runtime.changes.clear()
    await runtime.publish(flow("clock", "echo", flow_id="f2"))
    await runtime.settle()
    assert Change(noun=ResourceType.WORKSPACE) not in runtime.changes  # the first is still due first


async def test_a_schedule_starts_on_time_and_knows_its_next(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))
    await runtime.settle()
    due = next_time("0 * * * *", runtime.clock.now, BERLIN)
    health = await runtime.engine.health()
    assert (health.next_run_at, health.next_flow) == (due, "Flow f1")

    await runtime.pass_time(due - runtime.clock.now)

    seen = await runtime.one()
    assert seen.state is ExecutionState.SUCCESS
    assert seen.step(0).data_out == {"at": due, "zone": "Europe/Berlin"}
    assert seen.note is None
    assert (await runtime.shelf.trigger(FLOW_1)).next_due_at == due + HOUR


async def test_starts_missed_while_stopped_are_caught_up_once_and_reported(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))
    await runtime.engine.stop()
    runtime.clock.now += 5 * HOUR + 60_000 * 7

    runtime.new_engine()
    await runtime.engine.start()

    seen = await runtime.one()
    assert seen.note == "Caught up once: 5 starts were missed while Patchbay wasn't running."
    last = next_time("0 * * * *", runtime.clock.now - HOUR, BERLIN)
    assert seen.step(0).data_out["at"] == last
    assert (await runtime.shelf.trigger(FLOW_1)).next_due_at == last + HOUR


async def test_a_clock_set_back_does_not_repeat_a_start(runtime: EngineRuntime):
    await runtime.publish(flow("clock", "echo"))
    await runtime.settle()
    due = next_time("0 * * * *", runtime.clock.now, BERLIN)
    await runtime.pass_time(due - runtime.clock.now)
    await runtime.one()

    await runtime.pass_time(-60_000)
    await runtime.settle()
    state = await runtime.shelf.trigger(FLOW_1)
    await runtime.shelf.store.save_trigger(state.model_copy(update={"next_due_at": due}))
    await runtime.pass_time(60_000)
    await runtime.settle()

    await runtime.one()
