"""Responses that ignore the limit a poll asks for. `UNPAGED_LISTS` by name, as JSON with a list of issues."""

import json
from typing import Any


def _issues(count: int, **more: Any) -> bytes:
    rows = [{"id": number, **more} for number in range(1, count + 1)]
    return json.dumps({"issues": rows}, separators=(",", ":")).encode()


UNPAGED_LISTS = {
    "5,000 issues": _issues(5_000),
    "200,000 issues": _issues(200_000, x="y"),
    "150 issues of 100 KB": _issues(150, description="x" * 100_000),
}
