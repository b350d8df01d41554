"""JSON as every reader understands it: UTF-8, finite numbers, whole characters, nested within reason."""

import json
import math
from typing import NoReturn

from patchbay.domain.base import Json

MOST_LEVELS = 100
"""How deep lists and objects may be nested. What shows data nests it a little further and ends at 255."""


def strict_json(raw: bytes) -> Json:
    """The value in these bytes. Raises `ValueError` for what is no JSON, or no JSON that can be kept."""
    text = raw.decode("utf-8-sig")
    try:
        value: Json = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\ud" in text.lower():  # half of a surrogate pair can be written in JSON but stored nowhere
        json.dumps(value, ensure_ascii=False).encode()
    if text.count("[") + text.count("{") > MOST_LEVELS:
        _require_flat(value)
    return value


def _require_flat(value: Json) -> None:
    level, depth = [value], 0
    while level:
        if (depth := depth + 1) > MOST_LEVELS + 1:
            raise ValueError("nested too deeply")
        level = [child for item in level for child in _children(item) if isinstance(child, (dict, list))]


def _children(item: Json) -> list[Json]:
    if isinstance(item, dict):
        return list(item.values())
    return item if isinstance(item, list) else []


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        raise ValueError(f"{text[:20]} is larger than any number here")
    return number
