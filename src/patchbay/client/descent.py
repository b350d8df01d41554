"""Reading down a list in pages of a fixed size while it grows and shrinks."""

from patchbay.domain.paging import DEFAULT_PAGE_SIZE


class DescendingPager:
    """Where the unread part of a list begins, counted from its end.

    New rows come in at the top, so what is unread keeps its distance from the end; it is only cut shorter
    when some of it is deleted, and then a few rows are read twice. `left` is that distance, None before the
    first page; `total` is how long the list was when it was looked at last.
    """

    def __init__(self, left: int | None = None, total: int = 0, *, size: int = DEFAULT_PAGE_SIZE) -> None:
        self.left, self.total, self._size = left, total, size

    @property
    def done(self) -> bool:
        return self.left == 0

    @property
    def page(self) -> int:
        """The page to read next, from 1: the one in which the unread part begins."""
        return self._unread_start() // self._size + 1

    def record_page(self, page: int, rows: int, total: int) -> None:
        """A page came, with so many rows of a list that is now so long.

        When rows above were deleted meanwhile, it begins below the unread part: then it does not count, and
        `page` names the one that was skipped.
        """
        start = (page - 1) * self._size
        self.total = total
        if start > self._unread_start():
            return
        below = max(0, total - start - rows) if rows else 0
        self.left = below if self.left is None else min(self.left, below)

    def _unread_start(self) -> int:
        return 0 if self.left is None else max(0, self.total - self.left)
