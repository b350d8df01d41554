"""The My Apps screen: apps by health, the connections of one app, and what can be done with them."""

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.my_apps_rows import BAD, AppRow, rows_of
from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Latest, Task
from patchbay.domain.backend import Change, Feature, Noun
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import Connection, Health
from patchbay.domain.errors import AppError
from patchbay.domain.flows import Flow, FlowFilter
from patchbay.domain.paging import MAX_PAGE_SIZE, PageRequest


class MyAppsViewModel(QObject):
    """Rows come from the app store and the connections together. One app is selected once there are any."""

    rows_changed = Signal()
    selection_changed = Signal()
    busy_changed = Signal()
    flows_changed = Signal()
    failed = Signal(object)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend, self._tasks = services, services.backend, services.tasks
        self.text = ""
        self.loaded = False
        self.error: AppError | None = None
        self.selected: AppKey = ""
        self.testing: frozenset[ConnectionId] = frozenset()
        self.flows: dict[ConnectionId, tuple[Flow, ...]] = {}
        self._connections: tuple[Connection, ...] = ()
        self._rows: tuple[AppRow, ...] = ()
        self._asked = False
        self._all: Task | None = None
        self._reading, self._looking = Latest(self._tasks, self), Latest(self._tasks, self)
        services.feed.changed.connect(self._on_change)
        services.apps.changed.connect(self._rebuild)

    # What is shown

    @property
    def rows(self) -> tuple[AppRow, ...]:
        """Rows whose app or connection name contains the filter's text."""
        wanted = self.text.casefold()
        return tuple(row for row in self._rows if not wanted or _matches(row, wanted))

    @property
    def row(self) -> AppRow | None:
        return next((row for row in self._rows if row.app.key == self.selected), None)

    @property
    def attention(self) -> int:
        """How many connections need a person; the badge of the tab."""
        return sum(item.health in BAD for item in self._connections)

    @property
    def testing_all(self) -> bool:
        return self._all is not None

    @property
    def disabled_reason(self) -> str | None:
        """Why connections cannot be managed in this workspace; None when they can."""
        return self._backend.capabilities.reason(Feature.CONNECTIONS)

    def connection(self, connection_id: ConnectionId) -> Connection | None:
        return next((item for item in self._connections if item.id == connection_id), None)

    # Commands

    def load(self) -> None:
        """Read what is shown, once; later calls do nothing."""
        if not self._asked:
            self.refresh()

    def refresh(self) -> None:
        self._asked = True
        self._reading.ask(self._backend.list_connections(), done=self._read, failed=self._not_read)

    def set_text(self, text: str) -> None:
        self.text = text
        self.rows_changed.emit()

    def select(self, key: AppKey) -> None:
        if key != self.selected:
            self.selected = key
            self.flows = {}
            self.selection_changed.emit()
            self._look_up_flows()

    def test(self, connection_id: ConnectionId) -> None:
        """Ask the app whether the credentials still hold; the answer stays visible."""
        self._set_testing(connection_id, True)
        task = self._tasks.run(
            self,
            self._backend.test_connection(connection_id),
            done=self._tested,
            failed=self._services.notices.failed,
        )
        task.ended.connect(lambda: self._set_testing(connection_id, False))

    def test_all(self) -> None:
        """Test every connection, one after another; `cancel_test_all` stops after the current one."""
        if self._all is None:
            self._all = self._tasks.run(self, self._test_each(tuple(item.id for item in self._connections)))
            self._all.ended.connect(self._all_tested)
            self.busy_changed.emit()

    def cancel_test_all(self) -> None:
        if self._all is not None:
            self._all.cancel()

    def rename(self, connection_id: ConnectionId, name: str) -> None:
        work = self._backend.rename_connection(connection_id, name)
        self._tasks.run(self, work, failed=self._services.notices.failed)

    def delete(self, connection: Connection) -> None:
        """Delete at once; the toast brings it back."""

        def restore() -> None:
            self._tasks.run(
                self, self._backend.restore_connection(connection.id), failed=self._services.notices.failed
            )

        def told(_: Change) -> None:
            self._services.notices.post(f"“{connection.screen_name}” deleted", undo=restore)

        work = self._backend.delete_connection(connection.id)
        self._tasks.run(self, work, done=told, failed=self._services.notices.failed)

    # How it is kept

    async def _test_each(self, ids: tuple[ConnectionId, ...]) -> None:
        for connection_id in ids:
            await self._backend.test_connection(connection_id)

    def _all_tested(self) -> None:
        self._all = None
        self.busy_changed.emit()
        self.refresh()

    def _set_testing(self, connection_id: ConnectionId, on: bool) -> None:
        self.testing = self.testing | {connection_id} if on else self.testing - {connection_id}
        self.busy_changed.emit()

    def _tested(self, tested: Connection) -> None:
        self._connections = tuple(tested if item.id == tested.id else item for item in self._connections)
        self._rebuild()
        if tested.health is Health.NEEDS_ATTENTION:
            self._services.notices.post(f"{tested.screen_name}: {tested.reason or 'needs attention'}")

    def _on_change(self, change: Change) -> None:
        if not self._asked:
            return
        if change.noun in (Noun.CONNECTION, Noun.WORKSPACE):
            self.refresh()
        elif change.noun is Noun.FLOW:
            self._look_up_flows()

    def _read(self, connections: tuple[Connection, ...]) -> None:
        self._connections, self.loaded, self.error = connections, True, None
        self._rebuild()

    def _not_read(self, error: AppError) -> None:
        self.error = error
        self.failed.emit(error)

    def _rebuild(self) -> None:
        if not self.loaded:
            return
        self._rows = rows_of(self._services.apps.all, self._connections)
        self.rows_changed.emit()
        if self.row is None and self._rows:
            self.select(self._rows[0].app.key)
        else:
            self.selection_changed.emit()
            self._look_up_flows()

    def _look_up_flows(self) -> None:
        if row := self.row:
            ids = tuple(item.id for item in row.connections)
            self._looking.ask(
                self._flows_of(ids), done=self._flows_read, failed=self._services.notices.failed
            )

    async def _flows_of(self, ids: tuple[ConnectionId, ...]) -> dict[ConnectionId, tuple[Flow, ...]]:
        page = PageRequest(limit=MAX_PAGE_SIZE)
        return {
            key: (await self._backend.list_flows(FlowFilter(connection_id=key), page)).items for key in ids
        }

    def _flows_read(self, flows: dict[ConnectionId, tuple[Flow, ...]]) -> None:
        if flows != self.flows:
            self.flows = flows
            self.flows_changed.emit()


def _matches(row: AppRow, wanted: str) -> bool:
    names = (row.app.name, row.app.key, row.app.category, *(item.screen_name for item in row.connections))
    return any(wanted in name.casefold() for name in names)
