"""The tokens of date patterns, named as in Luxon, and how to format and parse each.

yyyy yy y (year), MMMM MMM MM M or L (month), dd d (day), cccc ccc c or E (weekday), HH H (hour 0-23), hh h
with a (hour 1-12, AM or PM), mm m (minute), ss s (second), SSS S (milliseconds), Z ZZ ZZZ ZZZZ (offset as +5,
+05:00, +0500, EST), z (time zone), X x (seconds or milliseconds since 1970), q (quarter), W (ISO week), kkkk
(its year), o (day of the year), D DD DDD DDDD t tt T TT f ff F FF (dates and times as Americans write them).
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from patchbay.domain.clock import MONTH_NAMES, WEEKDAY_NAMES
from patchbay.integration.values import epoch_ms

TOKEN = re.compile(r"'([^']*)(?:'|$)|(([A-Za-z])\3*)")
"""Quoted text, or a letter repeated."""
_AMERICAN = ("America/", "US/", "Pacific/Honolulu")
_ABBREVIATIONS = frozenset(
    (
        "EST",
        "EDT",
        "CST",
        "CDT",
        "MST",
        "MDT",
        "PST",
        "PDT",
        "AKST",
        "AKDT",
        "HST",
    )
)


def _offset(moment: datetime, colon: str) -> str:
    minutes = round((moment.utcoffset() or timedelta()).total_seconds() / 60)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}{colon}{abs(minutes) % 60:02}"


def _narrow_offset(moment: datetime) -> str:
    full = _offset(moment, ":")
    hours = f"{full[0]}{int(full[1:3])}"
    return hours if full.endswith(":00") else hours + full[3:]


def _named_offset(moment: datetime) -> str:
    """`EST`, or `GMT+1` where English has no common abbreviation."""
    zone, name = str(moment.tzinfo), moment.tzname() or ""
    if moment.tzinfo is UTC or (zone.startswith(_AMERICAN) and name in _ABBREVIATIONS):
        return name
    narrow = _narrow_offset(moment)
    return "GMT" if narrow in ("+0", "-0") else f"GMT{narrow}"


def _quarter(moment: datetime) -> int:
    return (moment.month + 2) // 3


def _date(moment: datetime) -> str:
    return f"{moment.month}/{moment.day}/{moment.year}"


def _medium_date(moment: datetime) -> str:
    return f"{MONTH_NAMES[moment.month - 1][:3]} {moment.day}, {moment.year}"


def _long_date(moment: datetime) -> str:
    return f"{MONTH_NAMES[moment.month - 1]} {moment.day}, {moment.year}"


def _time(moment: datetime) -> str:
    return f"{moment.hour % 12 or 12}:{moment.minute:02} {'AM' if moment.hour < 12 else 'PM'}"


def _time_with_seconds(moment: datetime) -> str:
    hour, half = moment.hour % 12 or 12, "AM" if moment.hour < 12 else "PM"
    return f"{hour}:{moment.minute:02}:{moment.second:02} {half}"


WRITERS: dict[str, Callable[[datetime], str]] = {
    "y": lambda t: str(t.year),
    "yyyy": lambda t: f"{t.year:04}",
    "yyyyyy": lambda t: f"{t.year:06}",
    "yy": lambda t: f"{t.year % 100:02}",
    "MMMM": lambda t: MONTH_NAMES[t.month - 1],
    "MMM": lambda t: MONTH_NAMES[t.month - 1][:3],
    "MM": lambda t: f"{t.month:02}",
    "M": lambda t: str(t.month),
    "dd": lambda t: f"{t.day:02}",
    "d": lambda t: str(t.day),
    "cccc": lambda t: WEEKDAY_NAMES[t.weekday()],
    "ccc": lambda t: WEEKDAY_NAMES[t.weekday()][:3],
    "HH": lambda t: f"{t.hour:02}",
    "H": lambda t: str(t.hour),
    "hh": lambda t: f"{t.hour % 12 or 12:02}",
    "h": lambda t: str(t.hour % 12 or 12),
    "mm": lambda t: f"{t.minute:02}",
    "m": lambda t: str(t.minute),
    "ss": lambda t: f"{t.second:02}",
    "s": lambda t: str(t.second),
    "S": lambda t: str(t.microsecond // 1000),
    "SSS": lambda t: f"{t.microsecond // 1000:03}",
    "u": lambda t: f"{t.microsecond // 1000:03}",
    "uu": lambda t: f"{t.microsecond // 10_000:02}",
    "uuu": lambda t: str(t.microsecond // 100_000),
    "a": lambda t: "AM" if t.hour < 12 else "PM",
    "c": lambda t: str(t.isoweekday()),
    "ccccc": lambda t: WEEKDAY_NAMES[t.weekday()][0],
    "MMMMM": lambda t: MONTH_NAMES[t.month - 1][0],
    "q": lambda t: str(_quarter(t)),
    "qq": lambda t: f"{_quarter(t):02}",
    "o": lambda t: str(t.timetuple().tm_yday),
    "ooo": lambda t: f"{t.timetuple().tm_yday:03}",
    "W": lambda t: str(t.isocalendar().week),
    "WW": lambda t: f"{t.isocalendar().week:02}",
    "kk": lambda t: f"{t.isocalendar().year % 100:02}",
    "kkkk": lambda t: f"{t.isocalendar().year:04}",
    "G": lambda t: "AD",
    "GG": lambda t: "Anno Domini",
    "GGGGG": lambda t: "A",
    "Z": _narrow_offset,
    "ZZ": lambda t: _offset(t, ":"),
    "ZZZ": lambda t: _offset(t, ""),
    "ZZZZ": _named_offset,
    "z": lambda t: str(t.tzinfo),
    "X": lambda t: str(epoch_ms(t) // 1000),
    "x": lambda t: str(epoch_ms(t)),
    "D": _date,
    "DD": _medium_date,
    "DDD": _long_date,
    "DDDD": lambda t: f"{WEEKDAY_NAMES[t.weekday()]}, {_long_date(t)}",
    "t": _time,
    "tt": _time_with_seconds,
    "T": lambda t: f"{t.hour:02}:{t.minute:02}",
    "TT": lambda t: f"{t.hour:02}:{t.minute:02}:{t.second:02}",
    "f": lambda t: f"{_date(t)}, {_time(t)}",
    "ff": lambda t: f"{_medium_date(t)}, {_time(t)}",
    "F": lambda t: f"{_date(t)}, {_time_with_seconds(t)}",
    "FF": lambda t: f"{_medium_date(t)}, {_time_with_seconds(t)}",
}
WRITERS |= {
    other * length: WRITERS[usual * length]
    for other, usual, lengths in (("L", "M", (1, 2, 3, 4, 5)), ("E", "c", (1, 3, 4, 5)))
    for length in lengths
}

UNSUPPORTED = frozenset((
    "ZZZZZ", "TTT", "TTTT", "ttt", "tttt", "fff", "ffff", "FFF", "FFFF", "n", "nn", "ii", "iiii",
))  # fmt: skip
"""Rejected tokens, which would need names of time zones or the weeks of a country."""

_OFFSET = r"(?P<offset>[+-]\d{1,2}(?::?\d{2})?|Z)"
READERS = {
    "yyyy": r"(?P<year>\d{4})", "yy": r"(?P<year>\d{2})",
    "MMMM": f"(?P<name>{'|'.join(MONTH_NAMES)})",
    "MMM": f"(?P<name>{'|'.join(name[:3] for name in MONTH_NAMES)})",
    "MM": r"(?P<month>\d{2})", "M": r"(?P<month>\d{1,2})", "dd": r"(?P<day>\d{2})", "d": r"(?P<day>\d{1,2})",
    "cccc": f"(?:{'|'.join(WEEKDAY_NAMES)})", "ccc": f"(?:{'|'.join(name[:3] for name in WEEKDAY_NAMES)})",
    "HH": r"(?P<hour>\d{2})", "H": r"(?P<hour>\d{1,2})", "hh": r"(?P<hour>\d{2})", "h": r"(?P<hour>\d{1,2})",
    "mm": r"(?P<minute>\d{2})", "m": r"(?P<minute>\d{1,2})", "ss": r"(?P<second>\d{2})",
    "s": r"(?P<second>\d{1,2})", "SSS": r"(?P<milli>\d{3})", "a": r"(?P<half>[AaPp])\.?[Mm]\.?",
    "Z": _OFFSET, "ZZ": _OFFSET, "ZZZ": _OFFSET, "z": r"(?P<zone>[A-Za-z_/+-]{1,40})",
    "X": r"(?P<seconds>-?\d{1,11})", "x": r"(?P<millis>-?\d{1,14})", "y": r"(?P<year>\d{3,6})",
    "S": r"(?P<milli>\d{1,3})", "c": "[1-7]",
}  # fmt: skip
READERS |= {other * length: READERS[usual * length]
            for other, usual, lengths in (("L", "M", (1, 2, 3, 4)), ("E", "c", (1, 3, 4)))
            for length in lengths}  # fmt: skip
