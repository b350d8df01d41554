"""Points in time as people write them. Nothing here reads a clock: `now` is always given."""

import re
from datetime import UTC, datetime, tzinfo

from patchbay.domain.base import EpochMs
from patchbay.domain.time_zones import find_time_zone
from patchbay.integration.values import refuse

_EPOCH = re.compile(r"-?\d{9,14}")
_NO_DATE = re.compile(r"\d{15}")
_MILLISECONDS_FROM = 10**11


def zone(name: str, key: str = "timeZone") -> tzinfo:
    """The time zone of that name, such as Europe/Berlin; raises `ValidationFailed` for an unknown one."""
    if not name or name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    if (found := find_time_zone(name)) is None:
        raise refuse(key, f"There is no time zone “{name[:60]}”.", "Use a name such as Europe/Berlin.")
    return found


def at(now: EpochMs, time_zone: tzinfo) -> datetime:
    """A clock value as a date in a zone."""
    return datetime.fromtimestamp(now / 1000, time_zone)


def epoch_ms(moment: datetime) -> EpochMs:
    return round(moment.timestamp() * 1000)


def parse_moment(text: str, *, time_zone: tzinfo, now: EpochMs, key: str = "input") -> datetime:
    """A date in any usual form; seconds and milliseconds since 1970 count too.

    Parts left out are midnight, today; a date without an offset is meant in `time_zone`. Day and month of
    `03/04/2026` are read the American way, as written first the month. Raises `ValidationFailed`.
    """
    text = text.strip()
    try:
        moment = _from_epoch(text) or _from_words(text, at(now, time_zone))
    except (ValueError, OverflowError, OSError, TypeError, RecursionError):
        moment = None
    if moment is None or not _is_whole(moment):
        shown = f"“{text[:60]}” is not a date." if text else "Enter a date."
        raise refuse(key, shown, "Write it like 2026-03-31 14:30.")
    return moment if moment.tzinfo else moment.replace(tzinfo=time_zone)


def _is_whole(moment: datetime) -> bool:
    """Whether its offset is one; the date parser takes +99:99."""
    try:
        moment.utcoffset()
    except (ValueError, OverflowError):
        return False
    return True


def _from_epoch(text: str) -> datetime | None:
    if not _EPOCH.fullmatch(text):
        return None
    value = int(text)
    return datetime.fromtimestamp(value / 1000 if abs(value) >= _MILLISECONDS_FROM else value, UTC)


def _from_words(text: str, today: datetime) -> datetime | None:
    if len(text) > 100 or not re.search(r"\d", text) or _NO_DATE.search(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        from dateutil import parser  # takes 20 ms to import; apps are loaded at every start

        midnight = today.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        return parser.parse(text, default=midnight)
