"""A long list, loaded page by page as rows are needed; the least recently used pages are dropped."""

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.tasks import LatestRequest, Tasks
from patchbay.domain.errors import AppError
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

MAX_CACHED_PAGES = 50
REQUEST_DELAY_MS = 30
MAX_CONCURRENT_REQUESTS = 2
MAX_QUEUED_PAGES = 6


T = TypeVar("T")

Fetch = Callable[[PageRequest, T | None], Coroutine[Any, Any, Page[T]]]
"""Loads a page. The second argument is the first row of the list when it was opened; None for the first page.

With it, the source can exclude rows that were added since, so that page numbers keep their meaning.
"""


class ListStatus(StrEnum):
    """What a list shows: rows, or a page in place of them."""

    LOADING = "loading"
    SEARCHING = "searching"
    """A search is running and has found nothing so far."""
    READY = "ready"
    EMPTY = "empty"
    NO_MATCH = "no_match"
    FAILED = "failed"


class PageWindow(QObject, Generic[T]):
    """A list of rows, loaded page by page.

    `item(row)` returns the row, or None and requests its page. Requests are delayed by `REQUEST_DELAY_MS`, so
    that scrolling over many pages loads only the last ones, the latest first. The page after a loaded one is
    requested by cursor, others by number. Old rows stay until the first page of a new list is loaded.
    """

    resetting = Signal()
    reset = Signal()
    inserting = Signal(int, int)
    inserted = Signal()
    removing = Signal(int, int)
    removed = Signal()
    rows_changed = Signal(int, int)
    failed = Signal(object)

    def __init__(
        self,
        tasks: Tasks,
        parent: QObject | None = None,
        *,
        page_rows: int = MAX_PAGE_SIZE,
        id_of: Callable[[T], str] = attrgetter("id"),
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._page_rows = page_rows
        self._id_of = id_of
        self._open_request = LatestRequest(tasks, self)
        self._fetch: Fetch[T] | None = None
        self._generation = 0
        self._clear()
        self._delay_timer = QTimer(self, singleShot=True, interval=REQUEST_DELAY_MS)
        self._delay_timer.timeout.connect(self._fetch_next)

    @property
    def total(self) -> int:
        """The length of the list, loaded or not."""
        return len(self._head) + self._tail_total

    @property
    def first(self) -> T | None:
        """The newest row of the list."""
        return self._head[0] if self._head else self._anchor

    def open(self, fetch: Fetch[T]) -> None:
        """Open a new list. The rows of the old one stay until its first page is loaded."""
        request = PageRequest(page=1, limit=self._page_rows)
        self._open_request.run(
            fetch(request, None), done=lambda page: self._on_opened(fetch, page), failed=self.failed.emit
        )

    def retry(self) -> None:
        """Allow pages that failed to be requested again."""
        self._failed_pages.clear()
        self.rows_changed.emit(0, max(0, self.total - 1))

    def peek(self, row: int) -> T | None:
        """The row if it is loaded; never requests a page."""
        if row < len(self._head):
            return self._head[row] if row >= 0 else None
        number, offset = divmod(row - len(self._head), self._page_rows)
        page = self._pages.get(number)
        return page[offset] if page is not None and offset < len(page) else None

    def item(self, row: int) -> T | None:
        """The row; None while its page is loading, which this requests."""
        found = self.peek(row)
        if found is None and len(self._head) <= row < self.total:
            self._request_page((row - len(self._head)) // self._page_rows)
        elif found is not None and row >= len(self._head):
            self._pages.move_to_end((row - len(self._head)) // self._page_rows)
        return found

    def row_of(self, item_id: str) -> int | None:
        """The row number of an item, if it is loaded."""
        for row, item in enumerate(self._head):
            if self._id_of(item) == item_id:
                return row
        for number, page in self._pages.items():
            for offset, item in enumerate(page):
                if self._id_of(item) == item_id:
                    return len(self._head) + number * self._page_rows + offset
        return None

    def inserted_rows(self) -> tuple[T, ...]:
        """The rows that were added by `prepend` and `append`, from top to bottom."""
        return tuple(self._head)

    def loaded(self) -> tuple[T, ...]:
        """All loaded rows, in no particular order."""
        return (*self._head, *(item for page in self._pages.values() for item in page))

    def prepend(self, items: Sequence[T]) -> None:
        """Insert new rows at the top, newest first."""
        if items:
            self.inserting.emit(0, len(items) - 1)
            self._head[:0] = items
            self.inserted.emit()

    def append(self, items: Sequence[T]) -> None:
        """Add rows after the other added ones, for lists that were opened empty."""
        if items:
            self.inserting.emit(len(self._head), len(self._head) + len(items) - 1)
            self._head.extend(items)
            self.inserted.emit()

    def update(self, item: T) -> None:
        """Replace a loaded row by a newer version."""
        row = self.row_of(self._id_of(item))
        if row is None:
            return
        if row < len(self._head):
            self._head[row] = item
        else:
            number, offset = divmod(row - len(self._head), self._page_rows)
            self._pages[number][offset] = item
        self.rows_changed.emit(row, row)

    def _clear(self) -> None:
        self._generation += 1
        self._head: list[T] = []
        self._tail_total = 0
        self._anchor: T | None = None
        self._pages: OrderedDict[int, list[T]] = OrderedDict()
        self._cursors: dict[int, str] = {}
        self._queued_pages: list[int] = []
        self._loading_pages: set[int] = set()
        self._failed_pages: set[int] = set()

    def _on_opened(self, fetch: Fetch[T], page: Page[T]) -> None:
        self.resetting.emit()
        self._clear()
        self._fetch = fetch
        self._tail_total = page.total
        self._anchor = page.items[0] if page.items else None
        self._store_page(0, page)
        self.reset.emit()

    def _request_page(self, number: int) -> None:
        if number in self._loading_pages or number in self._failed_pages:
            return
        if number in self._queued_pages:
            self._queued_pages.remove(number)
        self._queued_pages.append(number)
        del self._queued_pages[:-MAX_QUEUED_PAGES]
        if not self._delay_timer.isActive():
            self._delay_timer.start()

    def _fetch_next(self) -> None:
        while (
            self._queued_pages
            and len(self._loading_pages) < MAX_CONCURRENT_REQUESTS
            and self._fetch is not None
        ):
            self._fetch_page(self._fetch, self._queued_pages.pop())

    def _fetch_page(self, fetch: Fetch[T], number: int) -> None:
        self._loading_pages.add(number)
        generation = self._generation

        def on_page(page: Page[T]) -> None:
            self._on_page(generation, number, page)

        def on_failed(error: AppError) -> None:
            if generation == self._generation:
                self._loading_pages.discard(number)
                self._failed_pages.add(number)
                self.failed.emit(error)
                self._fetch_next()

        request = PageRequest(page=number + 1, limit=self._page_rows, cursor=self._cursors.get(number))
        self._tasks.run(self, fetch(request, self._anchor), done=on_page, failed=on_failed)

    def _on_page(self, generation: int, number: int, page: Page[T]) -> None:
        if generation != self._generation:
            return
        self._loading_pages.discard(number)
        self._store_page(number, page)
        if page.total < self._tail_total:  # rows were deleted since the list was opened
            self.removing.emit(len(self._head) + page.total, self.total - 1)
            self._tail_total = page.total
            self.removed.emit()
        first = len(self._head) + number * self._page_rows
        last = min(first + self._page_rows, self.total) - 1
        if last >= first:
            self.rows_changed.emit(first, last)
        self._fetch_next()

    def _store_page(self, number: int, page: Page[T]) -> None:
        self._pages[number] = list(page.items)
        self._pages.move_to_end(number)
        if page.next_cursor:
            self._cursors[number + 1] = page.next_cursor
        while len(self._pages) > MAX_CACHED_PAGES:
            self._pages.popitem(last=False)
