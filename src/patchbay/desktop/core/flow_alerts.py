"""Desktop notifications about flows: those that were paused, and failures as chosen."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Backend
from patchbay.domain.backups import BackupStatus
from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import DAY_MS
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState
from patchbay.domain.flows import PAUSED_BY_USER, Flow, FlowFilter, FlowStatus
from patchbay.domain.notification_settings import NotifyOnFailure
from patchbay.domain.paging import Page, PageRequest

FAILURE_DELAY_MS = 3_000
"""How long failures are gathered before a notification."""

_NOTIFIED_BACKUP = "notified backup problem"
"""The key in `Services.preferences` of the failed backup that the person was notified of."""
_NEWEST = 20
_FINISHED = (ExecutionState.SUCCESS, ExecutionState.FILTERED, ExecutionState.FAILURE)


@dataclass(frozen=True)
class NotificationAction:
    """What a notification offers besides opening its place: an operation, or another place."""

    label: str
    run: Callable[[Backend], Coroutine[Any, Any, object]] | None = None
    place: Place | None = None


@dataclass(frozen=True)
class DesktopNotification:
    """A desktop notification, the place that it opens, and what else it offers.

    `runs` are the failed executions that it is about, or `flows` the paused flows.
    """

    title: str
    text: str
    place: Place
    action: NotificationAction | None = None
    runs: tuple[Execution, ...] = ()
    flows: tuple[Flow, ...] = ()
    settings: str = ""
    """The page of the settings that it opens instead of a place."""


class DesktopNotifier(QObject):
    """Follows changes and notifies of new ones since `start`, except of flows that were paused manually."""

    notification_requested = Signal(object)
    backup_checked = Signal(object)
    """Emitted with a `BackupStatus` that was read, after its notification."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self._paused: set[FlowId] | None = None
        self._seen: set[ExecutionId] = set()
        self._since: EpochMs = 0
        self._backups = LatestRequest(services.tasks, self)
        self._flows, self._failures = LatestRequest(services.tasks, self), LatestRequest(services.tasks, self)
        self._delay_timer = QTimer(self, singleShot=True, interval=FAILURE_DELAY_MS)
        self._delay_timer.timeout.connect(self.check_failures)

    def start(self) -> None:
        """Start watching for failures and paused flows."""
        self._since = self._services.clock()
        self._services.feed.changed.connect(self._on_change)
        self._check_paused_flows()
        self._check_backups()

    def check_failures(self) -> None:
        """Read what failed since the start, or since the last notification."""
        self._failures.run(self._find_failures(), done=self._on_failures, failed=lambda _: None)

    async def _find_failures(self) -> tuple[Page[Execution], frozenset[ExecutionId]]:
        """The newest failures, and those among them that follow a success."""
        where = ExecutionFilter(states=(ExecutionState.FAILURE,), started_after=self._since - DAY_MS)
        page = await self._backend.list_executions(where, PageRequest(limit=_NEWEST))
        settings = self._services.notifications.value
        flow_ids = {
            run.flow.id
            for run in self._new_failures(page)
            if settings.for_flow(run.flow.id) is NotifyOnFailure.FIRST
        }
        found = await asyncio.gather(*(self._first_failures(flow_id) for flow_id in flow_ids))
        return page, frozenset(run_id for ids in found for run_id in ids)

    async def _first_failures(self, flow_id: FlowId) -> tuple[ExecutionId, ...]:
        """The failures of a flow that don't follow another failure, among its newest executions."""
        where = ExecutionFilter(flow_id=flow_id, states=_FINISHED, test_run=False)
        page = await self._backend.list_executions(where, PageRequest(limit=_NEWEST))
        runs = sorted(page.items, key=lambda run: run.finished_at or run.created_at)
        is_complete = len(runs) >= page.total
        before = [ExecutionState.SUCCESS if is_complete else ExecutionState.FAILURE]
        before += [run.state for run in runs]
        return tuple(
            run.id
            for previous, run in zip(before, runs, strict=False)
            if run.state is ExecutionState.FAILURE and previous is not ExecutionState.FAILURE
        )

    def _on_change(self, change: Change) -> None:
        if change.noun is ResourceType.WORKSPACE:
            self._check_backups()
        elif change.noun is ResourceType.FLOW:
            self._check_paused_flows()
        elif (
            change.noun is ResourceType.EXECUTION
            and self._services.notifications.value.can_notify_of_failures
            and not self._delay_timer.isActive()
        ):
            self._delay_timer.start()

    def _check_backups(self) -> None:
        if self._services.backups is not None:
            self._backups.run(
                self._services.backups.status(), done=self._on_backup_status, failed=lambda _: None
            )

    def _on_backup_status(self, status: BackupStatus) -> None:
        """Notify once of a backup that failed, not again until one was made."""
        preferences, known = self._services.preferences, _NOTIFIED_BACKUP
        if not status.problem:
            if preferences.get(known):
                preferences.put(known, "")
        elif not preferences.get(known):
            preferences.put(known, str(status.problem_at))
            place = Place(Tab.EXECUTIONS)
            self.notification_requested.emit(
                DesktopNotification(tr("The backup failed"), status.problem, place, settings="Data")
            )
        self.backup_checked.emit(status)

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

    def _new_failures(self, page: Page[Execution]) -> list[Execution]:
        return [
            run
            for run in page.items
            if run.id not in self._seen and not run.test_run and (run.finished_at or 0) >= self._since
        ]

    def _on_failures(self, found: tuple[Page[Execution], frozenset[ExecutionId]]) -> None:
        page, first = found
        settings = self._services.notifications.value
        new = [
            run
            for run in self._new_failures(page)
            if (choice := settings.for_flow(run.flow.id)) is NotifyOnFailure.ALWAYS
            or (choice is NotifyOnFailure.FIRST and run.id in first)
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
        resume = NotificationAction(
            tr("Resume", "button: a flow or all runs"), lambda backend: backend.resume_flow(flow_id)
        )
        title = tr("“{flow}” was paused", flow=found[0].name)
        return DesktopNotification(title, found[0].paused_reason or "", place, resume, flows=found)
    names = ", ".join(flow.name for flow in found)
    place = Place(Tab.FLOWS, where=FlowFilter(status=FlowStatus.PAUSED))
    title = tr_count(len(found), "{n} flow was paused", "{n} flows were paused")
    return DesktopNotification(title, names, place, flows=found)


def failure_notification(runs: Iterable[Execution]) -> DesktopNotification:
    """The desktop notification for executions that failed."""
    found = tuple(runs)
    if len(found) == 1:
        place = Place(Tab.EXECUTIONS, id=found[0].id)
        execution_id = found[0].id
        retry = NotificationAction(
            tr("Retry", "verb, button"), lambda backend: backend.retry_execution(execution_id)
        )
        title = tr("“{flow}” failed", flow=found[0].flow.name)
        return DesktopNotification(title, found[0].note or "", place, retry, runs=found)
    names = list(dict.fromkeys(run.flow.name for run in found))
    flow_ids = {run.flow.id for run in found}
    flow_id = flow_ids.pop() if len(flow_ids) == 1 else None
    place = Place(Tab.EXECUTIONS, where=ExecutionFilter(states=(ExecutionState.FAILURE,), flow_id=flow_id))
    if flow_id is not None:
        title, text = _times_failed(names[0], len(found)), found[0].note or ""
    else:
        title = tr_count(len(found), "{n} execution failed", "{n} executions failed")
        text = ", ".join(names)
    return DesktopNotification(title, text, place, runs=found)


def _times_failed(flow_name: str, times: int) -> str:
    return tr_count(times, "“{flow}” failed {n} time", "“{flow}” failed {n} times", flow=flow_name)
