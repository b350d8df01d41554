"""Cron lines, and the times at which schedules start in a time zone. Pure functions.

`CronLine` works on wall-clock times without a time zone. The functions below it turn these into moments, and
deal with clock changes. They accept several lines, one below the other: a schedule starts at the times of all
of them, and once if several match.
"""

import logging
import os
import re
import warnings
from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from patchbay.domain.base import EpochMs
from patchbay.domain.clock import HOUR_MS, find_time_zone

_log = logging.getLogger(__name__)

MAX_CRON_LENGTH = 1000
MAX_COUNTED = 10_000
"""Missed starts are counted up to this number."""
MAX_LINES = 50
_FIELD_NAMES = ("minute", "hour", "day of the month", "month", "day of the week")
_SEARCHED = timedelta(days=366 * 9)
"""29 February may be 8 years away."""
_MORE_THAN_A_MONTH = timedelta(days=32)
_DAY = timedelta(days=1)
_SINGLE_VALUE_RANGE = re.compile(r"(?<!\w)(\w+)-\1(/\d+)?(?!\w)")
"""A range such as 9-9, which croniter treats like a star."""
_NEAREST_WEEKDAY = re.compile(r"([1-9]|[12][0-9]|3[01])W", re.IGNORECASE)
_EVERY_N_DAYS = re.compile(r"(\d{4}-\d{2}-\d{2})/(\d{1,3})")
_SATURDAY, _SUNDAY = 5, 6


@dataclass(frozen=True, slots=True)
class _DayRules:
    """The rules for days of the month that croniter doesn't know."""

    nearest: frozenset[int] = frozenset()
    """The weekday nearest to these days, within the month."""
    last_weekday: bool = False
    every: tuple[tuple[date, int], ...] = ()
    """Every n-th day from a date on."""

    @classmethod
    def split(cls, field: str) -> tuple["_DayRules", str]:
        """The rules in a field of days of the month, and the rest of the field."""
        parts = field.split(",")
        nearest = [match for part in parts if (match := _NEAREST_WEEKDAY.fullmatch(part))]
        every = [match for part in parts if (match := _EVERY_N_DAYS.fullmatch(part))]
        known = {match[0] for match in (*nearest, *every)}
        others = [part for part in parts if part not in known and part.upper() != "LW"]
        rules = cls(
            frozenset(int(match[1]) for match in nearest),
            any(part.upper() == "LW" for part in parts),
            tuple((date.fromisoformat(match[1]), _positive(match[2])) for match in every),
        )
        return rules, ",".join(others) or "*"

    def __bool__(self) -> bool:
        return bool(self.nearest or self.last_weekday or self.every)

    def earliest(self) -> date:
        """A day before which none of the rules names a day."""
        if self.nearest or self.last_weekday or not self.every:
            return date(1970, 1, 1)
        return max(date(1970, 1, 1), min(start for start, _ in self.every))

    def matches(self, day: date) -> bool:
        """Whether one of the rules names this day."""
        if any(day >= start and (day - start).days % step == 0 for start, step in self.every):
            return True
        if not (self.nearest or self.last_weekday) or day.weekday() >= _SATURDAY:
            return False
        last = monthrange(day.year, day.month)[1]
        if self.last_weekday and day.day == _nearest_weekday(day.replace(day=last), last):
            return True
        return any(
            number <= last and day.day == _nearest_weekday(day.replace(day=number), last)
            for number in self.nearest
        )


def _positive(digits: str) -> int:
    number = int(digits)
    if not number:
        raise ValueError("The number of days must be at least 1.")
    return number


def _nearest_weekday(day: date, last: int) -> int:
    """The day of the month from Monday to Friday that is nearest to `day`; `last` is the month's last day."""
    if day.weekday() == _SATURDAY:
        return day.day - 1 if day.day > 1 else day.day + 2
    if day.weekday() == _SUNDAY:
        return day.day + 1 if day.day < last else day.day - 2
    return day.day


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
    rules: _DayRules = _DayRules()

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, cron: str) -> "CronLine":
        """Parse a line of five fields.

        L is the last day, LW the last weekday of the month, 15W the weekday nearest to the 15th,
        2026-03-31/3 every third day from then on, 5#2 the second Friday, L5 the last one. Raises `ValueError`
        for anything else.
        """
        if len(cron) > MAX_CRON_LENGTH:
            raise ValueError(f"A cron line has at most {MAX_CRON_LENGTH:,} characters.")
        fields = cron.split()
        if len(fields) != len(_FIELD_NAMES):
            raise ValueError(f"A cron line needs 5 fields, unlike “{cron}”.")
        given, rules = [*fields], _DayRules()
        try:
            rules, fields[2] = _DayRules.split(fields[2])
            (minutes, hours, days, months, weekdays), which = _expand(fields)
        except ValueError:  # the message of croniter may be a whole stack trace
            raise ValueError(_problem_with(given)) from None
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
            rules=rules,
        )

    def next_wall(self, after: datetime) -> datetime:
        """The next wall-clock time after this one. Raises `ValueError` if there is none."""
        day = after.date()
        if self.matches_day(day):
            later = bisect_right(self.times, after.time())
            if later < len(self.times):
                return datetime.combine(day, self.times[later])
        end = day + _SEARCHED
        if self.names_days and self.weekdays is None and not (self.days or self.last_day):
            day = max(day, self.rules.earliest() - _DAY)
        while (day := self._later_day(day)) <= end:
            if self.matches_day(day):
                return datetime.combine(day, self.times[0])
        raise ValueError("This schedule never matches any date.")

    def _later_day(self, day: date) -> date:
        """The next day in one of the months."""
        day += _DAY
        while self.months is not None and day.month not in self.months:
            day = (day.replace(day=1) + _MORE_THAN_A_MONTH).replace(day=1)
        return day

    def matches_day(self, day: date) -> bool:
        """Whether the line matches this day."""
        if self.months is not None and day.month not in self.months:
            return False
        named = self.names_days
        if named and self.weekdays is not None:
            return self._names_number(day) or self._names_weekday(day)
        return (not named or self._names_number(day)) and (self.weekdays is None or self._names_weekday(day))

    @property
    def names_days(self) -> bool:
        """Whether it names days of the month."""
        return self.days is not None or self.last_day or bool(self.rules)

    def _names_number(self, day: date) -> bool:
        last = self.last_day and day.day == monthrange(day.year, day.month)[1]
        return last or (self.days is not None and day.day in self.days) or self.rules.matches(day)

    def _names_weekday(self, day: date) -> bool:
        weekday = day.isoweekday() % 7
        if self.weekdays is None or weekday not in self.weekdays:
            return False
        which = self.which.get(weekday)
        if which is None:
            return True
        last = -1 in which and day.day + 7 > monthrange(day.year, day.month)[1]
        return last or (day.day - 1) // 7 + 1 in which


def _expand(fields: Sequence[str]) -> tuple[list[list[Any]], dict[int, set[Any]]]:
    """The values of each field, and the occurrences of weekdays. Raises `ValueError`."""
    from croniter import croniter  # takes a while to import, and most workspaces open without it

    expanded, which = croniter.expand(_SINGLE_VALUE_RANGE.sub(r"\1", " ".join(fields)))
    return expanded, which


def _problem_with(fields: Sequence[str]) -> str:
    """Why these fields aren't a cron line: the first one that is wrong on its own."""
    for place, (name, field) in enumerate(zip(_FIELD_NAMES, fields, strict=True)):
        only = ["*"] * len(fields)
        try:
            only[place] = _DayRules.split(field)[1] if name == "day of the month" else field
            _expand(only)
        except ValueError:
            return f"“{field}” isn't a valid {name}."
    return f"“{' '.join(fields)}” isn't a valid cron line."


def parse_schedule(cron: str) -> tuple[CronLine, ...]:
    """The lines of a schedule, without empty ones. Raises `ValueError` for an invalid one."""
    lines = [line.strip() for line in cron.splitlines() if line.strip()]
    if not lines:
        raise ValueError("Enter a cron line.")
    if len(lines) > MAX_LINES:
        raise ValueError(f"A schedule has at most {MAX_LINES} cron lines.")
    return tuple(map(CronLine.of, lines))


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
    if (name := _zone_from_system()) and find_time_zone(name):
        return name
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    hours = round(offset.total_seconds() / 3600)
    if not hours:
        return "UTC"
    zone = f"Etc/GMT{-hours:+d}"
    _log.warning("The name of the computer's time zone is unknown. Schedules use %s, all year.", zone)
    return zone


def _zone_from_system() -> str:
    """The IANA name of the zone in the registry of Windows, or in other files; empty if there is none."""
    import tzlocal

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a guess comes with a warning
            return tzlocal.get_localzone_name() or ""
    except (LookupError, ValueError, OSError, UserWarning) as error:
        _log.info("The system doesn't name its time zone: %s", error)
        return ""


def next_time(cron: str, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The first start of a schedule after `after`. Raises `ValueError` if it is invalid or never matches."""
    found: list[EpochMs] = []
    problem: ValueError | None = None
    for line in parse_schedule(cron):
        find_next = _next_repeating_time if line.every_hour else _next_time_of_day
        try:
            found.append(find_next(line, after, tz))
        except ValueError as error:  # another line may match
            problem = error
    if problem is not None and not found:
        raise problem
    return min(found)


def next_times(cron: str, after: EpochMs, tz: tzinfo, count: int) -> tuple[EpochMs, ...]:
    """The next starts after `after`, at most `count`. Raises `ValueError` as `next_time` if there is none."""
    found = [next_time(cron, after, tz)]
    while len(found) < count:
        try:
            found.append(next_time(cron, found[-1], tz))
        except ValueError:
            break
    return tuple(found)


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
