"""Pages of any size out of a list that a service gives in pages of its own size."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from patchbay.client.answers import ApiResponse
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, PageRequest

Get = Callable[[str, Mapping[str, Any] | None], Awaitable[ApiResponse]]

MAX_PAGES = 1000
"""However many there are said to be."""


@dataclass
class RowRange:
    """Consecutive rows of a list. `total` is how many the whole list has, as far as that is known."""

    rows: list[Any] = field(default_factory=list)
    total: int = 0
    more: bool = False
    """Whether there are rows behind these."""


class CompatPager:
    """Reads lists page by page. Pages have ten rows, until the service is seen to have others."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._page_size = DEFAULT_PAGE_SIZE
        self._page_size_known = False
        """Whether a page of that size was seen."""

    async def read_range(self, path: str, query: Mapping[str, Any], start: int, limit: int) -> RowRange:
        """Up to `limit` rows from the one with number `start` (from 0) on."""
        for _ in range(2):
            if (found := await self._read(path, query, start, limit)) is not None:
                return found
            # A page of another size than thought begins at another row: it is asked for anew.
        return RowRange()

    async def iter_pages(
        self, path: str, query: Mapping[str, Any] | None = None
    ) -> AsyncIterator[ApiResponse]:
        """All pages of a list, as they are."""
        before: list[Any] = []
        seen = 0
        for number in range(1, MAX_PAGES + 1):
            response = await self._get(path, {**(query or {}), "page": number})
            rows = response.rows()
            if not rows or rows == before:
                return
            yield response
            before, seen = rows, seen + len(rows)
            if response.total is not None and seen >= response.total:
                return

    async def _read(self, path: str, query: Mapping[str, Any], start: int, limit: int) -> RowRange | None:
        """None when the pages turned out to be of another size."""
        size = self._page_size
        first = start // size
        rows: list[Any] = []
        for number in range(first, (start + limit - 1) // size + 1):
            response = await self._get(path, {**query, "page": number + 1})
            part = response.rows()
            if await self._page_size_changed(number, len(part), response.total, path, query):
                return None
            if part == rows[-len(part) :]:
                break  # there are no pages: the same comes again, or nothing
            rows.extend(part)
            if len(part) < size or (response.total is not None and (number + 1) * size >= response.total):
                break
        visible_rows = rows[start - first * size :][:limit]
        known = response.total if response.total is not None else first * size + len(rows)
        more = start + len(visible_rows) < known or (response.total is None and len(part) == size)
        return RowRange(visible_rows, known, more and bool(visible_rows))

    async def _page_size_changed(
        self, number: int, length: int, total: int | None, path: str, query: Mapping[str, Any]
    ) -> bool:
        """Whether pages are of another size than thought, which is known then."""
        before, size = number * self._page_size, self._page_size
        if not length and number and not self._page_size_known and (total is None or before < total):
            length = len((await self._get(path, {**query, "page": 1})).rows())
        elif 0 < length < size and (total is None or before + length >= total):
            return False  # the last one
        self._page_size_known = self._page_size_known or length > 0
        self._page_size = length or size
        return self._page_size != size


def offset(page: PageRequest) -> int:
    """How many rows come before the page. Raises `ValidationFailed` for a cursor of another list."""
    if page.cursor is None:
        return (page.page - 1) * page.limit
    if not page.cursor.isdigit():
        raise ValidationFailed({"cursor": ["This is not a cursor of this list."]})
    return int(page.cursor)
