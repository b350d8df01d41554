"""Time zones by name, as people and calendars of others write them."""

import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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
