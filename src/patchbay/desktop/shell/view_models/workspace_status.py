"""The state of the workspace in the status bar and the badges, and newly broken connections."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.flow_alerts import DesktopNotification, NotificationAction
from patchbay.desktop.core.language import date_text, time_text, tr, tr_count, weekday_text
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.secret_stores import stored_in_text, waiting_text
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import clock, moment
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Feature, WorkspaceInfo
from patchbay.domain.base import ConnectionId, EpochMs
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import local_datetime, midnight
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.engine import EngineHealth, EngineState
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter, ExecutionState

REFRESH_MS = 30_000
LONG_WAIT_MS = 1_000
"""Delay after which it is shown that the window waits for the keyring, and is asked whether it still does."""
_ACTIVITIES = {"Adding sample executions": tr("Adding sample executions")}
"""What a workspace says it is doing, translated."""

Light = Literal["good", "idle", "bad", "wait"]


@dataclass(frozen=True)
class BrokenConnections:
    """Connections that stopped working at the same time, as one notification."""

    connections: tuple[Connection, ...]

    @property
    def title(self) -> str:
        """The title of the notice: which connection, or how many."""
        if len(self.connections) == 1:
            return tr("“{connection}” needs attention", connection=self.connections[0].screen_name)
        return tr_count(
            len(self.connections), "{n} connection needs attention", "{n} connections need attention"
        )

    @property
    def text(self) -> str:
        """The reason, or the names of several connections."""
        if len(self.connections) == 1:
            return self.connections[0].reason or tr("Its credentials are no longer valid.")
        return ", ".join(item.screen_name for item in self.connections)

    @property
    def notification(self) -> DesktopNotification:
        """The desktop notification about them; one connection can be reconnected from it."""
        if len(self.connections) > 1:
            return DesktopNotification(self.title, self.text, Place(Tab.MY_APPS))
        [one] = self.connections
        place = Place(Tab.MY_APPS, id=one.id, section="reconnect")
        reconnect = NotificationAction(tr("Reconnect", "verb, button"), place=place)
        return DesktopNotification(self.title, self.text, Place(Tab.MY_APPS, id=one.app_key), reconnect)


class ConnectionHealthWatcher:
    """Finds connections that stopped working since the last call; only those that worked before."""

    def __init__(self) -> None:
        self._healthy: set[ConnectionId] = set()

    def find_newly_broken(self, connections: Iterable[Connection]) -> BrokenConnections | None:
        """The connections that stopped working since the last call; None if there are none."""
        now = tuple(connections)
        broken = tuple(
            item
            for item in now
            if item.health is ConnectionHealth.NEEDS_ATTENTION and item.id in self._healthy
        )
        self._healthy = {
            item.id for item in now if item.health in (ConnectionHealth.VALID, ConnectionHealth.EXPIRES_SOON)
        }
        return BrokenConnections(broken) if broken else None


@dataclass(frozen=True)
class StatusLine:
    """A text of the status bar with its dot."""

    text: str
    light: Light
    title: str = ""
    """The text without details, if it has some."""


class WorkspaceViewModel(QObject):
    """Health, name, and badges of the workspace; read at start, on changes, and every 30 seconds."""

    changed = Signal()
    connections_broke = Signal(object)
    """Connections that worked and now need attention (`BrokenConnections`)."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._info_slot = LatestRequest(services.tasks, self)
        self._health_slot = LatestRequest(services.tasks, self)
        self._connections_slot = LatestRequest(services.tasks, self)
        self.info: WorkspaceInfo | None = None
        self.health: EngineHealth | None = None
        self.error: AppError | None = None
        self.updated_at: EpochMs | None = None
        """When the last successful response arrived."""
        self.attention = 0
        """The connections that need attention."""
        self._health_watcher = ConnectionHealthWatcher()
        self._seen_failures = 0
        self._are_secrets_checked = self._is_wait_long = False
        self._secrets_timer = QTimer(self, interval=LONG_WAIT_MS, singleShot=True)
        self._secrets_timer.timeout.connect(self._check_secrets)
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MS)
        self._timer.timeout.connect(self.refresh)

    def start(self) -> None:
        """Start following the workspace, and load its status."""
        self._services.feed.changed.connect(self.on_change)
        self._services.engine_owner.changed.connect(self.refresh)
        self._services.engine_owner.changed.connect(self.changed)
        self._timer.start()
        self._load_connections()
        self.refresh()

    def refresh(self) -> None:
        """Load the status again."""
        backend = self._services.backend
        self._info_slot.run(backend.info(), done=self._on_info_loaded, failed=self._on_failed)
        self._health_slot.run(backend.health(), done=self._on_health_loaded, failed=self._on_failed)

    def on_change(self, change: Change) -> None:
        """Load again what a change concerns."""
        if change.noun in (ResourceType.CONNECTION, ResourceType.WORKSPACE):
            self._load_connections()
        if change.noun in (
            ResourceType.CONNECTION,
            ResourceType.EXECUTION,
            ResourceType.FLOW,
            ResourceType.WORKSPACE,
        ):
            self.refresh()

    @property
    def unseen_failures(self) -> int:
        """The failures of today since the executions were last looked at."""
        return max(0, self.failures_today - self._seen_failures)

    @property
    def failures_today(self) -> int:
        """The number of failures since midnight."""
        return self.health.failures_today if self.health else 0

    def mark_failures_seen(self) -> None:
        """Mark the failures of today as seen."""
        if self._seen_failures != self.failures_today:
            self._seen_failures = self.failures_today
            self.changed.emit()

    @property
    def offline_since(self) -> EpochMs | None:
        """Since when the server hasn't responded; None while it does."""
        return self.info.offline_since if self.info else None

    @property
    def _is_current(self) -> bool:
        """Whether the status of the engine is current: it runs, and can be reached."""
        reached = self.error is None and self.offline_since is None
        return reached and not self._services.engine_owner.is_missing

    def warning(self) -> str:
        """The most important message of the window: that it is offline, or that nothing can be saved."""
        if self._services.engine_owner.is_missing:
            return tr(
                "No flows are running because the program that ran them has stopped. This window runs them "
                "in a moment, unless that program starts again."
            )
        if self.info is None or self.offline_since is None:
            return self.health.storage_problem or "" if self.health else ""
        at = moment(self.offline_since, self._services.clock())
        return tr(
            "{server} isn't responding. You're viewing data from {time} and can't make changes. "
            "Patchbay keeps trying to reconnect.",
            server=self.info.name,
            time=at,
        )

    def engine(self) -> StatusLine:
        """The status of the engine, or of the connection to it."""
        if self._services.engine_owner.is_missing:
            return StatusLine(tr("Engine stopped"), "bad")
        info, health = self.info, self.health
        if info is not None and info.offline_since is not None:
            return _offline_line(info.name, info.offline_since)
        server = info.name if info is not None and info.kind == "remote" else ""
        if self.error is not None:
            return _offline_line(server, self.updated_at)
        if health is None:
            return StatusLine(tr("Connecting"), "wait")
        if health.storage_problem:
            return _disk_line(server)
        if health.state is EngineState.STOPPED:
            return StatusLine(tr("Engine stopped"), "bad")
        if health.state is EngineState.PAUSED:
            return _paused_line(server)
        if server:
            return StatusLine(tr("{server}, online", server=server), "good")
        if info is not None and info.activity:
            return StatusLine(f"{_ACTIVITIES.get(info.activity, info.activity)}…", "wait")
        is_demo = info is not None and info.kind == "demo"
        return StatusLine(tr("Demo engine running") if is_demo else tr("Engine running"), "good")

    def next_run(self) -> tuple[str, str] | None:
        """When the next run starts, and of which flow; None if there is none or it is unknown."""
        if self.health is None or self.health.next_run_at is None or not self._is_current:
            return None
        at = local_datetime(self.health.next_run_at)
        today = local_datetime(self._services.clock()).date()
        text = time_text(at)
        if (at.date() - today).days == 1:
            text = tr("tomorrow {time}", time=text)
        elif at.date() != today:
            text = f"{weekday_text(at)} {date_text(at)}, {text}"
        return text, self.health.next_flow or ""

    @property
    def knows_next_run(self) -> bool:
        """Whether the workspace reports the next run; third-party servers don't."""
        is_known = self._services.backend.capabilities.reason(Feature.LIVE_UPDATES) is None
        return is_known and self.health is not None and self._is_current

    def active_runs_text(self) -> str:
        """Active runs as text: "1 running, 2 waiting"; empty if there are none or it is unknown."""
        if self.health is None or not self._is_current:
            return ""
        return active_runs_text(self.health.running, self.health.waiting, self.health.queued)

    def failures_text(self) -> str:
        """The failures of today as text; empty for none."""
        number = self.failures_today
        return tr_count(number, "{n} failure today", "{n} failures today") if number else ""

    def failures_tip(self) -> str:
        """Which failures are counted, and since when."""
        since = moment(self._failures_since(), self._services.clock())
        return tr("Show what failed since {time} and hasn't been retried, without tests", time=since)

    def _failures_since(self) -> EpochMs:
        since = self.health.today_since if self.health else None
        return since if since is not None else midnight(self._services.clock())

    def secrets(self) -> StatusLine | None:
        """Where credentials are stored, or that they can't be used; None until that is known."""
        if self.info is None:
            return None
        if self.info.secrets_problem:
            return StatusLine(tr("Credentials aren't available"), "bad")
        if not self._are_secrets_checked:
            return StatusLine(waiting_text(self.info), "wait") if self._is_wait_long else None
        text = stored_in_text(self.info)
        return StatusLine(text, "good") if text else None

    def failures_target(self) -> Place:
        """The executions counted by `failures_today`; a server decides what "today" means."""
        where = ExecutionFilter.unresolved_failures_since(self._failures_since())
        return Place(Tab.EXECUTIONS, where=where)

    def active_runs_target(self) -> Place:
        """Where the queued, running, and waiting executions are listed."""
        states = (ExecutionState.RUNNING, ExecutionState.WAITING, ExecutionState.QUEUED)
        return Place(Tab.EXECUTIONS, where=ExecutionFilter(states=states))

    def _load_connections(self) -> None:
        work = self._services.backend.list_connections()
        self._connections_slot.run(work, done=self._on_connections_loaded, failed=lambda _: None)

    def _on_info_loaded(self, info: WorkspaceInfo) -> None:
        self.info = info
        if not info.secrets_waiting or info.secrets_problem:
            self._are_secrets_checked = True
        elif not self._are_secrets_checked and not self._secrets_timer.isActive():
            self._secrets_timer.start()
        self._on_response()

    def _check_secrets(self) -> None:
        self._is_wait_long = True
        self.refresh()

    def _on_health_loaded(self, health: EngineHealth) -> None:
        self.health = health
        self._seen_failures = min(self._seen_failures, health.failures_today)
        self._on_response()

    def set_health(self, health: EngineHealth) -> None:
        """Show the status that a command returned, before the next update."""
        self._on_health_loaded(health)

    def _on_connections_loaded(self, connections: tuple[Connection, ...]) -> None:
        unhealthy = (ConnectionHealth.NEEDS_ATTENTION, ConnectionHealth.EXPIRES_SOON)
        self.attention = sum(each.health in unhealthy for each in connections)
        self.changed.emit()
        if (broken := self._health_watcher.find_newly_broken(connections)) is not None:
            self.connections_broke.emit(broken)

    def _on_response(self) -> None:
        self.error = None
        self.updated_at = self._services.clock()
        self.changed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.error = error
        self.changed.emit()


def active_runs_text(running: int, waiting: int, queued: int) -> str:
    """How many executions are in each of the states: "1 running, 2 waiting"; empty for none."""
    parts = []
    if running:
        parts.append(tr_count(running, "{n} running", "{n} running", "executions"))
    if waiting:
        parts.append(tr_count(waiting, "{n} waiting", "{n} waiting", "executions"))
    if queued:
        parts.append(tr_count(queued, "{n} queued", "{n} queued", "executions"))
    return ", ".join(parts)


def next_run_text(time: str, flow: str) -> str:
    """When the next run starts, and of which flow if that is known."""
    if not flow:
        return tr("Next run {time}", time=time)
    return tr("Next run {time}, {flow}", time=time, flow=flow)


def _offline_line(server: str, updated_at: EpochMs | None) -> StatusLine:
    if not server:
        text = tr("Not responding")
    elif updated_at:
        text = tr("{server}, offline, data from {time}", server=server, time=clock(updated_at))
    else:
        text = tr("{server}, offline", server=server)
    return StatusLine(text, "bad")


def _disk_line(server: str) -> StatusLine:
    if server:
        return StatusLine(tr("{server}, disk problem", server=server), "bad")
    return StatusLine(tr("Disk problem: changes may be lost"), "bad", tr("Disk problem"))


def _paused_line(server: str) -> StatusLine:
    if server:
        return StatusLine(tr("{server}, paused", server=server), "idle")
    return StatusLine(tr("Paused: storing webhooks"), "idle", tr("Paused", "the engine"))
