"""Cron lines in local time: when next, and how often since."""

import os
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import croniter

from patchbay.domain.base import EpochMs

_COUNT_LIMIT = 10_000


def local_zone() -> str:
    """The IANA name of the computer's time zone; where it has none, the present offset as a fixed zone."""
    linked = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    written = Path("/etc/timezone")
    for name in (os.environ.get("TZ", ""), linked, written.read_text().strip() if written.is_file() else ""):
        if name and _is_zone(name):
            return name
    offset = datetime.now().astimezone().utcoffset() or timedelta()
    hours = round(offset.total_seconds() / 3600)
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def next_time(cron: str, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The first time after `after` that matches a cron line (five fields) on the clocks of `tz`.

    Where clocks go forward, a time that does not exist is taken at the moment they jump. Where they go back,
    a fixed hour comes once, and lines that run in every hour go on through the repeated one.
    """
    wall = _next_on_the_wall(cron, after, tz)
    if cron.split()[1].startswith("*"):
        elapsed = _next_elapsed(cron, after, tz)
        return min(wall, elapsed) if after < elapsed <= after + 3_600_000 else wall
    return wall


def count_between(cron: str, first: EpochMs, until: EpochMs, tz: tzinfo) -> tuple[int, EpochMs]:
    """How many times match in [first, until], where `first` is one of them, and the last of them."""
    count, last = 1, first
    while count < _COUNT_LIMIT and (at := next_time(cron, last, tz)) <= until:
        count, last = count + 1, at
    return count, last


def _next_on_the_wall(cron: str, after: EpochMs, tz: tzinfo) -> EpochMs:
    local = datetime.fromtimestamp(after / 1000, tz).replace(tzinfo=None)
    times = croniter(cron, local)
    while True:
        at = _epoch(times.get_next(datetime), tz)
        if at > after:
            return at


def _next_elapsed(cron: str, after: EpochMs, tz: tzinfo) -> EpochMs:
    offset = datetime.fromtimestamp(after / 1000, tz).utcoffset() or timedelta()
    shift = offset.total_seconds() * 1000
    naive = datetime(1970, 1, 1) + timedelta(milliseconds=after + shift)
    at: datetime = croniter(cron, naive).get_next(datetime)
    return int((at - datetime(1970, 1, 1)).total_seconds() * 1000 - shift)


def _epoch(local: datetime, tz: tzinfo) -> EpochMs:
    return int(local.replace(tzinfo=tz).timestamp() * 1000)
