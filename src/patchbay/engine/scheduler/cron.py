"""Schedules on the clocks of a time zone: when next, and when since. Pure functions of their arguments.

There are two kinds of cron lines, and they differ on the two days of the year when clocks change. A line
whose hour begins with a star (every N minutes, every hour) starts whenever the clock shows one of its times:
what a jump leaves out is left out, and an hour that comes twice counts twice. Any other line names times of
day, and each of them starts once: at the moment of the jump where the clock never shows it, and at the first
of the two where it shows it twice.
"""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from itertools import islice
from pathlib import Path

from patchbay.domain.base import EpochMs
from patchbay.domain.time_zones import find_zone
from patchbay.engine.scheduler.lines import CronLine

MOST_COUNTED = 10_000
"""Missed times are counted up to here."""
_EPOCH = datetime(1970, 1, 1)
_MS = timedelta(milliseconds=1)
_SECOND = 1000
_HOUR = 3_600_000
_STRIDE = 12 * _HOUR
"""Two changes of the clocks are never closer."""


def local_zone() -> str:
    """The IANA name of the computer's time zone; where it has none, the present offset as a fixed zone."""
    linked = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    written = Path("/etc/timezone")
    for name in (os.environ.get("TZ", ""), linked, written.read_text().strip() if written.is_file() else ""):
        if name and find_zone(name):
            return name
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    hours = round(offset.total_seconds() / 3600)
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def next_time(cron: str, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The first start after `after` of a cron line with five fields.

    Raises `ValueError` for a line that cannot be read, or that names no day at all.
    """
    line = CronLine.of(cron)
    return _next_shown(line, after, tz) if line.every_hour else _next_named(line, after, tz)


def times_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo) -> Iterator[EpochMs]:
    """All starts in [first, until], where `first` is one of them."""
    at = first
    while at <= until:
        yield at
        at = next_time(cron, at, tz)


def newest_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo, limit: int) -> tuple[EpochMs, ...]:
    """The last `limit` starts in [first, until], oldest first, where `first` is one of them."""
    span = _HOUR
    while until - span > first:
        begin = next_time(cron, until - span, tz)
        found = tuple(times_between(cron, begin, until, tz))
        if len(found) >= limit:
            return found[-limit:]
        span *= 4
    return tuple(times_between(cron, first, until, tz))[-limit:]


def count_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo) -> tuple[int, EpochMs]:
    """How many starts are in [first, until], at most `MOST_COUNTED`, and the last of all; `first` is one."""
    counted = list(islice(times_between(cron, first, until, tz), MOST_COUNTED))
    if len(counted) < MOST_COUNTED:
        return len(counted), counted[-1]
    return MOST_COUNTED, newest_between(cron, first, until, tz, 1)[0]


def _next_named(line: CronLine, after: EpochMs, tz: tzinfo) -> EpochMs:
    """For times of day: each comes once."""
    wall = _EPOCH + timedelta(milliseconds=after + _offset(after, tz))
    while True:
        wall = line.next_wall(wall)
        at = _first_moment(wall, tz)
        if at > after:
            return at


def _next_shown(line: CronLine, after: EpochMs, tz: tzinfo) -> EpochMs:
    """For whatever the clock shows: from one change of the clocks to the next it runs evenly."""
    begin, local = after, after + _offset(after, tz)
    while True:
        wall = line.next_wall(_EPOCH + timedelta(milliseconds=local))
        at = (wall - _EPOCH) // _MS - _offset(begin, tz)
        change = _first_change(begin, at, tz)
        if change is None:
            return at
        begin, local = change, change + _offset(change, tz) - 1


def _first_moment(wall: datetime, tz: tzinfo) -> EpochMs:
    """When clocks first show this time, or jump over it."""
    local = (wall - _EPOCH) // _MS
    before = _shift(wall.replace(tzinfo=tz))
    after = _shift(wall.replace(tzinfo=tz, fold=1))
    if before >= after:
        return local - before
    return _first_change(local - after - 1, local - before, tz) or local - before


def _first_change(begin: EpochMs, end: EpochMs, tz: tzinfo) -> EpochMs | None:
    """The first moment in (begin, end] at which clocks are set to another offset than at `begin`."""
    offset, low = _offset(begin, tz), begin
    while low < end:
        high = min(low + _STRIDE, end)
        if _offset(high, tz) != offset:
            return _narrowed(low, high, offset, tz)
        low = high
    return None


def _narrowed(low: EpochMs, high: EpochMs, offset: int, tz: tzinfo) -> EpochMs:
    """The moment of the change between two others; to the millisecond."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(middle, tz) == offset else (low, middle)
    return high


def _offset(at: EpochMs, tz: tzinfo) -> int:
    """How many milliseconds clocks are ahead of UTC at this moment."""
    return _shift(datetime.fromtimestamp(at / _SECOND, tz))


def _shift(local: datetime) -> int:
    return (local.utcoffset() or timedelta()) // _MS
