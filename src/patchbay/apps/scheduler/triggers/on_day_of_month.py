"""The trigger “On a day of the month”."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown
from patchbay.integration.values import parameter_error, text_of

from ..schedule import TIMES, lines_at, parse_times, schedule_trigger

_DAYS = [
    ("L", "Last day"),
    ("1W", "First business day (Monday to Friday)"),
    ("LW", "Last business day (Monday to Friday)"),
    *((str(day), str(day)) for day in range(1, 32)),
]


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: once a month."""
    day = text_of(parameters, "day")
    if day not in dict(_DAYS):
        raise parameter_error("day", "Choose a day of the month.")
    return lines_at(parse_times(parameters), f"{day} * *")


on_day_of_month = schedule_trigger(
    "onDayOfMonth",
    "On a day of the month",
    "Starts on the last day, the first or last business day, or another day of each month. "
    "Months without that day are skipped.",
    [
        dropdown(
            "day",
            "Day",
            _DAYS,
            required=True,
            value="L",
            description="Public holidays count as business days.",
        ),
        TIMES,
    ],
    cron,
    (
        "monthly",
        "end of month",
        "repeat",
    ),
)
