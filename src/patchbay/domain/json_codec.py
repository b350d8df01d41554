"""Reads and writes JSON quickly, with the results of Python's `json`.

orjson is 5 to 20 times faster, but differs for some values: it reads integers beyond 64 bits as floats,
writes NaN as null, and rejects half a surrogate pair. Texts and values that could be such cases go to `json`,
which handles everything where orjson isn't installed.
"""

import json
import re
from typing import Any

from patchbay.domain.base import Json

try:
    import orjson
except ImportError:  # no wheel for this platform
    orjson = None  # type: ignore[assignment]

_LONG_INTEGER = re.compile(r"[0-9]{18}")
"""Matches in every text with an integer beyond 64 bits."""
_OPTIONS = (
    0
    if orjson is None
    else orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_encode_slowly = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def decode_json(text: str) -> Json:
    """The value of a JSON text, as `json.loads` reads it. Raises the same errors."""
    value: Json
    if orjson is None or _LONG_INTEGER.search(text) is not None:
        value = json.loads(text)
    else:
        try:
            value = orjson.loads(text)
        except ValueError:  # not JSON, or JSON that only `json` reads
            value = json.loads(text)
    return value


def decode_strictly(text: str) -> Json:
    """The value of a JSON text that Python's `json` reads alike; None for null, and for other texts.

    Those may be no JSON, or contain numbers or characters that need to be checked.
    """
    if orjson is None or _LONG_INTEGER.search(text) is not None:
        return None
    try:
        value: Json = orjson.loads(text)
    except ValueError:
        return None
    return value


def encode_json(value: Any) -> str:
    """The compact JSON text of a value, without escaping characters beyond ASCII.

    Raises `TypeError` for values that aren't JSON, and `RecursionError` for those nested too deeply.
    """
    if orjson is not None:
        try:
            raw = orjson.dumps(value, option=_OPTIONS)
        except TypeError:
            pass  # an integer beyond 64 bits, half a surrogate pair, a subclass, or no JSON at all
        else:
            if b"null" not in raw:  # which could be a NaN
                return raw.decode()
    return _encode_slowly(value)
