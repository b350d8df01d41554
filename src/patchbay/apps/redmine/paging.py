"""Reads paginated lists of Redmine."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from patchbay.integration import Context
from patchbay.integration.polling import offset_rows

_MAX_PAGES = 50


async def fetch_all(ctx: Context, path: str, at: str) -> AsyncIterator[dict[str, Any]]:
    """Yield all entries of a list, page by page."""
    async with aclosing(offset_rows(ctx, path, at=at, max_pages=_MAX_PAGES)) as rows:
        async for row in rows:
            if isinstance(row, dict):
                yield row
