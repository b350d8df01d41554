"""The trigger “Every hour”."""

from patchbay.domain.base import JsonObject

from ..schedule import MINUTE, WEEKEND, parse_minute, schedule_trigger, weekdays


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: once an hour."""
    return f"{parse_minute(parameters)} * * * {weekdays(parameters)}"


every_hour = schedule_trigger(
    "everyHour",
    "Every hour",
    "Starts once an hour at the chosen minute.",
    [MINUTE, WEEKEND],
    cron,
    (
        "hourly",
        "repeat",
    ),
)
