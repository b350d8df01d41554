"""The trigger “Every day”."""

from patchbay.domain.base import JsonObject

from ..schedule import HOUR, WEEKEND, parse_choice, schedule_trigger, weekdays


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: once a day."""
    hour = parse_choice(parameters, "hour", "a time of day", range(24))
    return f"0 {hour} * * {weekdays(parameters)}"


every_day = schedule_trigger(
    "everyDay",
    "Every day",
    "Starts once a day at the chosen time.",
    [HOUR, WEEKEND],
    cron,
    (
        "daily",
        "morning",
        "repeat",
    ),
)
