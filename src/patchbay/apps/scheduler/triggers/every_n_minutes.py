"""The trigger “Every N minutes”."""

from patchbay.domain.base import JsonObject
from patchbay.integration import dropdown

from ..schedule import WEEKEND, parse_choice, schedule_trigger, weekdays

_MINUTES = range(1, 60)


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: every few minutes."""
    every = parse_choice(parameters, "interval", "a number of minutes", _MINUTES)
    return f"*/{every} * * * {weekdays(parameters)}"


every_n_minutes = schedule_trigger(
    "everyNMinutes",
    "Every N minutes",
    "Starts at this interval, counted from each full hour.",
    [
        dropdown(
            "interval",
            "Minutes",
            [
                (minutes, f"Every {minutes} minutes" if minutes > 1 else "Every minute")
                for minutes in _MINUTES
            ],
            required=True,
        ),
        WEEKEND,
    ],
    cron,
    ("repeat",),
)
