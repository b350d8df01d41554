"""Dates written and read by a pattern.

A pattern is made of: yyyy yy (year), MMMM MMM MM M (month), dd d (day), cccc ccc (weekday), HH H (hour 0-23),
hh h with a (hour 1-12, AM or PM), mm m (minute), ss s (second), SSS (milliseconds), Z ZZ ZZZ (offset as +5,
+05:00, +0500), z (time zone), X x (seconds or milliseconds since 1970). Text in 'single quotes' and all other
characters stand for themselves. Names are English.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from patchbay.domain.base import EpochMs
from patchbay.integration.moments import at, epoch_ms, parse_moment
from patchbay.integration.values import refuse

AUTOMATIC = "auto"
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TOKEN = re.compile(r"'([^']*)'|(yyyy|yy|M{1,4}|d{1,2}|c{3,4}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|SSS|Z{1,3}|[azXx])")
_MAX_PATTERN = 100
_MAX_TEXT = 1_000

PATTERNS = (
    "yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss ZZ", "yyyy-MM-dd'T'HH:mm:ssZZ", "MM/dd/yyyy",
    "MM/dd/yy", "MM-dd-yyyy", "dd/MM/yyyy", "dd/MM/yy", "dd-MM-yyyy", "dd.MM.yyyy", "dd.MM.yyyy HH:mm",
    "MM-yyyy", "MMM d yyyy", "MMMM d yyyy", "MMMM d yyyy HH:mm:ss", "d MMMM yyyy",
    "ccc MMM dd HH:mm:ss ZZZ yyyy", "h:mm a", "HH:mm", "X", "x",
)  # fmt: skip


def write(moment: datetime, pattern: str) -> str:
    """The date by the pattern."""
    _check(pattern, "toFormat")
    return _TOKEN.sub(lambda match: match[1] if match[2] is None else _WRITERS[match[2]](moment), pattern)


def read(text: str, pattern: str, time_zone: tzinfo, now: EpochMs) -> datetime:
    """The date in a text. Parts the pattern lacks are midnight, today; `auto` finds the form by itself."""
    if pattern in ("", AUTOMATIC):
        return parse_moment(text, time_zone=time_zone, now=now)
    _check(pattern, "fromFormat")
    text = text.strip()
    match = _reader(pattern).fullmatch(text) if len(text) <= _MAX_TEXT else None
    if match is None:
        raise refuse("input", f"“{text[:60]}” is not a date of the form {pattern}.")
    try:
        return _moment(match.groupdict(), time_zone, at(now, time_zone))
    except (ValueError, OverflowError, OSError):
        raise refuse("input", f"There is no such date as “{text[:60]}”.") from None


def _check(pattern: str, key: str) -> None:
    if not pattern.strip() or len(pattern) > _MAX_PATTERN:
        raise refuse(key, f"Enter a date pattern of 1 to {_MAX_PATTERN} characters.")


def _offset(moment: datetime, colon: str) -> str:
    minutes = round((moment.utcoffset() or timedelta()).total_seconds() / 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}{colon}{abs(minutes) % 60:02}"


def _narrow_offset(moment: datetime) -> str:
    full = _offset(moment, ":")
    hours = f"{full[0]}{int(full[1:3])}"
    return hours if full.endswith(":00") else hours + full[3:]


_WRITERS: dict[str, Callable[[datetime], str]] = {
    "yyyy": lambda t: f"{t.year:04}",
    "yy": lambda t: f"{t.year % 100:02}",
    "MMMM": lambda t: _MONTHS[t.month - 1],
    "MMM": lambda t: _MONTHS[t.month - 1][:3],
    "MM": lambda t: f"{t.month:02}",
    "M": lambda t: str(t.month),
    "dd": lambda t: f"{t.day:02}",
    "d": lambda t: str(t.day),
    "cccc": lambda t: _DAYS[t.weekday()],
    "ccc": lambda t: _DAYS[t.weekday()][:3],
    "HH": lambda t: f"{t.hour:02}",
    "H": lambda t: str(t.hour),
    "hh": lambda t: f"{t.hour % 12 or 12:02}",
    "h": lambda t: str(t.hour % 12 or 12),
    "mm": lambda t: f"{t.minute:02}",
    "m": lambda t: str(t.minute),
    "ss": lambda t: f"{t.second:02}",
    "s": lambda t: str(t.second),
    "SSS": lambda t: f"{t.microsecond // 1000:03}",
    "a": lambda t: "AM" if t.hour < 12 else "PM",
    "Z": _narrow_offset,
    "ZZ": lambda t: _offset(t, ":"),
    "ZZZ": lambda t: _offset(t, ""),
    "z": lambda t: str(t.tzinfo),
    "X": lambda t: str(epoch_ms(t) // 1000),
    "x": lambda t: str(epoch_ms(t)),
}

_OFFSET = r"(?P<offset>[+-]\d{1,2}(?::?\d{2})?|Z)"
_READERS = {
    "yyyy": r"(?P<year>\d{4})", "yy": r"(?P<year>\d{2})",
    "MMMM": f"(?P<name>{'|'.join(_MONTHS)})", "MMM": f"(?P<name>{'|'.join(name[:3] for name in _MONTHS)})",
    "MM": r"(?P<month>\d{2})", "M": r"(?P<month>\d{1,2})", "dd": r"(?P<day>\d{2})", "d": r"(?P<day>\d{1,2})",
    "cccc": f"(?:{'|'.join(_DAYS)})", "ccc": f"(?:{'|'.join(name[:3] for name in _DAYS)})",
    "HH": r"(?P<hour>\d{2})", "H": r"(?P<hour>\d{1,2})", "hh": r"(?P<hour>\d{2})", "h": r"(?P<hour>\d{1,2})",
    "mm": r"(?P<minute>\d{2})", "m": r"(?P<minute>\d{1,2})", "ss": r"(?P<second>\d{2})",
    "s": r"(?P<second>\d{1,2})", "SSS": r"(?P<milli>\d{3})", "a": r"(?P<half>[AaPp])\.?[Mm]\.?",
    "Z": _OFFSET, "ZZ": _OFFSET, "ZZZ": _OFFSET, "z": r"(?P<zone>[A-Za-z_/+-]{1,40})",
    "X": r"(?P<seconds>-?\d{1,11})", "x": r"(?P<millis>-?\d{1,14})",
}  # fmt: skip


def _reader(pattern: str) -> re.Pattern[str]:
    parts, end = [], 0
    for token in _TOKEN.finditer(pattern):
        parts.append(re.escape(pattern[end : token.start()]))
        parts.append(re.escape(token[1]) if token[2] is None else _READERS[token[2]])
        end = token.end()
    try:
        return re.compile("".join([*parts, re.escape(pattern[end:])]), re.IGNORECASE)
    except re.error:
        raise refuse("fromFormat", "The pattern names one part of the date twice.") from None


def _moment(parts: dict[str, str | None], zone: tzinfo, today: datetime) -> datetime:
    if parts.get("seconds") or parts.get("millis"):
        return at(int(parts.get("millis") or 0) or int(parts.get("seconds") or 0) * 1000, zone)
    return datetime(
        _year(parts.get("year"), today),
        _month(parts, today),
        _whole(parts, "day", 1 if parts.get("year") or parts.get("month") else today.day),
        _hour(parts),
        _whole(parts, "minute", 0),
        _whole(parts, "second", 0),
        _whole(parts, "milli", 0) * 1000,
        tzinfo=_zone(parts.get("offset"), zone),
    )


def _whole(parts: dict[str, str | None], name: str, otherwise: int) -> int:
    value = parts.get(name)
    return otherwise if value is None else int(value)


def _year(text: str | None, today: datetime) -> int:
    """Two digits are the year nearest to now: 68 is 2068 and 69 is 1969, as usual."""
    if text is None:
        return today.year
    return int(text) if len(text) == 4 else int(text) + (2000 if int(text) < 69 else 1900)


def _month(parts: dict[str, str | None], today: datetime) -> int:
    if name := parts.get("name"):
        return next(i for i, month in enumerate(_MONTHS, 1) if month[:3].lower() == name[:3].lower())
    return _whole(parts, "month", 1 if parts.get("year") else today.month)


def _hour(parts: dict[str, str | None]) -> int:
    hour = _whole(parts, "hour", 0)
    half = parts.get("half")
    return hour if half is None else hour % 12 + (12 if half.lower() == "p" else 0)


def _zone(offset: str | None, otherwise: tzinfo) -> tzinfo:
    if offset is None:
        return otherwise
    if offset.upper() == "Z":
        return UTC
    digits = offset[1:].replace(":", "")
    hours, minutes = (digits, "0") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    shift = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-shift if offset[0] == "-" else shift)
