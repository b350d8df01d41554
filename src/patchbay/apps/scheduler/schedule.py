"""The fields, parts of the cron expressions, and the output of all triggers."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, time

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.clock import MONTH_NAMES, WEEKDAY_NAMES
from patchbay.integration import YES_NO, Argument, Context, Trigger, TriggerKind, dropdown, text
from patchbay.integration.values import (
    as_bool,
    as_number,
    as_text,
    local_time,
    parameter_error,
    parse_time_zone,
)

_MAX_SHOWN_VALUE = 40
_MAX_TIMES = 48
_TIME = re.compile(r"([01]?\d|2[0-3])(?:[:.]([0-5]\d))?")

Cron = Callable[[JsonObject], str]


WEEKEND = dropdown(
    "triggersOnWeekend",
    "Include weekends",
    YES_NO,
    required=True,
    value=True,
    description="No: the flow doesn't start on Saturdays or Sundays.",
)
HOUR = dropdown("hour", "Time", [(hour, f"{hour:02}:00") for hour in range(24)], required=True)
MINUTE = dropdown(
    "minute",
    "Minute of the hour",
    [(minute, f":{minute:02}") for minute in range(60)],
    value=0,
    description="For example :15 starts the flow a quarter past each hour.",
)
TIMES = text(
    "times",
    "Times",
    required=True,
    variables=False,
    placeholder="09:00, 17:30",
    description="One or more times of day, separated by commas.",
)


def schedule_trigger(
    key: str,
    name: str,
    description: str,
    arguments: Iterable[Argument],
    cron: Cron,
    keywords: tuple[str, ...] = (),
) -> Trigger:
    """A trigger that fires by the cron expression for its parameters, in the time zone of its flow."""

    async def run(ctx: Context) -> None:
        ctx.push_trigger_item(date_parts(ctx.now, ctx.time_zone), str(ctx.now))

    return Trigger(
        key=key,
        name=name,
        description=description,
        keywords=keywords,
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
    """A whole number within `allowed`. Raises `ValidationFailed` otherwise."""
    found = as_number(parameters.get(key))
    if found is None or found != int(found) or int(found) not in allowed:
        value = as_text(parameters.get(key))[:_MAX_SHOWN_VALUE]
        problem = f"“{value}” can't be used as {label}." if value else f"Choose {label}."
        raise parameter_error(key, problem, f"Use a whole number from {allowed[0]} to {allowed[-1]}.")
    return int(found)


def parse_minute(parameters: JsonObject) -> int:
    """The minute of the hour; 0 if none is chosen."""
    if not as_text(parameters.get("minute")).strip():
        return 0
    return parse_choice(parameters, "minute", "a minute", range(60))


def parse_times(parameters: JsonObject) -> list[time]:
    """The times of day that were entered, in order; raises `ValidationFailed` for anything else."""
    parts = [part.strip() for part in re.split(r"[,;\n]", as_text(parameters.get("times"))) if part.strip()]
    if not parts:
        raise parameter_error("times", "Enter a time of day.", "Use a format such as 09:00, 17:30.")
    if len(parts) > _MAX_TIMES:
        raise parameter_error("times", f"Enter {_MAX_TIMES} times at most.")
    found = [_TIME.fullmatch(part) for part in parts]
    if None in found:
        shown = parts[found.index(None)][:_MAX_SHOWN_VALUE]
        raise parameter_error(
            "times", f"“{shown}” isn't a time of day.", "Use a format such as 09:00, 17:30."
        )
    return sorted({time(int(match[1]), int(match[2] or 0)) for match in found if match is not None})


def lines_at(times: Iterable[time], days: str) -> str:
    """The cron lines that start at these times; `days` are the last three fields."""
    hours_by_minute: dict[int, list[int]] = {}
    for at in times:
        hours_by_minute.setdefault(at.minute, []).append(at.hour)
    return "\n".join(
        f"{minute} {','.join(map(str, hours))} {days}" for minute, hours in hours_by_minute.items()
    )


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
