"""Dates: add and subtract, differences, the parts of a date, and the start and end of a period."""

from datetime import UTC, datetime, timedelta, tzinfo

from patchbay.domain.base import JsonObject
from patchbay.domain.clock import MONTH_NAMES, WEEKDAY_NAMES
from patchbay.domain.date_parsing import Span
from patchbay.integration.values import epoch_ms, parameter_error

UNITS = {
    "seconds": "Seconds", "minutes": "Minutes", "hours": "Hours", "days": "Days", "weeks": "Weeks",
    "months": "Months", "years": "Years",
}  # fmt: skip
PERIODS = {"day": "Day", "week": "Week (from Monday)", "month": "Month", "quarter": "Quarter", "year": "Year"}
EDGES = {"start": "Start", "end": "End"}
MAX_AMOUNT = 1_000_000
_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800}
_OUT_OF_RANGE = "The date is outside the years 1 to 9999."


def add_time(moment: datetime, amount: int, unit: str) -> datetime:
    """The date this much later, or earlier for a negative amount. A day later is the same time of day."""
    if unit not in UNITS:
        raise parameter_error("unit", "Choose a unit.")
    if abs(amount) > MAX_AMOUNT:
        raise parameter_error("amount", f"The amount can be at most {MAX_AMOUNT:,}.")
    try:
        return Span(abs(amount), unit.removesuffix("s")).after(moment, -1 if amount < 0 else 1)
    except (OverflowError, ValueError):
        raise parameter_error("amount", _OUT_OF_RANGE) from None


def difference(start: datetime, end: datetime, unit: str, zone: tzinfo) -> int | float:
    """The time from the start to the end in this unit; whole months and years, fractions of other units.

    Days and weeks are calendar days in the time zone, also when the clocks change in between.
    """
    if unit in ("months", "years"):
        from dateutil.relativedelta import relativedelta

        # Without the zone: with it, the difference of two local times would be that of their offsets, too.
        delta = relativedelta(_local(end, zone), _local(start, zone))
        return delta.years if unit == "years" else delta.years * 12 + delta.months
    if unit not in _SECONDS:
        raise parameter_error("unit", "Choose a unit.")
    in_days = unit in ("days", "weeks")
    # In UTC: the difference of two times in the same zone ignores their offsets.
    local_or_utc = zone if in_days else UTC
    between = _local(end, local_or_utc) - _local(start, local_or_utc)
    found = round(between.total_seconds() / _SECONDS[unit], 6)
    return int(found) if found.is_integer() else found


def _local(moment: datetime, zone: tzinfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def parts_of(moment: datetime) -> JsonObject:
    """The parts of a date, for later steps."""
    return {
        "iso": moment.isoformat(timespec="seconds"),
        "date": moment.date().isoformat(),
        "time": moment.time().isoformat(timespec="seconds"),
        "year": moment.year,
        "month": moment.month,
        "monthName": MONTH_NAMES[moment.month - 1],
        "day": moment.day,
        "hour": moment.hour,
        "minute": moment.minute,
        "second": moment.second,
        "weekday": moment.isoweekday(),
        "weekdayName": WEEKDAY_NAMES[moment.weekday()],
        "week": moment.isocalendar().week,
        "quarter": (moment.month + 2) // 3,
        "dayOfYear": moment.timetuple().tm_yday,
        "timestamp": epoch_ms(moment),
    }


def edge_of_period(moment: datetime, period: str, edge: str) -> datetime:
    """The first moment of the period that contains the date, or its last second."""
    if period not in PERIODS:
        raise parameter_error("period", "Choose a period.")
    try:
        start = _start(moment.replace(hour=0, minute=0, second=0, microsecond=0), period)
        if edge != "end":
            return start
        counts = {"quarter": Span(3, "month")}
        following = counts.get(period, Span(1, period)).after(start)
        return following.replace(hour=0, minute=0, second=0) - timedelta(seconds=1)
    except (OverflowError, ValueError):
        raise parameter_error("input", _OUT_OF_RANGE) from None


def _start(midnight: datetime, period: str) -> datetime:
    if period == "week":
        return midnight - timedelta(days=midnight.weekday())
    if period == "month":
        return midnight.replace(day=1)
    if period == "quarter":
        return midnight.replace(month=(midnight.month - 1) // 3 * 3 + 1, day=1)
    return midnight.replace(month=1, day=1) if period == "year" else midnight
