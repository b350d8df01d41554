"""Pausing and resuming all runs of the workspace."""

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.state.workspace_view_model import WorkspaceViewModel
from patchbay.desktop.tasks import Latest
from patchbay.domain.backend import Feature
from patchbay.domain.engine import EngineHealth, EngineState


class EngineControl(QObject):
    """One command at a time; the answer is shown wherever `WorkspaceViewModel` is."""

    busy_changed = Signal(bool)

    def __init__(self, services: Services, model: WorkspaceViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend, self._model = services, services.backend, model
        self._slot = Latest(services.tasks, self)
        self.busy = False

    @property
    def paused(self) -> bool:
        health = self._model.health
        return health is not None and health.state is EngineState.PAUSED

    @property
    def pause_missing(self) -> str | None:
        """Why runs cannot be paused now, None when they can."""
        return self._missing() or ("they are paused" if self.paused else None)

    @property
    def resume_missing(self) -> str | None:
        """Why runs cannot be resumed now, None when they can."""
        return self._missing() or (None if self.paused else "they are not paused")

    def pause(self) -> None:
        """Start nothing any more; what is under way ends by itself."""
        if self.pause_missing is None:
            self._ask(self._backend.pause_runs(), "All runs are paused. Webhooks are kept.", undo=True)

    def resume(self) -> None:
        if self.resume_missing is None:
            self._ask(self._backend.resume_runs(), "Runs are resumed.")

    def _missing(self) -> str | None:
        if reason := self._backend.capabilities.reason(Feature.ENGINE):
            return reason
        health = self._model.health
        if health is None:
            return "the workspace does not answer"
        return "the engine is stopped" if health.state is EngineState.STOPPED else None

    def _ask(self, work: Coroutine[Any, Any, EngineHealth], words: str, *, undo: bool = False) -> None:
        def done(health: EngineHealth) -> None:
            self._model.take_health(health)
            self._services.notices.post(words, undo=self.resume if undo else None, subject="engine")

        self._set_busy(True)
        task = self._slot.ask(work, done=done, failed=self._services.notices.failed)
        task.ended.connect(lambda: self._set_busy(False))

    def _set_busy(self, busy: bool) -> None:
        self.busy = busy
        self.busy_changed.emit(busy)
