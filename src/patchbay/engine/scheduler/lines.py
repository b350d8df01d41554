"""Cron lines as sets of numbers: which wall times they name, on calendars without time zones."""

import re
from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from croniter import CroniterError, croniter

MAX_CRON_LENGTH = 1000
_FIELDS = 5
_MAX_DAYS_SEARCHED = 366 * 9
"""A 29th of February may be eight years off."""
_DAY = timedelta(days=1)
_SINGLE_VALUE_RANGE = re.compile(r"(?<!\w)(\w+)-\1(/\d+)?(?!\w)")
"""A range such as 9-9, which croniter takes for a star."""


@dataclass(frozen=True, slots=True)
class CronLine:
    """What a cron line names. Where both days of the month and weekdays are named, either is enough."""

    times: tuple[time, ...]
    """Times of day, in order."""
    every_hour: bool
    """The hour begins with a star: the line counts minutes, rather than naming times of day."""
    days: frozenset[int] | None
    last_day: bool
    months: frozenset[int] | None
    weekdays: frozenset[int] | None
    """Sunday is 0."""
    which: Mapping[int, frozenset[int]]
    """Of a weekday only these in the month: 1 the first, -1 the last."""

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, cron: str) -> "CronLine":
        """Read a line of five fields; L is the last day, 5#2 the second Friday, L5 the last one.

        Raises `ValueError` for anything else.
        """
        if len(cron) > MAX_CRON_LENGTH:
            raise ValueError(f"A cron line has at most {MAX_CRON_LENGTH:,} characters.")
        if len(cron.split()) != _FIELDS:
            raise ValueError(f"A cron line has five fields, unlike “{cron}”.")
        try:
            (minutes, hours, days, months, weekdays), which = croniter.expand(
                _SINGLE_VALUE_RANGE.sub(r"\1", cron)
            )
        except CroniterError:  # its words may be a whole stack trace
            raise ValueError(f"“{cron}” isn't a cron line.") from None
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
        """The first time after this one, both as clocks show them. Raises `ValueError` when there is none."""
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
        """Whether it has times on this day."""
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
