"""The trigger “At times of day”."""

from patchbay.domain.base import JsonObject
from patchbay.domain.clock import WEEKDAY_NAMES
from patchbay.integration import dropdown
from patchbay.integration.values import parameter_error, text_of

from ..schedule import TIMES, lines_at, parse_times, schedule_trigger

_DAYS = [
    ("*", "Every day"),
    ("1-5", "Business days (Monday to Friday)"),
    ("0,6", "Saturdays and Sundays"),
    *((str(number % 7), f"{WEEKDAY_NAMES[number - 1]}s") for number in range(1, 8)),
]


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: at these times."""
    days = text_of(parameters, "days") or "*"
    if days not in dict(_DAYS):
        raise parameter_error("days", "Choose the days.")
    return lines_at(parse_times(parameters), f"* * {days}")


at_times = schedule_trigger(
    "atTimes",
    "At times of day",
    "Starts once or several times a day, on every day, business days, or one day of the week.",
    [
        TIMES,
        dropdown(
            "days",
            "Days",
            _DAYS,
            required=True,
            value="*",
            description="Public holidays count as business days.",
        ),
    ],
    cron,
    (
        "daily",
        "time of day",
        "clock",
        "repeat",
    ),
)
