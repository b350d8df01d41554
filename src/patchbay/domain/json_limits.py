"""How much room values take, counted without writing them out."""

import json
import math
import re

from patchbay.domain.base import Json, JsonObject

VALUE_SIZE = 8
"""What each value counts, beside its text."""
_SHORT_BITS = 64
THREAD_THRESHOLD = 256 * 1024
"""Characters or bytes from which on data is read and written in a thread, beside the event loop."""


def size_of(value: Json | JsonObject, limit: int) -> int:
    """About how many characters a value takes: its texts, and a little for each value in it.

    Counting stops when there are more than `limit`.
    """
    size, left = 0, [value]
    while left and size <= limit:
        item = left.pop()
        size += VALUE_SIZE
        if isinstance(item, str):
            size += len(item)
        elif isinstance(item, dict):
            size += sum(map(len, map(str, item)))
            left.extend(item.values())
        elif isinstance(item, list):
            left.extend(item)
        elif isinstance(item, int) and item.bit_length() > _SHORT_BITS:
            size += item.bit_length() // 3
    return size


# MERGED: JSON from third parties: read as far as it can be kept, instead of raising an odd error
# later.

_MAX_DIGITS = 300
"""Of a whole number. Longer ones take quadratic time to read and to write."""
MAX_JSON_VALUES = 100_000
"""How many values an answer may hold. Each takes many times the memory of its text, and time wherever the
data is walked through later."""
_HUGE_NUMBER = re.compile(r"(?<![0-9])[0-9]{300}|[0-9][eE]\+?[0-9]{3}")
"""Only with one of these in it may a text hold a number that is no finite number in Python."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|,|[\[{](?![ \t\r\n]*+[\]}])', re.DOTALL)
"""A string, which may lack its end, or what comes before a value in a list or object."""
_STRINGS_PER_VALUE = 2


class TooManyValues(ValueError):
    """The text holds more values than wanted."""


def read_json(text: str | bytes, max_values: int | None = None) -> Json:
    """The value in a JSON text. Raises `ValueError` for what is none, or is nested too deeply to be read.

    With `max_values`, raises `TooManyValues` for more values in lists and objects, before they are read.

    Numbers that are too large, NaN and Infinity become texts, as they do when they come from a database: no
    other reader of our data would take them as numbers.
    """
    if isinstance(text, bytes):
        # allow encoding: one of the five of RFC 7159, found by looking at the first bytes
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    if max_values is not None:
        check_value_count(text, max_values)
    # Searching a long text takes longer than looking at each of a limited number of values.
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
    """Raises `TooManyValues`; takes time for so many values, however long the text is."""
    if text.count(",") + text.count("[") + text.count("{") <= max_values:
        return  # there can't be more, even if none of them are in strings
    values = strings = 0
    for token in _TOKEN.finditer(text):
        if text[token.start()] == '"':
            strings += 1
        else:
            values += 1
        if values > max_values:
            raise TooManyValues(f"more than {max_values} values")
        if strings > _STRINGS_PER_VALUE * (values + 1):
            return  # no JSON, as reading it says at once


def _number(text: str) -> float | str:
    return text if math.isinf(number := float(text)) else number


def _whole_number(text: str) -> int | str:
    return text if len(text) > _MAX_DIGITS else int(text)
