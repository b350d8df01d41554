"""Cron lines, and the times at which schedules start in a time zone. Pure functions.

`CronLine` works on wall-clock times without a time zone. The functions below it turn these into moments, and
deal with clock changes.
"""

import os
import re
from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import islice
from pathlib import Path

from croniter import CroniterError, croniter

from patchbay.domain.base import EpochMs
from patchbay.domain.clock import HOUR_MS, find_time_zone

MAX_CRON_LENGTH = 1000
MAX_COUNTED = 10_000
"""Missed starts are counted up to this number."""
_FIELDS = 5
_MAX_DAYS_SEARCHED = 366 * 9
"""29 February may be 8 years away."""
_DAY = timedelta(days=1)
_SINGLE_VALUE_RANGE = re.compile(r"(?<!\w)(\w+)-\1(/\d+)?(?!\w)")
"""A range such as 9-9, which croniter treats like a star."""


@dataclass(frozen=True, slots=True)
class CronLine:
    """A parsed cron line. If both days of the month and weekdays are given, either has to match."""

    times: tuple[time, ...]
    """Times of day, in order."""
    every_hour: bool
    """Whether the hour starts with a star, so that the line repeats every hour instead of naming times of
    day.
    """
    days: frozenset[int] | None
    last_day: bool
    months: frozenset[int] | None
    weekdays: frozenset[int] | None
    """Sunday is 0."""
    which: Mapping[int, frozenset[int]]
    """For a weekday, its occurrences in the month: 1 is the first, -1 the last."""

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, cron: str) -> "CronLine":
        """Parse a line of five fields; L is the last day, 5#2 the second Friday, L5 the last one.

        Raises `ValueError` for anything else.
        """
        if len(cron) > MAX_CRON_LENGTH:
            raise ValueError(f"A cron line has at most {MAX_CRON_LENGTH:,} characters.")
        if len(cron.split()) != _FIELDS:
            raise ValueError(f"A cron line needs 5 fields, unlike “{cron}”.")
        try:
            (minutes, hours, days, months, weekdays), which = croniter.expand(
                _SINGLE_VALUE_RANGE.sub(r"\1", cron)
            )
        except CroniterError:  # its message may be a whole stack trace
            raise ValueError(f"“{cron}” isn't a valid cron line.") from None
        return cls(
            times=tuple(
                time(hour, minute)
                for hour in _numbers(hours) or range(24)
                for minute in _numbers(minutes) or range(60)
            ),
            every_hour=cron.split()[1].startswith("*"),
            days=_set(days),
            last_day="l" in days,
            months=_set(months),
            weekdays=_set(weekdays),
            which={day: frozenset(-1 if n == "l" else int(n) for n in ns) for day, ns in which.items()},
        )

    def next_wall(self, after: datetime) -> datetime:
        """The next wall-clock time after this one. Raises `ValueError` if there is none."""
        day = after.date()
        if self.matches_day(day):
            later = bisect_right(self.times, after.time())
            if later < len(self.times):
                return datetime.combine(day, self.times[later])
        for _ in range(_MAX_DAYS_SEARCHED):
            day += _DAY
            if self.matches_day(day):
                return datetime.combine(day, self.times[0])
        raise ValueError("No day matches the cron line.")

    def matches_day(self, day: date) -> bool:
        """Whether the line matches this day."""
        if self.months is not None and day.month not in self.months:
            return False
        named = self.days is not None or self.last_day
        if named and self.weekdays is not None:
            return self._names_number(day) or self._names_weekday(day)
        return (not named or self._names_number(day)) and (self.weekdays is None or self._names_weekday(day))

    def _names_number(self, day: date) -> bool:
        last = self.last_day and day.day == monthrange(day.year, day.month)[1]
        return last or (self.days is not None and day.day in self.days)

    def _names_weekday(self, day: date) -> bool:
        weekday = day.isoweekday() % 7
        if self.weekdays is None or weekday not in self.weekdays:
            return False
        which = self.which.get(weekday)
        if which is None:
            return True
        last = -1 in which and day.day + 7 > monthrange(day.year, day.month)[1]
        return last or (day.day - 1) // 7 + 1 in which


def _numbers(field: Iterable[object]) -> tuple[int, ...]:
    """Empty for a star."""
    return tuple(sorted(value for value in field if isinstance(value, int)))


def _set(field: Iterable[object]) -> frozenset[int] | None:
    """None for a star, and for a field without numbers."""
    return frozenset(_numbers(field)) or None


_EPOCH = datetime(1970, 1, 1)
_MS = timedelta(milliseconds=1)
_STRIDE = 12 * HOUR_MS
"""Milliseconds. Clock changes are never closer together."""


def local_zone() -> str:
    """The IANA name of the computer's time zone; if it has none, a fixed zone with the current offset."""
    linked = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    written = Path("/etc/timezone")
    for name in (os.environ.get("TZ", ""), linked, written.read_text().strip() if written.is_file() else ""):
        if name and find_time_zone(name):
            return name
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    hours = round(offset.total_seconds() / 3600)
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def next_time(cron: str, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The first start of a cron line after `after`. Raises `ValueError` if it is invalid or never matches."""
    line = CronLine.of(cron)
    return _next_repeating_time(line, after, tz) if line.every_hour else _next_time_of_day(line, after, tz)


def times_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo) -> Iterator[EpochMs]:
    """All starts in [first, until], where `first` is one of them."""
    at = first
    while at <= until:
        yield at
        at = next_time(cron, at, tz)


def newest_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo, limit: int) -> tuple[EpochMs, ...]:
    """The last `limit` starts in [first, until], oldest first, where `first` is one of them."""
    span = HOUR_MS
    while until - span > first:
        begin = next_time(cron, until - span, tz)
        found = tuple(times_between(cron, begin, until, tz))
        if len(found) >= limit:
            return found[-limit:]
        span *= 4
    return tuple(times_between(cron, first, until, tz))[-limit:]


def count_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo) -> tuple[int, EpochMs]:
    """The number of starts in [first, until], at most `MAX_COUNTED`, and the last one. `first` is a start."""
    counted = list(islice(times_between(cron, first, until, tz), MAX_COUNTED))
    if len(counted) < MAX_COUNTED:
        return len(counted), counted[-1]
    return MAX_COUNTED, newest_between(cron, first, until, tz, 1)[0]


def _next_time_of_day(line: CronLine, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The next start of a line with times of day, each of which comes once a day, even when clocks change."""
    wall = _EPOCH + timedelta(milliseconds=after + _offset_ms(after, tz))
    while True:
        wall = line.next_wall(wall)
        at = _first_moment(wall, tz)
        if at > after:
            return at


def _next_repeating_time(line: CronLine, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The next start of a line that repeats every hour, which continues evenly when clocks change."""
    begin, local = after, after + _offset_ms(after, tz)
    while True:
        wall = line.next_wall(_EPOCH + timedelta(milliseconds=local))
        at = (wall - _EPOCH) // _MS - _offset_ms(begin, tz)
        change = _first_change(begin, at, tz)
        if change is None:
            return at
        begin, local = change, change + _offset_ms(change, tz) - 1


def _first_moment(wall: datetime, tz: tzinfo) -> EpochMs:
    """The moment when clocks first show this time, or skip it."""
    local = (wall - _EPOCH) // _MS
    before = _utc_offset_ms(wall.replace(tzinfo=tz))
    after = _utc_offset_ms(wall.replace(tzinfo=tz, fold=1))
    if before >= after:
        return local - before
    return _first_change(local - after - 1, local - before, tz) or local - before


def _first_change(begin: EpochMs, end: EpochMs, tz: tzinfo) -> EpochMs | None:
    """The first moment in (begin, end] with another UTC offset than at `begin`."""
    offset, low = _offset_ms(begin, tz), begin
    while low < end:
        high = min(low + _STRIDE, end)
        if _offset_ms(high, tz) != offset:
            break
        low = high
    else:
        return None

    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset_ms(middle, tz) == offset else (low, middle)
    return high


def _offset_ms(at: EpochMs, tz: tzinfo) -> int:
    """The UTC offset at this moment, in milliseconds."""
    return _utc_offset_ms(datetime.fromtimestamp(at / 1000, tz))


def _utc_offset_ms(local: datetime) -> int:
    return (local.utcoffset() or timedelta()) // _MS
