"""Limits for JSON: the size of values, and parsing of third-party JSON within safe bounds."""

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from patchbay.domain.base import Json, JsonObject

VALUE_SIZE = 8
"""Size that `size_of` adds per value, besides its text."""
_LONG_INTEGER = 1 << 63
_SMALL_TYPES = frozenset((float, bool, type(None)))
THREAD_THRESHOLD = 256 * 1024
"""Larger data (in characters or bytes) is read and written in a thread, so that it doesn't block the event
loop.
"""

_MAX_DIGITS = 300
"""Max. digits of an integer. Longer ones take quadratic time to parse and format."""
MAX_JSON_VALUES = 100_000
"""Max. values in a response.

Each takes many times the memory of its text, and time wherever the data is traversed.
"""
_HUGE_NUMBER = re.compile(r"(?<![0-9])[0-9]{300}|[0-9][eE]\+?[0-9]{3}")
"""Matches in every text with a number that isn't finite in Python, or too long to parse."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|,|[\[{](?![ \t\r\n]*+[\]}])', re.DOTALL)
"""A string, even an unterminated one, or the character before a value in a list or object."""
_STRINGS_PER_VALUE = 2


def size_of(value: Json | JsonObject, limit: int) -> int:
    """The approximate size of a value in characters: its texts, plus `VALUE_SIZE` for each value in it.

    Counting stops at `limit`.
    """
    if isinstance(value, str):
        return VALUE_SIZE + len(value)
    size = VALUE_SIZE
    left: list[Any] = [value]
    while left and size <= limit:
        item = left.pop()
        if isinstance(item, dict):
            size += _length_of_keys(item) + VALUE_SIZE * len(item)
            children: Iterable[Any] = item.values()
        elif isinstance(item, list):
            size += VALUE_SIZE * len(item)
            children = item
        else:
            children = (item,)
        # This runs for all data of each step. Texts are by far the most frequent values, so they don't go
        # through the list, and comparing types is faster than `isinstance`.
        for child in children:
            kind = type(child)
            if kind is str:
                size += len(child)
            elif kind is dict or kind is list:
                left.append(child)
            elif kind not in _SMALL_TYPES:
                size += _add_rare(child, left)
    return size


def _length_of_keys(item: JsonObject) -> int:
    try:
        return len("".join(item))
    except TypeError:  # keys of other types, which JSON writes as texts
        return sum(map(len, map(str, item)))


def _add_rare(value: Json, left: list[Any]) -> int:
    """The size of an integer or an instance of a subclass; containers are added to `left` instead."""
    if isinstance(value, int):
        return 0 if -_LONG_INTEGER <= value < _LONG_INTEGER else value.bit_length() // 3
    if isinstance(value, str):
        return len(value)
    if isinstance(value, (dict, list)):
        left.append(value)
    return 0


def nesting_exceeds(value: Json | JsonObject, depth: int) -> bool:
    """Whether lists and objects are nested in each other more than `depth` times."""
    level: list[Json | JsonObject] = [value]
    for _ in range(depth + 2):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:
            return False
        level = [
            child for item in containers for child in (item.values() if isinstance(item, dict) else item)
        ]
    return True


class TooManyValues(ValueError):
    """The JSON text contains too many values."""


def read_json(text: str | bytes, max_values: int | None = None) -> Json:
    """Parse a JSON text. Raises `ValueError` if it's invalid or nested too deeply.

    With `max_values`, raises `TooManyValues` for more values in lists and objects, before parsing them.

    Numbers that are too large, NaN, and Infinity become texts, as they do when they come from a database,
    because other JSON parsers wouldn't accept them as numbers.
    """
    if isinstance(text, bytes):
        # allow encoding: one of the five of RFC 7159, detected from the first bytes
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    if max_values is not None:
        check_value_count(text, max_values)
    # Searching a long text takes longer than checking each of a limited number of values.
    needs_checks = max_values is not None or _HUGE_NUMBER.search(text) is not None
    try:
        value: Json = json.loads(
            text.removeprefix("\ufeff"),
            parse_constant=str,
            parse_float=_number if needs_checks else None,
            parse_int=_whole_number if needs_checks else None,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def check_value_count(text: str, max_values: int) -> None:
    """Raise `TooManyValues` for more than `max_values` values, in time proportional to that number."""
    if text.count(",") + text.count("[") + text.count("{") <= max_values:
        return  # can't be more values than that, even if none of these characters are in strings
    values = strings = 0
    for token in _TOKEN.finditer(text):
        if text[token.start()] == '"':
            strings += 1
        else:
            values += 1
        if values > max_values:
            raise TooManyValues(f"more than {max_values} values")
        if strings > _STRINGS_PER_VALUE * (values + 1):
            return  # not JSON; the parser will fail at once


def _number(text: str) -> float | str:
    return text if math.isinf(number := float(text)) else number


def _whole_number(text: str) -> int | str:
    return text if len(text) > _MAX_DIGITS else int(text)
