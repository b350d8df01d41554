"""Pages of any size out of a list that a service gives in pages of its own size."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from patchbay.client.answers import Answer
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.paging import DEFAULT_PAGE_SIZE, PageRequest

Get = Callable[[str, Mapping[str, Any] | None], Awaitable[Answer]]

MOST_PAGES = 1000
"""However many there are said to be."""


@dataclass
class Stretch:
    """Consecutive rows of a list. `total` is how many the whole list has, as far as that is known."""

    rows: list[Any] = field(default_factory=list)
    total: int = 0
    more: bool = False
    """Whether there are rows behind these."""


class ForeignPages:
    """Reads lists page by page. Pages have ten rows, until the service is seen to have others."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._size = DEFAULT_PAGE_SIZE
        self._sure = False
        """Whether a page of that size was seen."""

    async def stretch(self, path: str, query: Mapping[str, Any], start: int, limit: int) -> Stretch:
        """Up to `limit` rows from the one with number `start` (from 0) on."""
        for _ in range(2):
            if (found := await self._read(path, query, start, limit)) is not None:
                return found
            # A page of another size than thought begins at another row: it is asked for anew.
        return Stretch()

    async def every(self, path: str, query: Mapping[str, Any] | None = None) -> AsyncIterator[Answer]:
        """All pages of a list, as they are."""
        before: list[Any] = []
        seen = 0
        for number in range(1, MOST_PAGES + 1):
            answer = await self._get(path, {**(query or {}), "page": number})
            rows = answer.rows()
            if not rows or rows == before:
                return
            yield answer
            before, seen = rows, seen + len(rows)
            if answer.total is not None and seen >= answer.total:
                return

    async def _read(self, path: str, query: Mapping[str, Any], start: int, limit: int) -> Stretch | None:
        """None when the pages turned out to be of another size."""
        size = self._size
        first = start // size
        rows: list[Any] = []
        for number in range(first, (start + limit - 1) // size + 1):
            answer = await self._get(path, {**query, "page": number + 1})
            part = answer.rows()
            if await self._is_other(number, len(part), answer.total, path, query):
                return None
            if part == rows[-len(part) :]:
                break  # there are no pages: the same comes again, or nothing
            rows.extend(part)
            if len(part) < size or (answer.total is not None and (number + 1) * size >= answer.total):
                break
        shown = rows[start - first * size :][:limit]
        known = answer.total if answer.total is not None else first * size + len(rows)
        more = start + len(shown) < known or (answer.total is None and len(part) == size)
        return Stretch(shown, known, more and bool(shown))

    async def _is_other(
        self, number: int, length: int, total: int | None, path: str, query: Mapping[str, Any]
    ) -> bool:
        """Whether pages are of another size than thought, which is known then."""
        before, size = number * self._size, self._size
        if not length and number and not self._sure and (total is None or before < total):
            length = len((await self._get(path, {**query, "page": 1})).rows())
        elif 0 < length < size and (total is None or before + length >= total):
            return False  # the last one
        self._sure = self._sure or length > 0
        self._size = length or size
        return self._size != size


def offset(page: PageRequest) -> int:
    """How many rows come before the page. Raises `ValidationFailed` for a cursor of another list."""
    if page.cursor is None:
        return (page.page - 1) * page.limit
    if not page.cursor.isdigit():
        raise ValidationFailed({"cursor": ["This is not a cursor of this list."]})
    return int(page.cursor)
