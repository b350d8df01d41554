"""Parses step parameters: text, numbers, Booleans, dates, and time zones. Raises `ValidationFailed`."""

import re
from datetime import UTC, datetime, tzinfo
from decimal import Decimal

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.clock import find_time_zone
from patchbay.domain.condition_operators import as_number
from patchbay.domain.date_parsing import Moment, find_date_time
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.variables import as_text

CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Line breaks and other characters that end or change a line."""
_TRUE_TEXTS = ("true", "yes", "on", "1")
_MAX_FLOAT = Decimal("1e300")
_LAST_LINES = 3
_MAX_SHOWN_LINE = 200

__all__ = ["as_bool", "as_number", "as_text", "json_number", "number", "parameter_error", "text_of"]


def text_of(parameters: JsonObject, key: str) -> str:
    """A parameter as text; empty if missing."""
    return as_text(parameters.get(key))


def to_single_line(text: str) -> str:
    """The text without line breaks and control characters, so that it can't add headers."""
    return " ".join(CONTROL_CHARACTERS.sub(" ", replace_surrogates(text)).split())


def replace_surrogates(text: str) -> str:
    """The text with lone surrogates replaced, which can't be encoded."""
    return text.encode("utf-8", "replace").decode("utf-8")


def as_bool(value: Json, default: bool = False) -> bool:
    """A Boolean as it is; True for true, yes, on, and 1; `default` for empty; False for other text."""
    if isinstance(value, bool):
        return value
    text = as_text(value).strip().lower()
    return text in _TRUE_TEXTS if text else default


def number(parameters: JsonObject, key: str, label: str) -> Decimal:
    """A parameter as a number. Raises `ValidationFailed`."""
    value = parameters.get(key)
    found = as_number(value)
    if found is None:
        shown = as_text(value).strip()
        raise parameter_error(key, f"{label}: “{shown[:60]}” isn't a number." if shown else f"Enter {label}.")
    return found


def count(parameters: JsonObject, key: str, label: str, *, default: int, most: int) -> int:
    """A parameter as a number from 1 to `most`; `default` if it is empty. Raises `ValidationFailed`."""
    if not text_of(parameters, key).strip():
        return default
    found = int(number(parameters, key, label))
    if not 1 <= found <= most:
        raise parameter_error(key, f"Enter a number from 1 to {most:,}.")
    return found


def last_lines(printed: bytes) -> str:
    """The last lines that a program printed, which often say why it stopped; empty if it printed none."""
    text = printed.decode("utf-8", "replace").replace("\0", "\ufffd")
    lines = text.splitlines()[-_LAST_LINES:]
    return f"Printed last: “{' / '.join(line[:_MAX_SHOWN_LINE] for line in lines)}”." if lines else ""


def json_number(value: Decimal) -> int | float:
    """A number for JSON: an int if it is whole or exceeds the range of floats."""
    whole = value == value.to_integral_value() or abs(value) > _MAX_FLOAT
    return int(value) if whole else float(value)


def parameter_error(key: str, message: str, todo: str = "") -> ValidationFailed:
    """The error for one parameter."""
    return ValidationFailed({key: [message]}, happened=message, todo=todo)


# Dates and times. Nothing here reads a clock: `now` is always a parameter.


def parse_time_zone(name: str, key: str = "timeZone") -> tzinfo:
    """The time zone of that name, such as Europe/Berlin; raises `ValidationFailed` for an unknown one."""
    if not name or name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    if (found := find_time_zone(name)) is None:
        raise parameter_error(
            key, f"“{name[:60]}” isn't a known time zone.", "Use a name such as Europe/Berlin."
        )
    return found


def local_time(now: EpochMs, time_zone: tzinfo) -> datetime:
    """Convert epoch milliseconds to a date and time in a zone."""
    return datetime.fromtimestamp(now / 1000, time_zone)


def epoch_ms(moment: datetime) -> EpochMs:
    """The moment in milliseconds since the epoch."""
    return round(moment.timestamp() * 1000)


def parse_date_time(text: str, *, time_zone: tzinfo, now: EpochMs, key: str = "input") -> datetime:
    """The date in a text, as `find_date_time` finds it. Raises `ValidationFailed` if there is none."""
    if (found := find_date_time(text, Moment(now, time_zone))) is None:
        shown = f"“{text.strip()[:60]}” isn't a date." if text.strip() else "Enter a date."
        raise parameter_error(key, shown, "Use a format such as 2026-03-31 14:30.")
    return found
