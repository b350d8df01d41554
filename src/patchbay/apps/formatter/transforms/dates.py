"""Format and parse dates with a pattern of tokens; see `date_tokens`.

Text in 'single quotes' and everything that isn't a token is literal. Names are English.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from patchbay.domain.base import EpochMs
from patchbay.domain.clock import MONTH_NAMES
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import local_time, parameter_error, parse_date_time

from .date_tokens import READERS, TOKEN, UNSUPPORTED, WRITERS

AUTOMATIC = "auto"
_MAX_PATTERN = 100
_MAX_TEXT = 1_000

PATTERNS = (
    "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss ZZ", "yyyy-MM-dd'T'HH:mm:ssZZ", "MM/dd/yyyy",
    "MM/dd/yy", "MM-dd-yyyy", "dd/MM/yyyy", "dd/MM/yy", "dd-MM-yyyy", "dd.MM.yyyy", "dd.MM.yyyy HH:mm",
    "MM-yyyy", "MMM d yyyy", "MMMM d yyyy", "MMMM d yyyy HH:mm:ss", "d MMMM yyyy",
    "ccc MMM dd HH:mm:ss ZZZ yyyy", "h:mm a", "HH:mm", "X", "x",
)  # fmt: skip


def write(moment: datetime, pattern: str) -> str:
    """Format a date with a pattern."""
    _check(pattern, "toFormat")

    def written(match: re.Match[str]) -> str:
        token = match[2]
        if token is None:
            return match[1]
        if token in UNSUPPORTED:
            raise _unsupported(token, "toFormat")
        return WRITERS[token](moment) if token in WRITERS else token

    return TOKEN.sub(written, pattern)


def read(text: str, pattern: str, time_zone: tzinfo, now: EpochMs) -> datetime:
    """Parse a date. Missing parts default to today, midnight; `auto` detects the format."""
    if pattern in ("", AUTOMATIC):
        return parse_date_time(text, time_zone=time_zone, now=now)
    _check(pattern, "fromFormat")
    text = text.strip()
    match = _reader(pattern).fullmatch(text) if len(text) <= _MAX_TEXT else None
    if match is None:
        raise parameter_error("input", f"“{text[:60]}” isn't a date in the format {pattern}.")
    try:
        return _build_date_time(match.groupdict(), time_zone, local_time(now, time_zone))
    except (ValueError, OverflowError, OSError):
        raise parameter_error("input", f"The date “{text[:60]}” doesn't exist.") from None


def _unsupported(token: str, key: str) -> ValidationFailed:
    return parameter_error(
        key, f"The date token {token} isn't supported here.", "Use other tokens, as in yyyy-MM-dd."
    )


def _check(pattern: str, key: str) -> None:
    if not pattern.strip() or len(pattern) > _MAX_PATTERN:
        raise parameter_error(key, f"Enter a date pattern of 1 to {_MAX_PATTERN} characters.")


def _reader(pattern: str) -> re.Pattern[str]:
    parts, end = [], 0
    for found in TOKEN.finditer(pattern):
        token = found[2]
        if token in UNSUPPORTED or (token in WRITERS and token not in READERS):
            raise _unsupported(token, "fromFormat")
        parts.append(re.escape(pattern[end : found.start()]))
        parts.append(re.escape(found[1]) if token is None else READERS.get(token, re.escape(token)))
        end = found.end()
    try:
        return re.compile("".join([*parts, re.escape(pattern[end:])]), re.IGNORECASE)
    except re.error:
        raise parameter_error(
            "fromFormat", "The pattern contains a part of the date more than once."
        ) from None


def _build_date_time(parts: dict[str, str | None], zone: tzinfo, today: datetime) -> datetime:
    if parts.get("seconds") or parts.get("millis"):
        return local_time(int(parts.get("millis") or 0) or int(parts.get("seconds") or 0) * 1000, zone)
    return datetime(
        _year(parts.get("year"), today),
        _month(parts, today),
        _part_as_int(parts, "day", 1 if parts.get("year") or parts.get("month") else today.day),
        _hour(parts),
        _part_as_int(parts, "minute", 0),
        _part_as_int(parts, "second", 0),
        _part_as_int(parts, "milli", 0) * 1000,
        tzinfo=_zone(parts.get("offset"), zone),
    )


def _part_as_int(parts: dict[str, str | None], name: str, default: int) -> int:
    value = parts.get(name)
    return default if value is None else int(value)


def _year(text: str | None, today: datetime) -> int:
    """The year of two digits: up to 60 is 20xx, higher is 19xx."""
    if text is None:
        return today.year
    return int(text) if len(text) != 2 else int(text) + (2000 if int(text) <= 60 else 1900)


def _month(parts: dict[str, str | None], today: datetime) -> int:
    if name := parts.get("name"):
        return next(i for i, month in enumerate(MONTH_NAMES, 1) if month[:3].lower() == name[:3].lower())
    return _part_as_int(parts, "month", 1 if parts.get("year") else today.month)


def _hour(parts: dict[str, str | None]) -> int:
    hour = _part_as_int(parts, "hour", 0)
    half = parts.get("half")
    return hour if half is None else hour % 12 + (12 if half.lower() == "p" else 0)


def _zone(offset: str | None, default: tzinfo) -> tzinfo:
    if offset is None:
        return default
    if offset.upper() == "Z":
        return UTC
    digits = offset[1:].replace(":", "")
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    shift = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-shift if offset[0] == "-" else shift)
