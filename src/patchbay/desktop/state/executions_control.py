"""Acting on executions: retry from the failed step, run again, cancel."""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.navigation import Place, Tab
from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.domain.backend import Feature
from patchbay.domain.base import ExecutionId, Json
from patchbay.domain.errors import AppError
from patchbay.domain.executions import Execution, ExecutionState, ReplayOn, WaitsFor


def can_resume(run: Execution) -> bool:
    """Whether it waits for something a person may cut short: a retry, or a service that asked to wait."""
    waiting = run.state is ExecutionState.WAITING
    return waiting and run.waits_for in (WaitsFor.RETRY, WaitsFor.LIMIT)


class RunControl(QObject):
    """One command at a time; each ends in a message, those that start something with a way to see it."""

    busy_changed = Signal(bool)
    started = Signal(str)
    """An execution was started by a command: its id."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._slot = Latest(services.tasks, self)
        self.busy = False

    @property
    def missing(self) -> str | None:
        """Why nothing of this can be done here; None when it can."""
        return self._backend.capabilities.reason(Feature.RUN_CONTROL)

    def retry_missing(self, run: Execution) -> str | None:
        """Why it cannot be retried, None when it can."""
        failed = run.state is ExecutionState.FAILURE
        return self.missing or (None if failed else "Only executions that failed can be retried.")

    def cancel_missing(self, run: Execution) -> str | None:
        """Why it cannot be cancelled, None when it can."""
        return self.missing or ("This execution is finished." if run.state.finished else None)

    def resume_missing(self, run: Execution) -> str | None:
        """Why its wait can't be ended, None when it can."""
        waits = can_resume(run)
        return self.missing or (None if waits else "This execution doesn't wait for a retry or a rate limit.")

    def retry(self, run: Execution) -> None:
        """Go on from the failed step, as a new execution."""
        if self.retry_missing(run) is None:
            words = f"“{run.flow.name}” is tried again from the failed step."
            self._start(self._backend.retry_execution(run.id), words)

    def continue_after(self, run: Execution) -> None:
        """Go on after the interrupted step, as a new execution."""
        if self.retry_missing(run) is None:
            words = f"“{run.flow.name}” goes on after the interrupted step."
            self._start(self._backend.continue_execution(run.id), words)

    def replay(self, run: Execution, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL) -> None:
        """Run it again from the start; None takes what started it then."""
        if self.missing is None:
            words = f"“{run.flow.name}” runs again."
            self._start(self._backend.replay_execution(run.id, item=item, on=on), words)

    def cancel(self, run: Execution) -> None:
        """End an unfinished execution now."""
        if self.cancel_missing(run) is None:
            said = f"“{run.flow.name}” was cancelled."
            self._do(self._backend.cancel_execution(run.id), lambda _: self._services.notices.post(said))

    def resume(self, run: Execution) -> None:
        """End its wait for a retry or a rate limit."""
        if self.resume_missing(run) is None:
            said = f"“{run.flow.name}” goes on now."
            self._do(self._backend.resume_execution(run.id), lambda _: self._services.notices.post(said))

    def show(self, execution_id: ExecutionId) -> None:
        """Bring up an execution, wherever one is."""
        self._services.navigator.go(Place(Tab.EXECUTIONS, id=execution_id))

    def _start(self, work: Coroutine[Any, Any, ExecutionId], words: str) -> None:
        def begun(execution_id: ExecutionId) -> None:
            self._services.notices.post(words, show=partial(self.show, execution_id))
            self.started.emit(execution_id)

        self._do(work, begun)

    def _do(self, work: Coroutine[Any, Any, Any], done: Any) -> None:
        self._set_busy(True)
        task = self._slot.ask(work, done=done, failed=self._failed)
        task.ended.connect(lambda: self._set_busy(False))

    def _failed(self, error: AppError) -> None:
        self._services.notices.failed(error)

    def _set_busy(self, busy: bool) -> None:
        self.busy = busy
        self.busy_changed.emit(busy)
