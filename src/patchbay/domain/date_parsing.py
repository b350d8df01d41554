"""Dates in common formats, and time spans such as "7 days". Nothing here reads a clock."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from patchbay.domain.base import EpochMs
from patchbay.domain.clock import find_time_zone

_EPOCH = re.compile(r"-?\d{9,14}")
_TOO_MANY_DIGITS = re.compile(r"\d{15}")
_MILLISECONDS_FROM = 10**11
_MAX_TEXT = 100

UNITS = ("minutes", "hours", "days", "weeks", "months", "years")
"""Units of a time span; the singular and seconds are understood too."""
_SPAN = re.compile(r"(\d{1,6})\s*(second|minute|hour|day|week|month|year)s?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time and the time zone in which dates without one are meant; None is that of this computer."""

    ms: EpochMs
    time_zone: tzinfo | None = None

    @classmethod
    def in_zone(cls, ms: EpochMs, name: str) -> "Moment":
        """The moment in the zone with this IANA name; UTC if the name is unknown."""
        return cls(ms, find_time_zone(name) or UTC)

    @property
    def local(self) -> datetime:
        """Date and time in the time zone."""
        found = datetime.fromtimestamp(self.ms / 1000, self.time_zone or UTC)
        return found if self.time_zone else found.astimezone()

    def place(self, value: datetime) -> datetime:
        """The value itself, or in the time zone if it has none."""
        if value.tzinfo:
            return value
        return value.replace(tzinfo=self.time_zone) if self.time_zone else value.astimezone()

    def day_of(self, value: datetime) -> datetime:
        """Midnight, in the time zone, of the day that contains the value."""
        local = value.astimezone(self.time_zone) if self.time_zone else value.astimezone()
        return self.place(local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None))


def find_date_time(text: str, moment: Moment) -> datetime | None:
    """The date in a text, in any common format; None if there is none.

    It can also be seconds or milliseconds since 1970. Parts left out are midnight, today; a date without an
    offset is meant in the zone of `moment`. In `03/04/2026`, the first number is the month.
    """
    text = text.strip()
    try:
        if _EPOCH.fullmatch(text):
            value = int(text)
            is_ms = abs(value) >= _MILLISECONDS_FROM
            return datetime.fromtimestamp(value / 1000 if is_ms else value, UTC)
        found = _parse_text(text, moment.local)
        if found is None:
            return None
        placed = moment.place(found)
        placed.utcoffset()  # raises for +99:99, which the date parser takes
    except (ValueError, OverflowError, OSError, TypeError, RecursionError):
        return None
    return placed


def _parse_text(text: str, today: datetime) -> datetime | None:
    if len(text) > _MAX_TEXT or not re.search(r"\d", text) or _TOO_MANY_DIGITS.search(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        from dateutil import parser  # takes 20 ms to import; apps are loaded at every start

        midnight = today.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        return parser.parse(text, default=midnight)


def is_whole_day(text: str) -> bool:
    """Whether a text with a date has no time of day."""
    text = text.strip()
    return ":" not in text and not _EPOCH.fullmatch(text) and not re.search(r"\dT\d", text)


@dataclass(frozen=True, slots=True)
class Span:
    """A number of units of time, such as 7 days. Months and years follow the calendar."""

    count: int
    unit: str
    """Singular: second, minute, hour, day, week, month, or year."""

    def after(self, value: datetime, times: int = 1) -> datetime:
        """The date this much later; `times` -1 is earlier. Raises `OverflowError` and `ValueError`."""
        count = self.count * times
        if self.unit in ("month", "year"):
            from dateutil.relativedelta import relativedelta

            return value + (
                relativedelta(months=count) if self.unit == "month" else relativedelta(years=count)
            )
        if self.unit in ("day", "week"):
            # In local time: a day later is the same time of day, also when the clocks change in between.
            return value + timedelta(days=count * (7 if self.unit == "week" else 1))
        later = value.astimezone(UTC) + timedelta(**{f"{self.unit}s": count})
        return later.astimezone(value.tzinfo)


def parse_span(text: str) -> Span | None:
    """The time span in a text such as "7 days" or "1 month"; None if it has another form."""
    found = _SPAN.fullmatch(text.strip())
    return Span(int(found[1]), found[2].lower()) if found else None
