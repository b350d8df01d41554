"""JSON as every reader understands it: UTF-8, finite numbers, whole characters, nested within reason."""

import json
import math
import re
from collections.abc import Callable
from typing import NoReturn

from patchbay.domain.base import Json
from patchbay.domain.foreign_json import TooManyValues, check_value_count

MAX_JSON_DEPTH = 100
"""How deep lists and objects may be nested. What shows data nests it a little further and ends at 255."""

MAX_JSON_DIGITS = 300
"""Of a whole number. Longer ones take quadratic time to read and to write."""
MAX_JSON_VALUES = 100_000
"""How many values a document from a stranger may hold. Each takes many times the memory of its text, and time
wherever the data is walked through later."""
_LONG_NUMBER = re.compile(rf"(?<![0-9])[0-9]{{{MAX_JSON_DIGITS + 1}}}")


_LONG_TEXT = 1 << 20
"""Characters from which on values are counted before reading, which holds up others while it lasts."""


def parse_strict_json(raw: bytes, max_values: int | None = None) -> Json:
    """The value in these bytes. Raises `ValueError` for what is no JSON, or no JSON that can be kept.

    With `max_values`, raises `TooManyValues` for a document of more lists, objects and values in them.
    """
    text = raw.decode("utf-8-sig")
    if max_values is not None and len(text) > _LONG_TEXT:
        check_value_count(text, 2 * max_values)  # an empty list counts twice there
    try:
        value: Json = json.loads(
            text,
            parse_constant=_reject_constant,
            parse_float=_parse_finite_float,
            parse_int=_int_parser(text),
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\ud" in text.lower():  # half of a surrogate pair can be written in JSON but stored nowhere
        json.dumps(value, ensure_ascii=False).encode()
    opened = text.count("[") + text.count("{")
    max_items = opened + text.count(",")  # more than there are, when texts hold commas and brackets
    if opened > MAX_JSON_DEPTH or (max_values is not None and max_items > max_values):
        _check_size(value, max_items if max_values is None else max_values)
    return value


def _check_size(value: Json, max_values: int) -> None:
    """Raises for what is nested too deeply or has too many values; stops walking as soon as it is known."""
    level, depth, values = [value] if isinstance(value, (dict, list)) else [], 0, 0
    while level:
        if (depth := depth + 1) > MAX_JSON_DEPTH + 1:
            raise ValueError("nested too deeply")
        values += sum(map(len, level))
        if values > max_values:
            raise TooManyValues(f"more than {max_values} values")
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _int_parser(text: str) -> Callable[[str], int] | None:
    """What reads the whole numbers of a text: Python itself, unless one of them may be too long."""
    return _parse_bounded_int if _LONG_NUMBER.search(text) else None


def _parse_bounded_int(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_JSON_DIGITS:
        raise ValueError(f"a number has more than {MAX_JSON_DIGITS} digits")
    return int(digits)


def _parse_finite_float(text: str) -> float:
    if math.isinf(number := float(text)):
        raise ValueError(f"{text[:20]} is larger than any number here")
    return number
