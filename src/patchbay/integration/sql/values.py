"""Values on their way out of a database, as JSON, and on their way in, as what the driver binds."""

import math
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from patchbay.domain.base import Json
from patchbay.domain.json_limits import read_json
from patchbay.integration.values import as_number, as_text, flag, refuse

Bound = None | bool | Decimal | bytes | str
"""What a statement may carry beside its text. Texts take the type that the place in the statement has."""

_MOST_LEVELS = 100
_MOST_PLACES = 200_000
"""More than any database has; written out, `1e999999999` would fill the memory."""
AS_GIVEN, NUMBER, YES_NO, BASE64 = "given", "number", "boolean", "base64"


def json_ready(value: object, level: int = 0) -> Json:
    """A database value in JSON: dates in ISO form, decimals as text to keep every digit, bytes in base64.

    Floating point has no JSON form for NaN and infinity, so these are texts. Whatever else a database knows
    (addresses, ranges, shapes) is given as it reads.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        is_long = value.is_finite() and abs(value.adjusted()) > _MOST_PLACES
        return str(value) if is_long else format(value, "f")
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return clock_text(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b64encode(bytes(value)).decode("ascii")
    return _gathered(value, level)


def _gathered(value: object, level: int) -> Json:
    if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
        return str(value)
    if level > _MOST_LEVELS:
        return "(nested too deeply to be shown)"
    if isinstance(value, Mapping):
        return {str(key): json_ready(item, level + 1) for key, item in value.items()}
    return [json_ready(item, level + 1) for item in value]


def clock_text(value: timedelta) -> str:
    """A span as `[-]hours:minutes:seconds`, which may go beyond a day."""
    sign, span = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(span.days * 86400 + span.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{span.microseconds:06d}" if span.microseconds else ""
    return f"{sign}{hours:02d}:{minutes:02d}:{seconds:02d}{fraction}"


def bound(value: Json, value_type: str, *, empty_is_null: bool, field: str) -> Bound:
    """What was entered, as it is bound. Raises `ValidationFailed` when it is not of the type chosen."""
    if value is None or (value == "" and (empty_is_null or value_type != AS_GIVEN)):
        return None
    if value_type == NUMBER:
        return _number(value, field)
    if value_type == YES_NO:
        return flag(value)
    if value_type == BASE64:
        return _bytes(as_text(value), field)
    return value if isinstance(value, bool) else as_text(value)


def list_of(value: Json) -> list[Json]:
    """Several values entered as one: a list, the text of a JSON list, or texts separated by commas."""
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


def _number(value: Json, field: str) -> Decimal:
    found = as_number(value)
    if found is None:
        raise refuse(field, f"“{as_text(value)[:60]}” is not a number.")
    return found


def _bytes(text: str, field: str) -> bytes:
    try:
        return b64decode("".join(text.split()), validate=True)
    except (NotBase64, ValueError):
        raise refuse(field, f"“{text[:60]}” is not base64.") from None
