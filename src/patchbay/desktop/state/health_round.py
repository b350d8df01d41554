"""Testing several connections, one after another, with progress and a way to stop."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Task
from patchbay.domain.base import ConnectionId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import AppError, NotFound


class HealthRound(QObject):
    """One round at a time. `done` of `total` are tested; `current` is the one being tested now."""

    advanced = Signal()
    tested = Signal(object)
    ended = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._waiting: list[ConnectionId] = []
        self._task: Task | None = None
        self.running = False
        self.stopped = False
        self.total = self.done = self.worrying = self.unreached = 0
        self.current: ConnectionId | None = None
        self.problem: AppError | None = None
        """Why the round could not go on: it would not go better for the others."""

    def start(self, ids: Iterable[ConnectionId]) -> None:
        """Begin with these, in this order; nothing happens while a round is under way."""
        if self.running:
            return
        self._waiting = list(ids)
        self.total, self.done, self.worrying, self.unreached = len(self._waiting), 0, 0, 0
        self.stopped, self.problem = False, None
        self.running = bool(self._waiting)
        self._next()

    def stop(self) -> None:
        """Test no further; the one under way is given up."""
        if self.running:
            self.stopped = True
            self._waiting.clear()
            if self._task is not None:
                self._task.cancel()

    def summary(self) -> str:
        """How it ended, in one sentence."""
        if self.problem is not None:
            return self.problem.text()
        if self.stopped:
            return f"Stopped after {self.done} of {self.total} connections."
        if not self.worrying and not self.unreached:
            return f"All {self.total} connections are valid." if self.total != 1 else "It is valid."
        need = "1 needs" if self.worrying == 1 else f"{self.worrying} need"
        found = [f"{need} attention"] if self.worrying else []
        found += [f"{self.unreached} could not be reached"] if self.unreached else []
        tested = "1 connection" if self.total == 1 else f"{self.total} connections"
        return f"{tested} tested: {', '.join(found)}."

    def _next(self) -> None:
        if not self._waiting:
            self._finish()
            return
        self.current = self._waiting.pop(0)
        work = self._services.backend.test_connection(self.current)
        self._task = self._services.tasks.run(self, work, done=self._answered, failed=self._failed)
        self._task.ended.connect(self._next)
        self.advanced.emit()

    def _answered(self, connection: Connection) -> None:
        self.done += 1
        refused = connection.health is ConnectionHealth.NEEDS_ATTENTION
        self.worrying += refused
        self.unreached += bool(connection.unreachable) and not refused
        self.tested.emit(connection)

    def _failed(self, error: AppError) -> None:
        if isinstance(error, NotFound):
            self.total -= 1  # deleted meanwhile
            return
        self.problem = error
        self._waiting.clear()

    def _finish(self) -> None:
        was, self.running = self.running, False
        self._task, self.current = None, None
        self.advanced.emit()
        if was:
            self.ended.emit()
