"""Time: the clock, spans in milliseconds, days on this computer, English names of days and months, time
zones.
"""

from __future__ import annotations

import re
import time
from datetime import date, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

if TYPE_CHECKING:  # importing pydantic would delay the first paint of the window
    from patchbay.domain.base import EpochMs

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
WEEK_MS = 7 * DAY_MS

# `strftime` uses the system's language once Qt has set the locale, so names are spelled out here.
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTH_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_ZONE_NAME = re.compile(r"[A-Za-z0-9_+-]{1,40}(/[A-Za-z0-9_+-]{1,40}){0,3}")
"""The form of every IANA name. `ZoneInfo` would look up a longer one as a path of packages, level by level.
"""


def now_ms() -> EpochMs:
    """Milliseconds since the epoch, by the system's clock."""
    return time.time_ns() // 1_000_000


def midnight(at: EpochMs) -> EpochMs:
    """The start of the day that contains `at`, in this computer's time zone."""
    # Without a zone in between: on a day when the clocks change, midnight has another offset than `at`.
    day = datetime.fromtimestamp(at / 1000).replace(hour=0, minute=0, second=0, microsecond=0)
    return int(day.timestamp() * 1000)


def local_datetime(at: EpochMs) -> datetime:
    """The time in this computer's time zone."""
    return datetime.fromtimestamp(at / 1000).astimezone()


def format_local_time(at: EpochMs, *, seconds: bool = False) -> str:
    """The time in this computer's time zone: 2026-11-20 14:38, with `seconds` 2026-11-20 14:38:05."""
    return local_datetime(at).strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")


def day_name(at: date) -> str:
    """Return the short name of the weekday, such as "Sat"."""
    return DAYS[at.weekday()]


def month_name(at: date) -> str:
    """Return the short name of the month, such as "Nov"."""
    return MONTHS[at.month - 1]


def full_month_name(at: date) -> str:
    """Return the full name of the month, such as "November"."""
    return MONTH_NAMES[at.month - 1]


def find_time_zone(name: str) -> ZoneInfo | None:
    """The zone with this IANA name, such as Europe/Vienna; None if this computer doesn't know it."""
    if not _ZONE_NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
