"""The table of date transforms: key, label, inputs, function."""

from zoneinfo import available_timezones

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Argument, dropdown, text
from patchbay.integration.values import parameter_error, parse_time_zone, text_of

from ..catalogue import Now, Transform
from . import dates


def _format(given: JsonObject, now: Now) -> Json:
    source = parse_time_zone(text_of(given, "fromTimezone").strip() or now.time_zone, "fromTimezone")
    target = parse_time_zone(text_of(given, "toTimezone").strip() or now.time_zone, "toTimezone")
    moment = dates.read(text_of(given, "input"), text_of(given, "fromFormat"), source, now.ms)
    try:
        return dates.write(moment.astimezone(target), text_of(given, "toFormat"))
    except OverflowError:
        raise parameter_error("input", "The date is outside the years 1 to 9999 in that time zone.") from None


def _format_fields() -> tuple[Argument, ...]:
    zones = sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
    choices = ["UTC", *zones]
    return (
        text("input", "Input", required=True),
        dropdown(
            "fromFormat",
            "Input format",
            [(dates.AUTOMATIC, "Detect automatically"), *((pattern, pattern) for pattern in dates.PATTERNS)],
            required=True,
            value=dates.AUTOMATIC,
            variables=True,
        ),
        dropdown("fromTimezone", "Input time zone", choices, variables=True),
        dropdown("toFormat", "Output format", dates.PATTERNS, required=True, variables=True),
        dropdown("toTimezone", "Output time zone", choices, variables=True),
    )


DATE_TIME = (
    Transform("getCurrentTimestamp", "Current timestamp in milliseconds", lambda given, now: now.ms),
    Transform(
        "getCurrentTimestampInSeconds", "Current timestamp in seconds", lambda given, now: now.ms // 1000
    ),
    Transform("formatDateTime", "Format date", _format, _format_fields),
)
