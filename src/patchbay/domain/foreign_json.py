"""JSON from third parties: read as far as it can be kept, instead of raising an odd error later."""

import json
import math
import re

from patchbay.domain.base import Json

_MAX_DIGITS = 300
"""Of a whole number. Longer ones take quadratic time to read and to write."""
_HUGE_NUMBER = re.compile(r"\d{300}|\d[eE]\+?\d{3}")
"""Only with one of these in it may a text hold a number that is no finite number in Python."""


def read_json(text: str | bytes) -> Json:
    """The value in a JSON text. Raises `ValueError` for what is none, or is nested too deeply to be read.

    Numbers that are too large, NaN and Infinity become texts, as they do when they come from a database: no
    other reader of our data would take them as numbers.
    """
    if isinstance(text, bytes):
        # allow encoding: one of the five of RFC 7159, found by looking at the first bytes
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    careful = _HUGE_NUMBER.search(text) is not None
    try:
        value: Json = json.loads(
            text.removeprefix("\ufeff"),
            parse_constant=str,
            parse_float=_number if careful else None,
            parse_int=_whole_number if careful else None,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def _number(text: str) -> float | str:
    return text if math.isinf(number := float(text)) else number


def _whole_number(text: str) -> int | str:
    return text if len(text) > _MAX_DIGITS else int(text)
