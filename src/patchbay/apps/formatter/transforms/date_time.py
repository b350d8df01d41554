"""The table of date transforms: key, label, inputs, function."""

from datetime import datetime, tzinfo
from zoneinfo import available_timezones

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Argument, dropdown, text
from patchbay.integration.values import local_time, number, parameter_error, parse_time_zone, text_of

from ..catalogue import Apply, Now, Transform
from . import date_arithmetic, dates

ISO = "yyyy-MM-dd'T'HH:mm:ssZZ"
_ADD, _SUBTRACT = 1, -1


def _format(given: JsonObject, now: Now) -> Json:
    source = parse_time_zone(text_of(given, "fromTimezone").strip() or now.time_zone, "fromTimezone")
    target = parse_time_zone(text_of(given, "toTimezone").strip() or now.time_zone, "toTimezone")
    moment = dates.read(text_of(given, "input"), text_of(given, "fromFormat"), source, now.ms)
    try:
        return dates.write(moment.astimezone(target), text_of(given, "toFormat"))
    except OverflowError:
        raise parameter_error("input", "The date is outside the years 1 to 9999 in that time zone.") from None


def _zone(given: JsonObject, now: Now) -> tzinfo:
    return parse_time_zone(text_of(given, "timezone").strip() or now.time_zone, "timezone")


def _read(given: JsonObject, now: Now, key: str = "input") -> datetime:
    """The date in a field, in the chosen time zone. An empty field is now."""
    zone, entered = _zone(given, now), text_of(given, key)
    if not entered.strip():
        return local_time(now.ms, zone)
    try:
        return dates.read(entered, text_of(given, "fromFormat"), zone, now.ms).astimezone(zone)
    except OverflowError:
        raise parameter_error(key, "The date is outside the years 1 to 9999 in that time zone.") from None
    except ValidationFailed as error:
        named = "input" in error.by_field
        raise parameter_error(key, error.happened, error.todo) if named else error from None


def _write(moment: datetime, given: JsonObject) -> str:
    return dates.write(moment, text_of(given, "toFormat") or ISO)


def _shift(sign: int) -> Apply:
    def apply(given: JsonObject, now: Now) -> Json:
        amount = number(given, "amount", "an amount")
        if amount != amount.to_integral_value():
            raise parameter_error("amount", "Enter a whole number.")
        moment = date_arithmetic.add_time(_read(given, now), sign * int(amount), text_of(given, "unit"))
        return _write(moment, given)

    return apply


def _difference(given: JsonObject, now: Now) -> Json:
    start, end = _read(given, now), _read(given, now, "end")
    return date_arithmetic.difference(start, end, text_of(given, "unit"), _zone(given, now))


def _edge(given: JsonObject, now: Now) -> Json:
    moment = date_arithmetic.edge_of_period(
        _read(given, now), text_of(given, "period"), text_of(given, "edge")
    )
    return _write(moment, given)


def _date_input(key: str, label: str) -> Argument:
    return text(key, label, placeholder="2026-03-31 14:30", description="Leave empty for now.")


def _from_format() -> Argument:
    return dropdown(
        "fromFormat",
        "Input format",
        [(dates.AUTOMATIC, "Detect automatically"), *((pattern, pattern) for pattern in dates.PATTERNS)],
        value=dates.AUTOMATIC,
        variables=True,
    )


def _to_format() -> Argument:
    return dropdown("toFormat", "Output format", dates.PATTERNS, value=ISO, variables=True)


def _zone_choice() -> Argument:
    return dropdown("timezone", "Time zone", _zones(), variables=True)


def _unit_choice() -> Argument:
    return dropdown("unit", "Unit", [*date_arithmetic.UNITS.items()], required=True, value="days")


def _shift_fields() -> tuple[Argument, ...]:
    return (
        _date_input("input", "Date"),
        text("amount", "Amount", required=True),
        _unit_choice(),
        _from_format(),
        _to_format(),
        _zone_choice(),
    )


def _difference_fields() -> tuple[Argument, ...]:
    return (
        _date_input("input", "From"),
        _date_input("end", "To"),
        _unit_choice(),
        _from_format(),
        _zone_choice(),
    )


def _parse_fields() -> tuple[Argument, ...]:
    return (_date_input("input", "Date"), _from_format(), _zone_choice())


def _edge_fields() -> tuple[Argument, ...]:
    return (
        _date_input("input", "Date"),
        dropdown("edge", "Start or end", [*date_arithmetic.EDGES.items()], required=True, value="start"),
        dropdown("period", "Of the", [*date_arithmetic.PERIODS.items()], required=True, value="month"),
        _from_format(),
        _to_format(),
        _zone_choice(),
    )


def _zones() -> list[str]:
    zones = sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
    return ["UTC", *zones]


def _format_fields() -> tuple[Argument, ...]:
    choices = _zones()
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
    Transform("addTime", "Add to a date", _shift(_ADD), _shift_fields),
    Transform("subtractTime", "Subtract from a date", _shift(_SUBTRACT), _shift_fields),
    Transform("dateDifference", "Time between two dates", _difference, _difference_fields),
    Transform(
        "parseDate",
        "Parse date",
        lambda given, now: date_arithmetic.parts_of(_read(given, now)),
        _parse_fields,
    ),
    Transform("startOrEnd", "Start or end of a period", _edge, _edge_fields),
)
