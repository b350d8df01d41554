"""The trigger “Every N days”."""

import re
from datetime import date

from patchbay.domain.base import JsonObject
from patchbay.integration import text
from patchbay.integration.values import parameter_error, text_of

from ..schedule import TIMES, lines_at, parse_choice, parse_times, schedule_trigger

_DAYS = range(1, 367)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: every few days."""
    every = parse_choice(parameters, "interval", "a number of days", _DAYS)
    return lines_at(parse_times(parameters), f"{_first_day(parameters)}/{every} * *")


def _first_day(parameters: JsonObject) -> date:
    given = text_of(parameters, "firstDay").strip()
    try:
        if not _DATE.fullmatch(given):
            raise ValueError
        return date.fromisoformat(given)
    except ValueError:
        problem = f"“{given[:40]}” isn't a date." if given else "Enter the first day."
        raise parameter_error("firstDay", problem, "Use a format such as 2026-03-31.") from None


every_n_days = schedule_trigger(
    "everyNDays",
    "Every N days",
    "Starts at this interval, counted from the first day.",
    [
        text("interval", "Days", required=True, variables=False, placeholder="3"),
        text(
            "firstDay",
            "First day",
            required=True,
            variables=False,
            placeholder="2026-03-31",
            description="The flow starts on this day, and then at the interval. It can be in the past.",
        ),
        TIMES,
    ],
    cron,
    (
        "daily",
        "repeat",
    ),
)
