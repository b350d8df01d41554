"""View-model of the My Apps screen: connection health, test rounds, and connection commands."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.rate_limits import call_limit_text, limit_of
from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.my_apps.view_models.app_list import (
    UNHEALTHY,
    AppRow,
    AppSection,
    SortOrder,
    app_rows,
    free_name,
    search_rows,
    sections,
)
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Backend, Feature
from patchbay.domain.base import AppKey, ConnectionId, EpochMs
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.engine import EngineSettings, RateLimit
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest, read_all


async def recently_used(backend: Backend) -> dict[AppKey, EpochMs]:
    """Load the apps of the latest executions with the time of last use, newest first."""
    newest = await backend.list_executions(ExecutionFilter(), PageRequest(limit=MAX_PAGE_SIZE))
    found: dict[AppKey, EpochMs] = {}
    for execution in newest.items:
        for key in execution.flow.app_keys:
            found.setdefault(key, execution.created_at)
    return found


async def flows_by_connection(
    backend: Backend, connections: Iterable[ConnectionId]
) -> dict[ConnectionId, list[Flow]]:
    """Return the flows that use each of these connections, all of them."""
    keys = tuple(connections)
    reads = (read_all(partial(backend.list_flows, FlowFilter(connection_id=key))) for key in keys)
    return dict(zip(keys, await asyncio.gather(*reads), strict=True))


# Test rounds


class ConnectionTestRun(QObject):
    """A test round over several connections. `done` of `total` are tested; `current` is being tested."""

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
        self.total = self.done = self.failed_count = self.unreachable_count = 0
        self.current: ConnectionId | None = None
        self.problem: AppError | None = None
        """Error that stopped the round because it would affect all other connections too."""

    def start(self, ids: Iterable[ConnectionId]) -> None:
        """Start testing these in order; ignored while a round is running."""
        if self.running:
            return
        self._waiting = list(ids)
        self.total = len(self._waiting)
        self.done = 0
        self.failed_count = 0
        self.unreachable_count = 0
        self.stopped, self.problem = False, None
        self.running = bool(self._waiting)
        self._next()

    def stop(self) -> None:
        """Stop the round and abandon the running test."""
        if self.running:
            self.stopped = True
            self._waiting.clear()
            if self._task is not None:
                self._task.cancel()

    def summary(self) -> str:
        """Return the summary of the round."""
        if self.problem is not None:
            return self.problem.text()
        if self.stopped:
            return tr_count(
                self.total,
                "Stopped after {done} of {n} connection.",
                "Stopped after {done} of {n} connections.",
                done=number_text(self.done),
            )
        if not self.failed_count and not self.unreachable_count:
            return tr_count(self.total, "The connection is valid.", "All {n} connections are valid.")
        results = []
        if self.failed_count:
            results.append(tr_count(self.failed_count, "{n} needs attention", "{n} need attention"))
        if self.unreachable_count:
            results.append(
                tr_count(self.unreachable_count, "{n} couldn't be reached", "{n} couldn't be reached")
            )
        return tr_count(
            self.total,
            "{n} connection tested: {results}.",
            "{n} connections tested: {results}.",
            results=", ".join(results),
        )

    def _next(self) -> None:
        if not self._waiting:
            was_running, self.running = self.running, False
            self._task, self.current = None, None
            self.advanced.emit()
            if was_running:
                self.ended.emit()
            return
        self.current = self._waiting.pop(0)
        work = self._services.backend.test_connection(self.current)
        self._task = self._services.tasks.run(self, work, done=self._on_tested, failed=self._on_failed)
        self._task.ended.connect(self._next)
        self.advanced.emit()

    def _on_tested(self, connection: Connection) -> None:
        self.done += 1
        rejected = connection.health is ConnectionHealth.NEEDS_ATTENTION
        self.failed_count += rejected
        self.unreachable_count += bool(connection.unreachable) and not rejected
        self.tested.emit(connection)

    def _on_failed(self, error: AppError) -> None:
        if isinstance(error, NotFound):
            self.total -= 1  # deleted meanwhile
            return
        self.problem = error
        self._waiting.clear()


# View-model

VIEW_KEY, SORT_KEY = "my_apps.view", "my_apps.order"


class MyAppsViewModel(ScreenViewModel):
    """The My Apps screen: apps with connections, one of them selected."""

    rows_changed = Signal()
    selection_changed = Signal()
    busy_changed = Signal()
    flows_changed = Signal()

    reloads_on = (ResourceType.CONNECTION, ResourceType.WORKSPACE)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self._tasks = services.tasks
        self.text, self.category = "", ""
        self.selected = AppKey("")
        self.flows: dict[ConnectionId, tuple[Flow, ...]] = {}
        self.test_run = ConnectionTestRun(services, self)
        self._testing_ids: frozenset[ConnectionId] = frozenset()
        self._connections: tuple[Connection, ...] = ()
        self._rows: tuple[AppRow, ...] = ()
        self.last_used: Mapping[AppKey, EpochMs] = {}
        """When flows last used each app, newest first."""
        self._flows_request = LatestRequest(services.tasks, self)
        self._usage_request = LatestRequest(services.tasks, self)
        services.apps.changed.connect(self._rebuild)
        self.test_run.advanced.connect(self._on_tests_changed)
        self.test_run.tested.connect(self._replace)
        self.test_run.ended.connect(self._on_test_run_ended)

    # What is shown

    @property
    def rows(self) -> tuple[AppRow, ...]:
        """Rows that match category and search text."""
        rows = (row for row in self._rows if self.category in ("", row.app.category))
        return search_rows(rows, self.text)

    @property
    def sections(self) -> tuple[AppSection, ...]:
        """The rows as sections in the current order."""
        return sections(self.rows, self.order, self.last_used)

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of the apps, by name."""
        return tuple(sorted({row.app.category for row in self._rows} - {""}, key=str.casefold))

    @property
    def order(self) -> SortOrder:
        """The order of the list, as last chosen."""
        chosen = self._services.preferences.get(SORT_KEY)
        return SortOrder(chosen) if chosen in tuple(SortOrder) else SortOrder.HEALTH

    @property
    def grid(self) -> bool:
        """Whether apps are shown as tiles; stored."""
        return self._services.preferences.get(VIEW_KEY) == "grid"

    @property
    def row(self) -> AppRow | None:
        """The selected app; None without one."""
        return next((row for row in self._rows if row.app.key == self.selected), None)

    @property
    def attention(self) -> int:
        """Number of connections that need attention, for the tab's badge."""
        return sum(item.health in UNHEALTHY for item in self._connections)

    @property
    def testing(self) -> frozenset[ConnectionId]:
        """IDs of connections being tested."""
        current = self.test_run.current
        return self._testing_ids | {current} if current else self._testing_ids

    @property
    def has_connections(self) -> bool:
        """Whether there is at least one connection."""
        return bool(self._connections)

    @property
    def testing_all(self) -> bool:
        """Whether all connections are being tested."""
        return self.test_run.running

    @property
    def unavailable_reason(self) -> str | None:
        """Why connections can't be managed here; None if they can."""
        return self._backend.capabilities.reason(Feature.CONNECTIONS)

    def connection(self, connection_id: ConnectionId) -> Connection | None:
        """The connection with this ID; None if there is none."""
        return next((item for item in self._connections if item.id == connection_id), None)

    # Commands

    def _read(self) -> None:
        self._load_request.run(
            self._backend.list_connections(), done=self._on_loaded, failed=self._on_load_failed
        )
        self._usage_request.run(
            recently_used(self._backend), done=self._on_usage_loaded, failed=lambda _: None
        )

    def set_text(self, text: str) -> None:
        """Show only apps that match the text."""
        self.text = text
        self._on_filtered()

    def set_category(self, category: str) -> None:
        """Show only apps of a category; empty: of all."""
        self.category = category
        self._on_filtered()

    def _on_filtered(self) -> None:
        """Select the first app that matches if the selected one doesn't."""
        self.rows_changed.emit()
        shown = [row.app.key for section in self.sections for row in section.rows]
        if shown and self.selected not in shown:
            self.select(shown[0])

    def set_order(self, order: SortOrder) -> None:
        """Set the order of the list, and remember it."""
        self._services.preferences.put(SORT_KEY, order.value)
        self.rows_changed.emit()

    def set_grid(self, grid: bool) -> None:
        """Set whether apps are shown as a grid, and remember it."""
        self._services.preferences.put(VIEW_KEY, "grid" if grid else "list")
        self.rows_changed.emit()

    def select(self, key: AppKey) -> None:
        """Select an app and load the flows that use it."""
        if key != self.selected:
            self.selected = key
            self.flows = {}
            self.selection_changed.emit()
            self._load_flows()

    def test(self, connection_id: ConnectionId) -> None:
        """Test a connection; the result stays visible."""
        self._set_testing(connection_id, True)
        task = self._run(self._backend.test_connection(connection_id), self._on_tested)
        task.ended.connect(lambda: self._set_testing(connection_id, False))

    def test_all(self) -> None:
        """Test every connection, one after another; `cancel_test_all` ends it."""
        self.test_run.start(item.id for row in self._rows for item in row.connections if not row.app.broken)

    def cancel_test_all(self) -> None:
        """Stop testing all connections."""
        self.test_run.stop()

    def rename(self, connection_id: ConnectionId, name: str) -> None:
        """Rename a connection."""
        self._run(self._backend.rename_connection(connection_id, name))

    def limit(self, connection: Connection, limit: RateLimit | None) -> None:
        """Set the connection's rate limit for all flows together (None: no limit), with undo."""
        if limit == connection.rate_limit:
            return

        def done(made: Connection) -> None:
            def undo_change() -> None:
                self._run(self._backend.set_connection_rate_limit(made.id, connection.rate_limit))

            name = made.screen_name
            if limit:
                text = tr("Rate limit of “{name}”: {limit}", name=name, limit=call_limit_text(limit))
            else:
                text = tr("Removed the rate limit of “{name}”", name=name)
            self._services.notices.post(text, undo=undo_change, subject=("limit", made.id))

        self._run(self._backend.set_connection_rate_limit(connection.id, limit), done)

    def read_app_limit(self, key: AppKey, done: Callable[[RateLimit | None], object], owner: QObject) -> None:
        """Pass the app-wide rate limit to `done`: from the engine settings, or the app's own.

        `owner`: cancels the callback when destroyed.
        """
        app = self._services.apps.get(key)
        done(limit_of(app, {}))

        def read(settings: EngineSettings) -> None:
            done(limit_of(app, settings.app_limits))

        if self._backend.capabilities.reason(Feature.ENGINE) is None:
            self._tasks.run(owner, self._backend.engine_settings(), done=read, failed=lambda _: None)

    def duplicate(self, connection: Connection) -> None:
        """Duplicate a connection with the same credentials under a new name, with undo."""
        names = (item.screen_name for item in self._connections if item.app_key == connection.app_key)
        name = free_name(tr("{name} copy", name=connection.screen_name), names)

        def done(made: Connection) -> None:
            def undo_change() -> None:
                self._run(self._backend.delete_connection(made.id))

            self._services.notices.post(tr("“{name}” created", name=made.screen_name), undo=undo_change)

        self._run(self._backend.duplicate_connection(connection.id, name), done)

    def delete(self, connection: Connection) -> None:
        """Delete immediately, with undo."""

        def done(_: Change) -> None:
            def restore() -> None:
                self._run(self._backend.restore_connection(connection.id))

            deleted = tr("“{name}” deleted", name=connection.screen_name)
            self._services.notices.post(deleted, undo=restore)

        self._run(self._backend.delete_connection(connection.id), done)

    def pose(self, app: AppInfo) -> None:
        """Show one app as if it were in the workspace, until the next refresh (the tour)."""
        others = tuple(row for row in self._rows if row.app.key != app.key)
        self._rows = (*app_rows((app,), ()), *others)
        self.rows_changed.emit()
        self.select(app.key)

    # How it is kept

    def _run(self, work: Coroutine[Any, Any, Any], done: Any = None) -> Any:
        return self._tasks.run(self, work, done=done, failed=self._services.notices.failed)

    def _on_test_run_ended(self) -> None:
        self._services.notices.post(self.test_run.summary())
        self.refresh()

    def _set_testing(self, connection_id: ConnectionId, on: bool) -> None:
        self._testing_ids = self._testing_ids | {connection_id} if on else self._testing_ids - {connection_id}
        self._on_tests_changed()

    def _on_tests_changed(self) -> None:
        self._rows = self._build_rows()
        self.rows_changed.emit()
        self.busy_changed.emit()

    def _on_tested(self, tested: Connection) -> None:
        self._replace(tested)
        if tested.health is ConnectionHealth.NEEDS_ATTENTION:
            text = (
                f"{tested.screen_name}: {tested.reason}"
                if tested.reason
                else tr("{name}: needs attention", name=tested.screen_name)
            )
            self._services.notices.post(text)
        elif tested.unreachable:
            self._services.notices.post(f"{tested.screen_name}: {tested.unreachable}")

    def _replace(self, changed: Connection) -> None:
        self._connections = tuple(changed if item.id == changed.id else item for item in self._connections)
        self._rebuild()

    def _on_change(self, change: Change) -> None:
        super()._on_change(change)
        if self._load_started and change.noun is ResourceType.FLOW:
            self._load_flows()

    def _on_loaded(self, connections: tuple[Connection, ...]) -> None:
        self._connections = connections
        self.loaded = True
        self.error = None
        self._rebuild()

    def _on_usage_loaded(self, last_used: Mapping[AppKey, EpochMs]) -> None:
        self.last_used = last_used
        if self.order is SortOrder.RECENT:
            self.rows_changed.emit()

    def _on_load_failed(self, error: AppError) -> None:
        self.error = error
        self.failed.emit(error)

    def _build_rows(self) -> tuple[AppRow, ...]:
        apps, now = self._services.apps.all, self._services.clock()
        return app_rows(apps, self._connections, now, self.testing)

    def _rebuild(self) -> None:
        if not self.loaded:
            return
        self._rows = self._build_rows()
        self.rows_changed.emit()
        if self.row is None and self._rows:
            self.select(self._rows[0].app.key)
        else:
            self.selection_changed.emit()
            self._load_flows()

    def _load_flows(self) -> None:
        if row := self.row:
            ids = tuple(item.id for item in row.connections)
            self._flows_request.run(
                flows_by_connection(self._backend, ids),
                done=self._on_flows_loaded,
                failed=self._services.notices.failed,
            )

    def _on_flows_loaded(self, flows: dict[ConnectionId, tuple[Flow, ...]]) -> None:
        if flows != self.flows:
            self.flows = flows
            self.flows_changed.emit()
