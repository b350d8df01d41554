"""The triggers of the app Scheduler in an engine: tests, publishing, the preview; and short delays."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime, Shelf

from patchbay.domain.base import AppKey, JsonObject, StepId
from patchbay.domain.errors import NotSupported, ValidationFailed
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowSettings, FlowVersion, Step, StepType
from patchbay.integration.app_definition import Trigger
from patchbay.integration.registry import load_apps

KOLKATA = FlowSettings(time_zone="Asia/Kolkata")


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[EngineRuntime]:
    """An engine with the apps of the program, at noon on Monday, 2 March 2026 in Berlin."""
    shelf = await Shelf.open(tmp_path / "engine.db")
    made = EngineRuntime(shelf)
    made.clock.now = int(datetime(2026, 3, 2, 12, 0, tzinfo=ZoneInfo("Europe/Berlin")).timestamp() * 1000)
    made.toy = load_apps()  # type: ignore[assignment]
    made.new_engine()
    await made.engine.start()
    yield made
    await made.engine.stop(grace=1)
    await shelf.db.close()


def version(app: str, key: str, parameters: dict[str, Any], *actions: Step) -> FlowVersion:
    trigger = Step(
        id=StepId("s1"), type=StepType.TRIGGER, app_key=AppKey(app), key=key, parameters=parameters
    )
    return FlowVersion(flow_id=FLOW_1, number=1, name="Report", steps=(trigger, *actions), approved=True)


def delay(value: str, unit: str) -> Step:
    return Step(
        id=StepId("s2"),
        type=StepType.ACTION,
        app_key=AppKey("delay"),
        key="delayFor",
        position=2,
        parameters={"delayForUnit": unit, "delayForValue": value},
    )


NOTE = Step(
    id=StepId("s3"),
    type=StepType.ACTION,
    app_key=AppKey("datastore"),
    key="setValue",
    position=3,
    parameters={"key": "at", "value": "{{now}}"},
)


def scheduler(key: str) -> Trigger:
    return load_apps().trigger(AppKey("scheduler"), key)


@pytest.mark.parametrize(
    ("trigger", "parameters", "wanted"),
    [
        ("everyNMinutes", {"interval": 25}, "2026-03-02T12:25:00+01:00"),
        ("everyDay", {"hour": 12}, "2026-03-03T12:00:00+01:00"),
        ("everyWeek", {"weekday": 0, "hour": 0}, "2026-03-08T00:00:00+01:00"),
        ("everyMonth", {"day": 31, "hour": 6}, "2026-03-31T06:00:00+02:00"),
        ("everyNHours", {"interval": 5, "minute": 10}, "2026-03-02T15:10:00+01:00"),
        (
            "everyNDays",
            {"interval": "2", "firstDay": "2026-03-01", "times": "9:00"},
            "2026-03-03T09:00:00+01:00",
        ),
        ("atTimes", {"times": "9:00, 17:30", "days": "1-5"}, "2026-03-02T17:30:00+01:00"),
        ("onDayOfMonth", {"day": "L", "times": "23:00"}, "2026-03-31T23:00:00+02:00"),
        ("onDayOfMonth", {"day": "1W", "times": "8:00"}, "2026-04-01T08:00:00+02:00"),
        ("cronLine", {"cron": "0 9 * * 5#2\n0 9 LW * *"}, "2026-03-13T09:00:00+01:00"),
    ],
)
async def test_a_test_shows_the_next_start(
    runtime: EngineRuntime, trigger: str, parameters: Any, wanted: str
):
    draft = version("scheduler", trigger, parameters)
    await runtime.shelf.draft(draft)

    _, outcome = await runtime.engine.test_step(draft, StepId("s1"), {})

    output: Any = outcome.data_out
    assert output["isoDateTime"] == wanted


async def test_a_flow_starts_at_each_of_its_times_once(runtime: EngineRuntime):
    twice = {"times": "12:05, 12:10, 12:05", "days": "1-5"}
    await runtime.publish(version("scheduler", "atTimes", twice, NOTE))

    for _ in range(3):
        await runtime.pass_time(5 * 60_000)
        await runtime.settle()
    seen = await runtime.until_all(2)

    assert [one.step(0).data_out["prettyTime"] for one in seen] == ["12:05 PM", "12:10 PM"]


@pytest.mark.parametrize(
    ("cron", "problem"),
    [("0 9 31 2 *", "This schedule never matches any date."), ("61 * * * *", "“61” isn't a valid minute.")],
)
async def test_a_schedule_that_never_starts_can_not_be_published(
    runtime: EngineRuntime, cron: str, problem: str
):
    with pytest.raises(ValidationFailed) as caught:
        await runtime.engine.initial_trigger_state(version("scheduler", "cronLine", {"cron": cron}, NOTE))

    assert caught.value.by_field == {"cron": [problem]}


async def test_a_preview_has_a_sentence_and_five_starts_in_the_zone_of_the_flow(runtime: EngineRuntime):
    trigger = scheduler("atTimes")
    twice: JsonObject = {"times": "17:30, 09:00", "days": "1-5"}

    here = await runtime.engine.preview_schedule(trigger, twice, FlowSettings())
    there = await runtime.engine.preview_schedule(trigger, twice, KOLKATA)

    assert here.sentence == "Every weekday at 09:00 and 17:30 (Europe/Berlin)"
    assert here.next_starts == (
        "2026-03-02T17:30+01:00",
        "2026-03-03T09:00+01:00",
        "2026-03-03T17:30+01:00",
        "2026-03-04T09:00+01:00",
        "2026-03-04T17:30+01:00",
    )
    assert there.sentence == "Every weekday at 09:00 and 17:30 (Asia/Kolkata)"
    assert there.next_starts[0] == "2026-03-02T17:30+05:30"


async def test_a_preview_of_a_rare_schedule_looks_years_ahead(runtime: EngineRuntime):
    rare = await runtime.engine.preview_schedule(
        scheduler("cronLine"), {"cron": "0 9 29 2 *"}, FlowSettings()
    )

    assert [start[:10] for start in rare.next_starts] == [
        f"{year}-02-29" for year in (2028, 2032, 2036, 2040, 2044)
    ]


@pytest.mark.parametrize(
    ("trigger", "parameters", "field", "problem"),
    [
        ("cronLine", {"cron": "0 9 * *"}, "cron", "A cron line needs 5 fields, unlike “0 9 * *”."),
        ("cronLine", {"cron": "0 9 31 2 *"}, "cron", "This schedule never matches any date."),
        ("atTimes", {"times": "25:00"}, "times", "“25:00” isn't a time of day."),
    ],
)
async def test_a_preview_of_something_invalid_names_the_field(
    runtime: EngineRuntime, trigger: str, parameters: Any, field: str, problem: str
):
    with pytest.raises(ValidationFailed) as caught:
        await runtime.engine.preview_schedule(scheduler(trigger), parameters, FlowSettings())

    assert caught.value.by_field == {field: [problem]}


async def test_only_schedules_have_a_preview_and_code_of_apps_may_raise_anything(runtime: EngineRuntime):
    def broken(_: Any) -> str:
        raise KeyError("x")

    webhook = load_apps().trigger(AppKey("webhook"), "catchRawWebhook")
    with pytest.raises(NotSupported):
        await runtime.engine.preview_schedule(webhook, {}, FlowSettings())
    with pytest.raises(ValidationFailed, match="can't read these fields"):
        await runtime.engine.preview_schedule(Trigger(key="x", name="X", cron=broken), {}, FlowSettings())


async def test_a_delay_of_seconds_waits_that_long_and_its_note_has_the_seconds(runtime: EngineRuntime):
    await runtime.publish(version("webhook", "catchRawWebhook", {}, delay("20", "seconds"), NOTE))
    before = runtime.clock.now
    await runtime.post()
    waiting = await runtime.one(ExecutionState.WAITING)

    await runtime.pass_time(19_999)
    await runtime.settle()
    still = await runtime.one(ExecutionState.WAITING)
    await runtime.pass_time(1)
    seen = await runtime.one()

    until = datetime.fromtimestamp((before + 20_000) / 1000)
    assert (waiting.wake_at, still.wake_at) == (before + 20_000, before + 20_000)
    assert waiting.note == f"Waiting until {until:%Y-%m-%d %H:%M:%S}."
    assert seen.step(2).data_in["value"] == "2026-03-02T12:00:20+01:00"
