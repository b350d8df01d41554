"""Lists that come in pages."""

from typing import Generic, TypeVar

from pydantic import Field

from patchbay.domain.base import Model

T = TypeVar("T")

DEFAULT_PAGE_SIZE = 10
MAX_PAGE_SIZE = 200


class PageRequest(Model):
    """Which part of a list. `page` is 1-based; a `cursor` from an earlier page wins over it."""

    page: int = Field(1, ge=1)
    limit: int = Field(DEFAULT_PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)
    cursor: str | None = None


class Page(Model, Generic[T]):
    """One part of a list. `total` counts all matches; `next_cursor` is None on the last page."""

    items: tuple[T, ...]
    total: int
    page: int = 1
    limit: int = DEFAULT_PAGE_SIZE
    next_cursor: str | None = None

    @property
    def total_pages(self) -> int:
        return -(-self.total // self.limit)
