"""The trigger “Every week”."""

from patchbay.domain.base import JsonObject
from patchbay.domain.clock import WEEKDAY_NAMES
from patchbay.integration import dropdown

from ..schedule import HOUR, parse_choice, schedule_trigger

_DAYS = [(number % 7, WEEKDAY_NAMES[number - 1]) for number in range(1, 8)]


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: once a week."""
    hour = parse_choice(parameters, "hour", "a time of day", range(24))
    weekday = parse_choice(parameters, "weekday", "a day of the week", range(7))
    return f"0 {hour} * * {weekday}"


every_week = schedule_trigger(
    "everyWeek",
    "Every week",
    "Starts once a week on the chosen day.",
    [dropdown("weekday", "Day of the week", _DAYS, required=True), HOUR],
    cron,
    (
        "weekly",
        "monday",
        "repeat",
    ),
)
