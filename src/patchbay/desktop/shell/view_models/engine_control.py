"""Pausing and resuming the engine, and its status as text."""

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import day_text, time_text, tr, tr_count, weekday_text
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import duration
from patchbay.desktop.shell.view_models.workspace_status import WorkspaceViewModel, active_runs_text
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Feature
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import SECOND_MS, local_datetime
from patchbay.domain.engine import EngineHealth, EngineState

STATE_EXPLANATIONS = {
    EngineState.RUNNING: tr("Published flows run automatically."),
    EngineState.PAUSED: tr(
        "No flow starts until you resume runs, even after a restart. Incoming webhooks are "
        "stored and run then."
    ),
    EngineState.STOPPED: tr("Nothing runs. Reopen the workspace to start the engine."),
}


def engine_status_rows(health: EngineHealth, now: EpochMs) -> tuple[tuple[str, str], ...]:
    """The rows of the popup: names and values, in order."""
    return (
        (tr("Running since"), "–" if health.started_at is None else _since(health.started_at, now)),
        (tr("Last scheduler check"), _ago(health.last_tick_at, now)),
        (tr("Unfinished", "executions"), _active_runs(health)),
        (tr("Queued", "executions"), _queue(health, now)),
        (tr("Next run"), _next_run(health, now)),
    )


def _since(at: EpochMs, now: EpochMs) -> str:
    return f"{_moment(at, now)} ({duration(now - at)})"


def _ago(at: EpochMs | None, now: EpochMs) -> str:
    if at is None:
        return "–"
    if now - at < 2 * SECOND_MS:
        return tr("just now")
    return tr("{duration} ago", duration=duration(now - at))


def _active_runs(health: EngineHealth) -> str:
    return active_runs_text(health.running, health.waiting, 0) or tr("none", "no executions")


def _queue(health: EngineHealth, now: EpochMs) -> str:
    if not health.queued:
        return tr("none", "no executions")
    if health.oldest_queued_at is None:
        return tr_count(health.queued, "{n} execution", "{n} executions")
    return tr_count(
        health.queued,
        "{n} execution, the oldest for {duration}",
        "{n} executions, the oldest for {duration}",
        duration=duration(now - health.oldest_queued_at),
    )


def _next_run(health: EngineHealth, now: EpochMs) -> str:
    if health.next_run_at is None:
        is_paused = health.state is EngineState.PAUSED
        return tr("none (runs are paused)") if is_paused else tr("none scheduled")
    flow = f", {health.next_flow}" if health.next_flow else ""
    return f"{_moment(health.next_run_at, now)}{flow}"


def _moment(at: EpochMs, now: EpochMs) -> str:
    then, today = local_datetime(at), local_datetime(now)
    if then.date() == today.date():
        return time_text(then)
    return f"{weekday_text(then)} {day_text(then)}, {time_text(then)}"


class EngineControl(QObject):
    """Runs one command at a time; `WorkspaceViewModel` shows the result."""

    busy_changed = Signal(bool)

    def __init__(self, services: Services, model: WorkspaceViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._backend = services.backend
        self._model = model
        self._request = LatestRequest(services.tasks, self)
        self.busy = False

    @property
    def paused(self) -> bool:
        """Whether all runs are paused."""
        health = self._model.health
        return health is not None and health.state is EngineState.PAUSED

    @property
    def pause_unavailable_reason(self) -> str | None:
        """Why runs can't be paused now; None if they can."""
        return self._unavailable_reason() or (tr("runs are already paused") if self.paused else None)

    @property
    def resume_unavailable_reason(self) -> str | None:
        """Why runs can't be resumed now; None if they can."""
        return self._unavailable_reason() or (None if self.paused else tr("runs aren't paused"))

    def pause(self) -> None:
        """Pause all runs; running steps finish."""
        if self.pause_unavailable_reason is None:
            message = tr("All runs paused. Incoming webhooks are stored.")
            self._run_command(self._backend.pause_runs(), message, undo=True)

    def resume(self) -> None:
        if self.resume_unavailable_reason is None:
            self._run_command(self._backend.resume_runs(), tr("Runs resumed."))

    def _unavailable_reason(self) -> str | None:
        if reason := self._backend.capabilities.reason(Feature.ENGINE):
            return reason
        health = self._model.health
        if health is None:
            return tr("the workspace isn't responding")
        return tr("the engine is stopped") if health.state is EngineState.STOPPED else None

    def _run_command(
        self, work: Coroutine[Any, Any, EngineHealth], message: str, *, undo: bool = False
    ) -> None:
        def done(health: EngineHealth) -> None:
            self._model.set_health(health)
            self._services.notices.post(message, undo=self.resume if undo else None, subject="engine")

        self._set_busy(True)
        task = self._request.run(work, done=done, failed=self._services.notices.failed)
        task.ended.connect(lambda: self._set_busy(False))

    def _set_busy(self, busy: bool) -> None:
        self.busy = busy
        self.busy_changed.emit(busy)
