from patchbay.domain.base import JsonObject

from ..schedule import WEEKEND, schedule_trigger, weekdays


def cron(parameters: JsonObject) -> str:
    return f"0 * * * {weekdays(parameters)}"


every_hour = schedule_trigger("everyHour", "Every hour", "Starts on the hour, every hour.", [WEEKEND], cron)
