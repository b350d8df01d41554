"""Paginated lists: page requests, pages, and reading all pages."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

from pydantic import Field

from patchbay.domain.base import Model

T = TypeVar("T")

DEFAULT_PAGE_SIZE = 10
MAX_PAGE_SIZE = 200


class PageRequest(Model):
    """Which page of a list to read. `page` counts from 1.

    A `cursor` from an earlier page takes precedence.
    """

    page: int = Field(1, ge=1)
    limit: int = Field(DEFAULT_PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)
    cursor: str | None = None


class Page(Model, Generic[T]):
    """One page of a list. `total` counts all matches; `next_cursor` is None on the last page."""

    items: tuple[T, ...]
    total: int
    page: int = 1
    limit: int = DEFAULT_PAGE_SIZE
    next_cursor: str | None = None

    @property
    def total_pages(self) -> int:
        """The number of pages."""
        return -(-self.total // self.limit)


async def read_all_pages(
    fetch_page: Callable[[PageRequest], Awaitable[Page[T]]],
    *,
    max_items: int | None = None,
    page_size: int = MAX_PAGE_SIZE,
) -> AsyncIterator[Page[T]]:
    """Yield a list page by page: all of it, or pages until they have `max_items`. At least one page, which
    may be empty.
    """
    item_count = 0
    number = 1
    cursor = None
    while True:
        page = await fetch_page(PageRequest(page=number, limit=page_size, cursor=cursor))
        yield page
        item_count += len(page.items)
        cursor, number = page.next_cursor, number + 1
        if not page.items or (cursor is None and item_count >= page.total):
            return
        if max_items is not None and item_count >= max_items:
            return


async def read_all(
    fetch_page: Callable[[PageRequest], Awaitable[Page[T]]], *, max_items: int | None = None
) -> list[T]:
    """Return every item of a paginated list, or its first `max_items`, read in large pages."""
    pages = read_all_pages(fetch_page, max_items=max_items)
    return [item async for page in pages for item in page.items][:max_items]
