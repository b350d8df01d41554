"""The trigger “Every month”."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown

from ..schedule import HOUR, parse_choice, schedule_trigger


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: once a month."""
    hour = parse_choice(parameters, "hour", "a time of day", range(24))
    day = parse_choice(parameters, "day", "a day of the month", range(1, 32))
    return f"0 {hour} {day} * *"


every_month = schedule_trigger(
    "everyMonth",
    "Every month",
    "Starts once a month on the chosen day. Months without that day are skipped.",
    [dropdown("day", "Day of the month", range(1, 32), required=True), HOUR],
    cron,
    (
        "monthly",
        "repeat",
    ),
)
