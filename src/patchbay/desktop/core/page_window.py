"""A window onto a list too long to hold: pages come when they are looked at, and far ones are forgotten."""

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.tasks import Latest, Tasks
from patchbay.domain.errors import AppError
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

KEPT_PAGES = 50
PAUSE_MS = 30
AT_ONCE = 2
QUEUED_MOST = 6


T = TypeVar("T")

Fetch = Callable[[PageRequest, T | None], Coroutine[Any, Any, Page[T]]]
"""Reads a page. The second argument is the first row of the list as it was opened, None for the first page:
with it the source can leave out what arrived since, so that page numbers keep their meaning."""


class ListStatus(StrEnum):
    """What a list shows: rows, or the page that stands in for them."""

    LOADING = "loading"
    SEARCHING = "searching"
    """A search is under way and has found nothing so far."""
    READY = "ready"
    EMPTY = "empty"
    NO_MATCH = "no_match"
    FAILED = "failed"


class PageWindow(QObject, Generic[T]):
    """Rows by number over pages that are fetched when asked for.

    `item(row)` answers at once: the row, or None, and then its page is on the way. Requests rest
    `PAUSE_MS`, so that a scroll over many pages asks for the last ones only, newest first. A page beside a
    known one is asked for by cursor, others by number. Old rows stay until a new question is answered.
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
        self._tasks, self._page_rows, self._id_of = tasks, page_rows, id_of
        self._opening = Latest(tasks, self)
        self._fetch: Fetch[T] | None = None
        self._generation = 0
        self._forget()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._ask_next)

    @property
    def total(self) -> int:
        """Rows of the list, seen or not."""
        return len(self._head) + self._tail_total

    @property
    def first(self) -> T | None:
        """The newest row of the list."""
        return self._head[0] if self._head else self._anchor

    def open(self, fetch: Fetch[T]) -> None:
        """Ask a new question; the rows of the last one stay until its first page is there."""
        request = PageRequest(page=1, limit=self._page_rows)
        self._opening.ask(
            fetch(request, None), done=lambda page: self._opened(fetch, page), failed=self.failed.emit
        )

    def retry(self) -> None:
        """Let pages that failed be asked for again."""
        self._refused.clear()
        self.rows_changed.emit(0, max(0, self.total - 1))

    def peek(self, row: int) -> T | None:
        """The row when it is here; asks for nothing."""
        if row < len(self._head):
            return self._head[row] if row >= 0 else None
        number, offset = divmod(row - len(self._head), self._page_rows)
        page = self._pages.get(number)
        return page[offset] if page is not None and offset < len(page) else None

    def item(self, row: int) -> T | None:
        """The row; None while its page is on the way."""
        found = self.peek(row)
        if found is None and len(self._head) <= row < self.total:
            self._want((row - len(self._head)) // self._page_rows)
        elif found is not None and row >= len(self._head):
            self._pages.move_to_end((row - len(self._head)) // self._page_rows)
        return found

    def row_of(self, item_id: str) -> int | None:
        """Where an item is, among the rows that are here."""
        for row, item in enumerate(self._head):
            if self._id_of(item) == item_id:
                return row
        for number, page in self._pages.items():
            for offset, item in enumerate(page):
                if self._id_of(item) == item_id:
                    return len(self._head) + number * self._page_rows + offset
        return None

    def rows_here(self) -> tuple[T, ...]:
        """The rows that were put in one by one, from top to bottom."""
        return tuple(self._head)

    def loaded(self) -> tuple[T, ...]:
        """Every row that is here, in no particular order."""
        return (*self._head, *(item for page in self._pages.values() for item in page))

    def prepend(self, items: Sequence[T]) -> None:
        """Put new rows on top, newest first."""
        if items:
            self.inserting.emit(0, len(items) - 1)
            self._head[:0] = items
            self.inserted.emit()

    def append(self, items: Sequence[T]) -> None:
        """Put rows below the others, in a list that was opened without any."""
        if items:
            self.inserting.emit(len(self._head), len(self._head) + len(items) - 1)
            self._head.extend(items)
            self.inserted.emit()

    def update(self, item: T) -> None:
        """Replace a row that is here by its newer self."""
        row = self.row_of(self._id_of(item))
        if row is None:
            return
        if row < len(self._head):
            self._head[row] = item
        else:
            number, offset = divmod(row - len(self._head), self._page_rows)
            self._pages[number][offset] = item
        self.rows_changed.emit(row, row)

    def _forget(self) -> None:
        self._generation += 1
        self._head: list[T] = []
        self._tail_total = 0
        self._anchor: T | None = None
        self._pages: OrderedDict[int, list[T]] = OrderedDict()
        self._cursors: dict[int, str] = {}
        self._wanted: list[int] = []
        self._under_way: set[int] = set()
        self._refused: set[int] = set()

    def _opened(self, fetch: Fetch[T], page: Page[T]) -> None:
        self.resetting.emit()
        self._forget()
        self._fetch = fetch
        self._tail_total = page.total
        self._anchor = page.items[0] if page.items else None
        self._keep(0, page)
        self.reset.emit()

    def _want(self, number: int) -> None:
        if number in self._under_way or number in self._refused:
            return
        if number in self._wanted:
            self._wanted.remove(number)
        self._wanted.append(number)
        del self._wanted[:-QUEUED_MOST]
        if not self._pause.isActive():
            self._pause.start()

    def _ask_next(self) -> None:
        while self._wanted and len(self._under_way) < AT_ONCE and self._fetch is not None:
            self._ask(self._fetch, self._wanted.pop())

    def _ask(self, fetch: Fetch[T], number: int) -> None:
        self._under_way.add(number)
        asked = self._generation

        def arrived(page: Page[T]) -> None:
            self._arrived(asked, number, page)

        def lost(error: AppError) -> None:
            self._lost(asked, number, error)

        request = PageRequest(page=number + 1, limit=self._page_rows, cursor=self._cursors.get(number))
        self._tasks.run(self, fetch(request, self._anchor), done=arrived, failed=lost)

    def _arrived(self, generation: int, number: int, page: Page[T]) -> None:
        if generation != self._generation:
            return
        self._under_way.discard(number)
        self._keep(number, page)
        if page.total < self._tail_total:
            self._shrink(page.total)
        first = len(self._head) + number * self._page_rows
        last = min(first + self._page_rows, self.total) - 1
        if last >= first:
            self.rows_changed.emit(first, last)
        self._ask_next()

    def _lost(self, generation: int, number: int, error: AppError) -> None:
        if generation == self._generation:
            self._under_way.discard(number)
            self._refused.add(number)
            self.failed.emit(error)
            self._ask_next()

    def _keep(self, number: int, page: Page[T]) -> None:
        self._pages[number] = list(page.items)
        self._pages.move_to_end(number)
        if page.next_cursor:
            self._cursors[number + 1] = page.next_cursor
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)

    def _shrink(self, tail_total: int) -> None:
        """Rows were deleted at the far end since the list was opened."""
        self.removing.emit(len(self._head) + tail_total, self.total - 1)
        self._tail_total = tail_total
        self.removed.emit()
