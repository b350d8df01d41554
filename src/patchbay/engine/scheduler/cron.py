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
from patchbay.domain.time_zones import find_time_zone
from patchbay.engine.scheduler.lines import CronLine

MAX_COUNTED = 10_000
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
        if name and find_time_zone(name):
            return name
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    hours = round(offset.total_seconds() / 3600)
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def next_time(cron: str, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The first start after `after` of a cron line with five fields.

    Raises `ValueError` for a line that cannot be read, or that names no day at all.
    """
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
    span = _HOUR
    while until - span > first:
        begin = next_time(cron, until - span, tz)
        found = tuple(times_between(cron, begin, until, tz))
        if len(found) >= limit:
            return found[-limit:]
        span *= 4
    return tuple(times_between(cron, first, until, tz))[-limit:]


def count_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo) -> tuple[int, EpochMs]:
    """How many starts are in [first, until], at most `MAX_COUNTED`, and the last of all; `first` is one."""
    counted = list(islice(times_between(cron, first, until, tz), MAX_COUNTED))
    if len(counted) < MAX_COUNTED:
        return len(counted), counted[-1]
    return MAX_COUNTED, newest_between(cron, first, until, tz, 1)[0]


def _next_time_of_day(line: CronLine, after: EpochMs, tz: tzinfo) -> EpochMs:
    """For times of day: each comes once."""
    wall = _EPOCH + timedelta(milliseconds=after + _offset_ms(after, tz))
    while True:
        wall = line.next_wall(wall)
        at = _first_moment(wall, tz)
        if at > after:
            return at


def _next_repeating_time(line: CronLine, after: EpochMs, tz: tzinfo) -> EpochMs:
    """For whatever the clock shows: from one change of the clocks to the next it runs evenly."""
    begin, local = after, after + _offset_ms(after, tz)
    while True:
        wall = line.next_wall(_EPOCH + timedelta(milliseconds=local))
        at = (wall - _EPOCH) // _MS - _offset_ms(begin, tz)
        change = _first_change(begin, at, tz)
        if change is None:
            return at
        begin, local = change, change + _offset_ms(change, tz) - 1


def _first_moment(wall: datetime, tz: tzinfo) -> EpochMs:
    """When clocks first show this time, or jump over it."""
    local = (wall - _EPOCH) // _MS
    before = _utc_offset_ms(wall.replace(tzinfo=tz))
    after = _utc_offset_ms(wall.replace(tzinfo=tz, fold=1))
    if before >= after:
        return local - before
    return _first_change(local - after - 1, local - before, tz) or local - before


def _first_change(begin: EpochMs, end: EpochMs, tz: tzinfo) -> EpochMs | None:
    """The first moment in (begin, end] at which clocks are set to another offset than at `begin`."""
    offset, low = _offset_ms(begin, tz), begin
    while low < end:
        high = min(low + _STRIDE, end)
        if _offset_ms(high, tz) != offset:
            return _bisect_change(low, high, offset, tz)
        low = high
    return None


def _bisect_change(low: EpochMs, high: EpochMs, offset: int, tz: tzinfo) -> EpochMs:
    """The moment of the change between two others; to the millisecond."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset_ms(middle, tz) == offset else (low, middle)
    return high


def _offset_ms(at: EpochMs, tz: tzinfo) -> int:
    """How many milliseconds clocks are ahead of UTC at this moment."""
    return _utc_offset_ms(datetime.fromtimestamp(at / _SECOND, tz))


def _utc_offset_ms(local: datetime) -> int:
    return (local.utcoffset() or timedelta()) // _MS
