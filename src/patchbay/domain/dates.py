"""Names of days and months in English.

`strftime` gives those of the system's language once Qt has set it, in the middle of English words.
"""

import re
from datetime import date
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def day_name(at: date) -> str:
    """ "Sat"."""
    return DAYS[at.weekday()]


def month_name(at: date) -> str:
    """ "Nov"."""
    return MONTHS[at.month - 1]


def full_month_name(at: date) -> str:
    """ "November"."""
    return MONTH_NAMES[at.month - 1]


# MERGED: Time zones by name, as people and calendars of others write them.

_NAME = re.compile(r"[A-Za-z0-9_+-]{1,40}(/[A-Za-z0-9_+-]{1,40}){0,3}")
"""The form of every IANA name. A longer one would be looked for as a path of packages, level by level."""


def find_time_zone(name: str) -> ZoneInfo | None:
    """The zone of this IANA name, such as Europe/Vienna; None when this computer doesn't know it."""
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
