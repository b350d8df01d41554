"""Responses that ignore the limit a poll asks for, as JSON with a list of issues."""

import json
from functools import cache
from typing import Any


def _issues(count: int, **more: Any) -> bytes:
    rows = [{"id": number, **more} for number in range(1, count + 1)]
    return json.dumps({"issues": rows}, separators=(",", ":")).encode()


_LISTS: dict[str, tuple[int, dict[str, str]]] = {
    "5,000 issues": (5_000, {}),
    "200,000 issues": (200_000, {"x": "y"}),
    "150 issues of 100 KB": (150, {"description": "x" * 100_000}),
}
UNPAGED_LISTS = tuple(_LISTS)


@cache
def unpaged_list(name: str) -> bytes:
    """The response of this name in `UNPAGED_LISTS`."""
    count, more = _LISTS[name]
    return _issues(count, **more)
