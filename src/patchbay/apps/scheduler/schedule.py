"""The fields, cron expressions, and output of all five triggers."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.clock import MONTH_NAMES, WEEKDAY_NAMES
from patchbay.integration import YES_NO, Argument, Context, Trigger, TriggerKind, dropdown
from patchbay.integration.values import (
    as_bool,
    as_number,
    as_text,
    epoch_ms,
    local_time,
    parameter_error,
    parse_time_zone,
)

_MAX_SHOWN_VALUE = 40

Cron = Callable[[JsonObject], str]


WEEKEND = dropdown(
    "triggersOnWeekend",
    "Include weekends",
    YES_NO,
    required=True,
    value=True,
    description="If No, the flow doesn't start on Saturdays and Sundays.",
)
HOUR = dropdown("hour", "Time", [(hour, f"{hour:02}:00") for hour in range(24)], required=True)


def schedule_trigger(
    key: str, name: str, description: str, arguments: Iterable[Argument], cron: Cron
) -> Trigger:
    """A trigger that fires by the cron expression for its parameters, in the time zone of its flow."""

    async def run(ctx: Context) -> None:
        due = next_start(cron(ctx.parameters), ctx) if ctx.execution.test_run else ctx.now
        ctx.push_trigger_item(date_parts(due, ctx.time_zone), str(due))

    return Trigger(
        key=key,
        name=name,
        description=description,
        kind=TriggerKind.SCHEDULE,
        arguments=tuple(arguments),
        supports_connections=False,
        cron=cron,
        run=run,
    )


def weekdays(parameters: JsonObject) -> str:
    """The last field of the cron expression."""
    return "*" if as_bool(parameters.get("triggersOnWeekend"), default=True) else "1-5"


def parse_choice(parameters: JsonObject, key: str, label: str, allowed: range) -> int:
    """A whole number out of `allowed`; raises `ValidationFailed` otherwise."""
    found = as_number(parameters.get(key))
    if found is None or found != int(found) or int(found) not in allowed:
        value = as_text(parameters.get(key))[:_MAX_SHOWN_VALUE]
        problem = f"“{value}” can't be used as {label}." if value else f"Choose {label}."
        raise parameter_error(key, problem, f"Use a whole number from {allowed[0]} to {allowed[-1]}.")
    return int(found)


def next_start(cron: str, ctx: Context) -> EpochMs:
    """The next time the cron expression matches, which is the output of a test."""
    from croniter import croniter  # needed for tests of a step only

    here: datetime = croniter(cron, local_time(ctx.now, parse_time_zone(ctx.time_zone))).get_next(datetime)
    return epoch_ms(here)


def date_parts(moment: EpochMs, time_zone: str) -> JsonObject:
    """A point in time in the forms that later steps may need.

    `weekday` counts from 1, Monday. The last six have the names and forms that imported flows refer to.
    """
    here = local_time(moment, parse_time_zone(time_zone))
    hour, half = here.hour % 12 or 12, "AM" if here.hour < 12 else "PM"
    iso = here.isoformat(timespec="milliseconds")
    return {
        "isoDateTime": here.isoformat(timespec="seconds"),
        "prettyDate": f"{MONTH_NAMES[here.month - 1]} {here.day}, {here.year}",
        "prettyTime": f"{hour}:{here.minute:02} {half}",
        "weekdayName": WEEKDAY_NAMES[here.weekday()],
        "timeZone": time_zone,
        "timestamp": moment,
        "year": here.year,
        "month": here.month,
        "day": here.day,
        "weekday": here.isoweekday(),
        "hour": here.hour,
        "minute": here.minute,
        "second": here.second,
        "millisecond": moment % 1000,
        "ISO_date_time": iso.replace("+00:00", "Z") if here.tzinfo is UTC else iso,
        "pretty_date": f"{MONTH_NAMES[here.month - 1][:3]} {here.day}, {here.year}",
        "pretty_time": f"{hour}:{here.minute:02}:{here.second:02} {half}",
        "pretty_day_of_week": WEEKDAY_NAMES[here.weekday()],
        "day_of_week": here.isoweekday(),
    }
