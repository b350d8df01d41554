"""The trigger “Every hour”."""

from patchbay.domain.base import JsonObject

from ..schedule import WEEKEND, schedule_trigger, weekdays


def cron(parameters: JsonObject) -> str:
    """The cron expression for the parameters: at the start of every hour."""
    return f"0 * * * {weekdays(parameters)}"


every_hour = schedule_trigger("everyHour", "Every hour", "Starts on the hour, every hour.", [WEEKEND], cron)
