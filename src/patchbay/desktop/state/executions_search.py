"""A search in the data of executions: stretch by stretch, newest first, until it was enough."""

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.executions_filter import moment
from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Task
from patchbay.domain.backend import Feature
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.history import SearchPage

ENOUGH = 200
"""Finds after which it rests by itself, until it is told to go on."""


class DataSearch(QObject):
    """At most one search. What a stretch finds goes out with `found`; then `changed` tells how far it is.

    `complete` says that there is nothing older, `running` that a stretch is under way.
    """

    found = Signal(object)
    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._task: Task | None = None
        self.error: AppError | None = None
        self._reset("", ExecutionFilter())

    @property
    def missing(self) -> str | None:
        """Why the data cannot be searched here, None when they can."""
        return self._services.backend.capabilities.reason(Feature.SEARCH)

    @property
    def running(self) -> bool:
        return self._task is not None

    def start(self, text: str, where: ExecutionFilter) -> None:
        """Begin anew with the newest execution."""
        self._stop()
        self._reset(text, where)
        self.go_on()

    def go_on(self) -> None:
        """Search further back."""
        if self.text and not self.running and not self.complete:
            self.error = None
            self._rest = self.finds + ENOUGH
            self._ask()
            self.changed.emit()

    def stop(self) -> None:
        """Leave it as it is; `go_on` takes it up again."""
        if self.running:
            self._stop()
            self.changed.emit()

    def forget(self) -> None:
        """Nothing is searched any more."""
        self._stop()
        self._reset("", ExecutionFilter())
        self.changed.emit()

    def words(self, matching: int) -> str:
        """How far it is; `matching` executions pass the other filters."""
        done = f"{self.searched:,} of {max(matching, self.searched):,} executions"
        finds = f"{self.finds:,} found" if self.finds else "nothing found"
        if self.error is not None:
            return f"{self.error.text()} Searched {done}, {finds}."
        if self.complete:
            everything = "the only execution" if self.searched == 1 else f"all {self.searched:,} executions"
            return f"Searched {everything} for “{self.text}”: {finds}"
        back = f", back to {moment(self.reached, self._services.clock())}" if self.reached else ""
        verb = "Searching" if self.running else "Searched"
        return f"{verb} for “{self.text}” in {done}{back}: {finds} so far"

    def share(self, matching: int) -> float | None:
        """The part that is done, None when it does not go on."""
        return min(1.0, self.searched / matching) if self.running and matching else None

    def _reset(self, text: str, where: ExecutionFilter) -> None:
        self.text, self._where = text, where
        self.finds = self.searched = 0
        self.reached: EpochMs | None = None
        self.complete = False
        self.error = None
        self._cursor: str | None = None
        self._rest = ENOUGH

    def _stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()

    def _ask(self) -> None:
        backend = self._services.backend
        work = backend.search_executions(self.text, self._where, self._cursor)
        self._task = self._services.tasks.run(self, work, done=self._answered, failed=self._failed)

    def _answered(self, page: SearchPage) -> None:
        if self._task is None:
            return
        self._task = None
        self.searched += page.searched
        self.reached = page.reached or self.reached
        self.finds += len(page.items)
        self._cursor, self.complete = page.next_cursor, page.next_cursor is None
        if not self.complete and self.finds < self._rest:
            self._ask()
        if page.items:
            self.found.emit(page.items)
        self.changed.emit()

    def _failed(self, error: AppError) -> None:
        self._task = None
        self.error = error
        self.changed.emit()
