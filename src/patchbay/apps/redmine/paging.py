"""Reads lists that Redmine hands out in pages."""

from collections.abc import AsyncIterator
from typing import Any

from patchbay.integration import Context

_LIMIT = 100
_MAX_PAGES = 50


async def every(ctx: Context, path: str, at: str) -> AsyncIterator[dict[str, Any]]:
    """All entries of a list, page by page."""
    for page in range(_MAX_PAGES):
        answer = await ctx.http.get(path, params={"limit": _LIMIT, "offset": page * _LIMIT})
        rows = answer.json()[at]
        for row in rows:
            yield row
        if len(rows) < _LIMIT:
            return
