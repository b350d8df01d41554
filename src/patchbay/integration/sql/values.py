"""Converts database values to JSON, and entered values to what the driver binds."""

import math
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from patchbay.domain.base import Json
from patchbay.domain.json_limits import read_json
from patchbay.integration.values import as_bool, as_number, as_text, parameter_error

BoundValue = None | bool | Decimal | bytes | str
"""The values that a statement can have. Text takes the type required by its place in the statement."""

_MAX_DEPTH = 100
_MAX_DIGITS = 200_000
"""More than any database supports; written out, `1e999999999` would fill the memory."""
AS_ENTERED = "given"
NUMBER = "number"
YES_NO = "boolean"
BASE64 = "base64"


def to_json_value(value: object, level: int = 0) -> Json:
    """A database value in JSON: dates in ISO form, decimals as text to keep every digit, bytes in base64.

    NaN and infinity have no JSON form, so they become text. Other database types (addresses, ranges, shapes)
    become text too.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        is_long = value.is_finite() and abs(value.adjusted()) > _MAX_DIGITS
        return str(value) if is_long else format(value, "f")
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b64encode(bytes(value)).decode("ascii")
    if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
        return str(value)
    if level > _MAX_DEPTH:
        return "(nested too deeply to display)"
    if isinstance(value, Mapping):
        return {str(key): to_json_value(item, level + 1) for key, item in value.items()}
    return [to_json_value(item, level + 1) for item in value]


def format_duration(value: timedelta) -> str:
    """Format a duration as `[-]hours:minutes:seconds`; hours may exceed 24."""
    sign, span = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(span.days * 86400 + span.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{span.microseconds:06d}" if span.microseconds else ""
    return f"{sign}{hours:02d}:{minutes:02d}:{seconds:02d}{fraction}"


def bind_value(value: Json, value_type: str, *, empty_is_null: bool, field: str) -> BoundValue:
    """Convert an entered value for binding. Raises `ValidationFailed` if it isn't of the chosen type."""
    if value is None or (value == "" and (empty_is_null or value_type != AS_ENTERED)):
        return None
    if value_type == NUMBER:
        found = as_number(value)
        if found is None:
            raise parameter_error(field, f"“{as_text(value)[:60]}” isn't a number.")
        return found
    if value_type == YES_NO:
        return as_bool(value)
    if value_type == BASE64:
        text = as_text(value)
        try:
            return b64decode("".join(text.split()), validate=True)
        except (NotBase64, ValueError):
            raise parameter_error(field, f"“{text[:60]}” isn't valid base64.") from None
    return value if isinstance(value, bool) else as_text(value)


def parse_list(value: Json) -> list[Json]:
    """Parse multiple values: a list, a JSON list as text, or comma-separated text."""
    if isinstance(value, list):
        return value
    text = as_text(value).strip()
    if text.startswith("["):
        try:
            parsed = read_json(text)
        except ValueError:
            parsed = None
        if isinstance(parsed, list):
            return parsed
    return [part.strip() for part in text.split(",")] if text else []
