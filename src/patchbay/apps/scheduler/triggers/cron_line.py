"""The trigger “Cron line”."""

from patchbay.domain.base import JsonObject
from patchbay.integration import text
from patchbay.integration.values import parameter_error, text_of

from ..schedule import schedule_trigger

MAX_LINES = 10
"""Limits the search for the next start, which takes longest for lines that never match."""


def cron(parameters: JsonObject) -> str:
    """The cron expression that was entered."""
    given = text_of(parameters, "cron").strip()
    if len(given.splitlines()) > MAX_LINES:
        raise parameter_error("cron", f"Enter {MAX_LINES} cron lines at most.")
    if not given:
        raise parameter_error("cron", "Enter a cron line.", "Use a format such as 0 9 * * 1-5.")
    return given


cron_line = schedule_trigger(
    "cronLine",
    "Cron line",
    "Starts at the times of a cron line.",
    [
        text(
            "cron",
            "Cron line",
            required=True,
            variables=False,
            multiline=True,
            placeholder="0 9 * * 1-5",
            description=(
                "Minute, hour, day of the month, month, day of the week. L is the last day of the month, LW "
                "the last weekday, 5#2 the second Friday. The flow starts at the times of each line."
            ),
        )
    ],
    cron,
    (
        "advanced",
        "repeat",
    ),
)
