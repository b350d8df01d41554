"""The trigger “Every N hours”."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown

from ..schedule import MINUTE, WEEKEND, parse_choice, parse_minute, schedule_trigger, weekdays

_HOURS = range(1, 24)


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: every few hours."""
    every = parse_choice(parameters, "interval", "a number of hours", _HOURS)
    return f"{parse_minute(parameters)} */{every} * * {weekdays(parameters)}"


every_n_hours = schedule_trigger(
    "everyNHours",
    "Every N hours",
    "Starts at this interval, counted from midnight.",
    [
        dropdown(
            "interval",
            "Hours",
            [(hours, f"Every {hours} hours" if hours > 1 else "Every hour") for hours in _HOURS],
            required=True,
        ),
        MINUTE,
        WEEKEND,
    ],
    cron,
    (
        "hourly",
        "repeat",
    ),
)
