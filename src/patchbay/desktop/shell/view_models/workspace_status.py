"""Which connections broke: were good when last seen, and need attention now."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import moment
from patchbay.desktop.tasks import Latest
from patchbay.domain.backend import Feature, WorkspaceInfo
from patchbay.domain.base import ConnectionId, EpochMs
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import day_name, midnight, month_name
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.engine import EngineHealth, EngineState
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter, ExecutionState


@dataclass(frozen=True)
class Broken:
    """Connections that broke at the same time, as one message."""

    connections: tuple[Connection, ...]

    @property
    def title(self) -> str:
        if len(self.connections) == 1:
            return f"“{self.connections[0].screen_name}” needs attention"
        return f"{len(self.connections)} connections need attention"

    @property
    def text(self) -> str:
        if len(self.connections) == 1:
            return self.connections[0].reason or "Its credentials are no longer valid."
        return ", ".join(item.screen_name for item in self.connections)


class Breakage:
    """Given what is read each time, tells what broke since; silent until a connection was good again."""

    def __init__(self) -> None:
        self._good: set[ConnectionId] = set()

    def newly(self, connections: Iterable[Connection]) -> Broken | None:
        """What broke since the last call; None when nothing did."""
        now = tuple(connections)
        broken = tuple(
            item for item in now if item.health is ConnectionHealth.NEEDS_ATTENTION and item.id in self._good
        )
        self._good = {
            item.id for item in now if item.health in (ConnectionHealth.VALID, ConnectionHealth.EXPIRES_SOON)
        }
        return Broken(broken) if broken else None


# MERGED: What the frame of the window says about the workspace: the status bar, the badges, where it
# is.

REFRESH_MS = 30_000
SOON_MS, STARTING_MS = 1_000, 60_000
"""An engine that has just started may not have read yet what is due: it is asked again soon."""

Light = Literal["good", "idle", "bad", "wait"]


@dataclass(frozen=True)
class Status:
    """A sentence of the status bar with its light."""

    text: str
    light: Light


class WorkspaceViewModel(QObject):
    """Health, whereabouts and badges; read at start, on changes and every 30 seconds."""

    changed = Signal()
    broke = Signal(object)
    """Connections that were good and need attention now (`Broken`)."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._info_slot = Latest(services.tasks, self)
        self._health_slot = Latest(services.tasks, self)
        self._connections_slot = Latest(services.tasks, self)
        self.info: WorkspaceInfo | None = None
        self.health: EngineHealth | None = None
        self.error: AppError | None = None
        self.told_at: EpochMs | None = None
        """When the last good answer came."""
        self.attention = 0
        """Connections that need something done."""
        self._breakage = Breakage()
        self._seen_failures = 0
        self._timer = QTimer(self)
        self._timer.setInterval(REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self.refresh)

    def start(self) -> None:
        self._services.feed.changed.connect(self.on_change)
        self._services.engine_offer.changed.connect(self.refresh)
        self._services.engine_offer.changed.connect(self.changed)
        self._timer.start()
        self._ask_connections()
        self.refresh()

    def refresh(self) -> None:
        backend = self._services.backend
        self._info_slot.ask(backend.info(), done=self._told_info, failed=self._failed)
        self._health_slot.ask(backend.health(), done=self._told_health, failed=self._failed)

    def on_change(self, change: Change) -> None:
        if change.noun in (ResourceType.CONNECTION, ResourceType.WORKSPACE):
            self._ask_connections()
        if change.noun in (
            ResourceType.CONNECTION,
            ResourceType.EXECUTION,
            ResourceType.FLOW,
            ResourceType.WORKSPACE,
        ):
            self.refresh()

    @property
    def unseen_failures(self) -> int:
        return max(0, self.failures_today - self._seen_failures)

    @property
    def failures_today(self) -> int:
        return self.health.failures_today if self.health else 0

    def failures_seen(self) -> None:
        """The person left the executions after looking at them."""
        if self._seen_failures != self.failures_today:
            self._seen_failures = self.failures_today
            self.changed.emit()

    @property
    def offline_since(self) -> EpochMs | None:
        """Since when the service has not answered, None while it does."""
        return self.info.offline_since if self.info else None

    @property
    def _answers(self) -> bool:
        """Whether what is known of the engine is up to date: it runs somewhere and can be reached."""
        reached = self.error is None and self.offline_since is None
        return reached and not self._services.engine_offer.is_open

    def warning(self) -> str:
        """What the window says above everything else: that it is offline, or that nothing can be saved."""
        if self._services.engine_offer.is_open:
            return (
                "No flows are running because “patchbay serve” has stopped. This window reconnects when "
                "it starts again, or can run the flows itself."
            )
        if self.info is None or self.offline_since is None:
            return self.health.storage_problem or "" if self.health else ""
        at = moment(self.offline_since, self._services.clock())
        return (
            f"{self.info.name} hasn’t responded since {at}. You see the data from then, and can’t "
            "change anything. Patchbay keeps trying to reconnect."
        )

    def engine(self) -> Status:
        """How the engine, or the way to it, is."""
        if self._services.engine_offer.is_open:
            return Status("Engine stopped", "bad")
        remote = self.info is not None and self.info.kind == "remote"
        if self.offline_since is not None:
            return Status(f"{self._where()} offline, data of {_clock(self.offline_since)}", "bad")
        if self.error is not None:
            since = f", data of {_clock(self.told_at)}" if self.told_at else ""
            return Status(f"{self._where()} offline{since}" if remote else "Not responding", "bad")
        if self.health is None:
            return Status("Connecting", "wait")
        if self.health.storage_problem:
            return Status(
                f"{self._where()} disk problem" if remote else "Disk problem: changes may be lost", "bad"
            )
        if remote and self.health.state is EngineState.RUNNING:
            return Status(f"{self._where()} online", "good")
        if self.health.state is EngineState.PAUSED:
            return Status(f"{self._where()} paused" if remote else "Paused: storing webhooks", "idle")
        return {
            EngineState.RUNNING: Status("Engine running", "good"),
            EngineState.STOPPED: Status("Engine stopped", "bad"),
        }[self.health.state]

    def next_run(self) -> tuple[str, str] | None:
        """When, and which flow; None when nothing is due, or nobody knows any more."""
        if self.health is None or self.health.next_run_at is None or not self._answers:
            return None
        at = datetime.fromtimestamp(self.health.next_run_at / 1000).astimezone()
        today = datetime.fromtimestamp(self._services.clock() / 1000).astimezone().date()
        if at.date() == today:
            day = ""
        elif (at.date() - today).days == 1:
            day = "tomorrow "
        else:
            day = f"{day_name(at)} {at.day} {month_name(at)}, "
        return f"{day}{at:%H:%M}", self.health.next_flow or ""

    @property
    def knows_next_run(self) -> bool:
        """Whether the workspace tells which run is due; third-party servers don't."""
        told = self._services.backend.capabilities.reason(Feature.LIVE_UPDATES) is None
        return told and self.health is not None and self._answers

    def under_way(self) -> str:
        """1 running, 2 waiting; empty when nothing is, or nobody knows any more."""
        if self.health is None or not self._answers:
            return ""
        counts = (
            (self.health.running, "running"),
            (self.health.waiting, "waiting"),
            (self.health.queued, "queued"),
        )
        return ", ".join(f"{number} {word}" for number, word in counts if number)

    def failures_text(self) -> str:
        number = self.failures_today
        return "" if not number else "1 failure today" if number == 1 else f"{number} failures today"

    def secrets(self) -> Status | None:
        """Where credentials are stored, or why they cannot be used."""
        if self.info is None:
            return None
        if self.info.secrets_problem:
            return Status("Credentials aren’t available", "bad")
        if self.info.secrets_name:
            return Status(f"Secrets in {self.info.secrets_name}", "good")
        return Status(self.info.secrets_kept, "good") if self.info.secrets_kept else None

    def place_of_failures(self) -> Place:
        """The executions that `failures_today` counts; what a server calls today is told by the server."""
        since = self.health.today_since if self.health else None
        where = ExecutionFilter.failures_to_look_at(
            since if since is not None else midnight(self._services.clock())
        )
        return Place(Tab.EXECUTIONS, where=where)

    def place_of_under_way(self) -> Place:
        states = (ExecutionState.RUNNING, ExecutionState.WAITING, ExecutionState.QUEUED)
        return Place(Tab.EXECUTIONS, where=ExecutionFilter(states=states))

    def _where(self) -> str:
        return f"{self.info.name}," if self.info else "Service"

    def _ask_connections(self) -> None:
        work = self._services.backend.list_connections()
        self._connections_slot.ask(work, done=self._told_connections, failed=lambda _: None)

    def _told_info(self, info: WorkspaceInfo) -> None:
        self.info = info
        self._told()

    def _told_health(self, health: EngineHealth) -> None:
        self.health = health
        self._seen_failures = min(self._seen_failures, health.failures_today)
        if self._is_starting(health) and not self._soon.isActive():
            self._soon.start()
        self._told()

    def _is_starting(self, health: EngineHealth) -> bool:
        if health.state is not EngineState.RUNNING or health.next_run_at is not None:
            return False
        return health.started_at is not None and self._services.clock() - health.started_at < STARTING_MS

    def take_health(self, health: EngineHealth) -> None:
        """What a command answered, ahead of the next look."""
        self._told_health(health)

    def _told_connections(self, connections: tuple[Connection, ...]) -> None:
        worrying = (ConnectionHealth.NEEDS_ATTENTION, ConnectionHealth.EXPIRES_SOON)
        self.attention = sum(each.health in worrying for each in connections)
        self.changed.emit()
        if (broken := self._breakage.newly(connections)) is not None:
            self.broke.emit(broken)

    def _told(self) -> None:
        self.error = None
        self.told_at = self._services.clock()
        self.changed.emit()

    def _failed(self, error: AppError) -> None:
        self.error = error
        self.changed.emit()


def _clock(ms: EpochMs) -> str:
    return f"{datetime.fromtimestamp(ms / 1000).astimezone():%H:%M}"
