"""Desktop notifications: paused flows, and failures if turned on."""

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Backend
from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import DAY_MS
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState
from patchbay.domain.flows import PAUSED_BY_USER, Flow, FlowFilter, FlowStatus
from patchbay.domain.paging import Page, PageRequest

NOTIFY_FAILURES = "tell failures"
"""The key in `Services.preferences`: "yes" also notifies of failures."""

FAILURE_DELAY_MS = 3_000
"""How long failures are gathered before a notification."""

_NEWEST = 20


@dataclass(frozen=True)
class NotificationAction:
    """What a notification offers to do at once: the label of its button, and the operation."""

    label: str
    run: Callable[[Backend], Coroutine[Any, Any, object]]


@dataclass(frozen=True)
class DesktopNotification:
    """A desktop notification, the place that it opens, and what else it offers."""

    title: str
    text: str
    place: Place
    action: NotificationAction | None = None


class DesktopNotifier(QObject):
    """Follows changes and notifies of new ones since `start`, except of flows that were paused manually."""

    notification_requested = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._paused: set[FlowId] | None = None
        self._seen: set[ExecutionId] = set()
        self._since: EpochMs = 0
        self._flows, self._failures = LatestRequest(services.tasks, self), LatestRequest(services.tasks, self)
        self._delay_timer = QTimer(self, singleShot=True, interval=FAILURE_DELAY_MS)
        self._delay_timer.timeout.connect(self.check_failures)

    def start(self) -> None:
        """Start watching for failures and paused flows."""
        self._since = self._services.clock()
        self._services.feed.changed.connect(self._on_change)
        self._check_paused_flows()

    def check_failures(self) -> None:
        """Read what failed since the start, or since the last notification."""
        where = ExecutionFilter(states=(ExecutionState.FAILURE,), started_after=self._since - DAY_MS)
        work = self._backend.list_executions(where, PageRequest(limit=_NEWEST))
        self._failures.run(work, done=self._on_failures, failed=lambda _: None)

    def _on_change(self, change: Change) -> None:
        if change.noun is ResourceType.FLOW:
            self._check_paused_flows()
        elif (
            change.noun is ResourceType.EXECUTION
            and self._notifies_failures
            and not self._delay_timer.isActive()
        ):
            self._delay_timer.start()

    @property
    def _notifies_failures(self) -> bool:
        return self._services.preferences.get(NOTIFY_FAILURES) == "yes"

    def _check_paused_flows(self) -> None:
        work = self._backend.list_flows(FlowFilter(status=FlowStatus.PAUSED), PageRequest(limit=100))
        self._flows.run(work, done=self._on_paused_flows, failed=lambda _: None)

    def _on_paused_flows(self, page: Page[Flow]) -> None:
        known, self._paused = self._paused, {flow.id for flow in page.items}
        if known is None:
            return
        new = [flow for flow in page.items if flow.id not in known and flow.paused_reason != PAUSED_BY_USER]
        if new:
            self.notification_requested.emit(paused_notification(new))

    def _on_failures(self, page: Page[Execution]) -> None:
        new = [
            run
            for run in page.items
            if run.id not in self._seen and not run.test_run and (run.finished_at or 0) >= self._since
        ]
        self._seen |= {run.id for run in page.items}
        if new:
            self.notification_requested.emit(failure_notification(new))


def paused_notification(flows: Iterable[Flow]) -> DesktopNotification:
    """The desktop notification for flows that were paused."""
    found = tuple(flows)
    if len(found) == 1:
        place = Place(Tab.FLOWS, id=found[0].id, section="editor")
        flow_id = found[0].id
        resume = NotificationAction("Resume", lambda backend: backend.resume_flow(flow_id))
        return DesktopNotification(
            f"“{found[0].name}” was paused", found[0].paused_reason or "", place, resume
        )
    names = ", ".join(flow.name for flow in found)
    where = FlowFilter(status=FlowStatus.PAUSED)
    return DesktopNotification(f"{len(found)} flows were paused", names, Place(Tab.FLOWS, where=where))


def failure_notification(runs: Iterable[Execution]) -> DesktopNotification:
    """The desktop notification for executions that failed."""
    found = tuple(runs)
    if len(found) == 1:
        place = Place(Tab.EXECUTIONS, id=found[0].id)
        execution_id = found[0].id
        retry = NotificationAction("Retry", lambda backend: backend.retry_execution(execution_id))
        return DesktopNotification(f"“{found[0].flow.name}” failed", found[0].note or "", place, retry)
    names = ", ".join(dict.fromkeys(run.flow.name for run in found))
    where = ExecutionFilter(states=(ExecutionState.FAILURE,))
    return DesktopNotification(f"{len(found)} executions failed", names, Place(Tab.EXECUTIONS, where=where))
