"""The Executions tab: filters, summary, table, and the pane of one execution."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import ExecutionQuery
from patchbay.desktop.executions.detail import ExecutionPane
from patchbay.desktop.executions.figures import ExecutionSummary
from patchbay.desktop.executions.filter_bar import FilterBar
from patchbay.desktop.executions.progress_bars import BulkRetryBar, ExportBar, HistoryBar, SearchBar
from patchbay.desktop.executions.run_actions import ExecutionCommands
from patchbay.desktop.executions.table import ExecutionsTable
from patchbay.desktop.executions.view_models.detail import ExecutionDetailViewModel
from patchbay.desktop.executions.view_models.execution_list import ExecutionsViewModel
from patchbay.desktop.executions.view_models.history_copy import HistoryCopyViewModel
from patchbay.desktop.kit.actions import Action
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.layout import ListAndPane, line, surface
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.shortcuts import NEXT_EXECUTION, RETRY, RUN_AGAIN
from patchbay.desktop.kit.tab_view import TabView
from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import AppError, NotSupported
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState

AGE_REFRESH_MS = 15_000
"""Interval in ms at which ages and running durations are repainted."""


class ExecutionsTab(TabView):
    """The Executions tab: what ran, how it ended, and why."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.runs = ExecutionsViewModel(services, self)
        self.pane = ExecutionDetailViewModel(services, self)
        self.bar = FilterBar(self.runs, services)
        self.export = ExportBar(services)
        self.bulk = BulkRetryBar(services)
        self.search_bar = SearchBar(self.runs)
        self.history = HistoryBar(HistoryCopyViewModel(services, self))
        self.summary = ExecutionSummary(self.runs)
        self.table = ExecutionsTable(self.runs, services)
        self.rows = ListStack(self.table)
        self.detail = ExecutionPane(self.pane, services)
        self.execution_commands = ExecutionCommands(self, self.pane.control, services)
        self._pending_id: ExecutionId | None = None
        self._query_changed = False
        """Whether the filter has changed since the rows were loaded."""
        self._search_entered = False
        """Whether Enter was pressed in the search while its rows were still loading."""
        surface(self, "surface")
        left = QWidget()
        vbox(self.summary, (self.rows, 1), parent=left, spacing=0)
        vbox(
            self.bar,
            self.export,
            self.bulk,
            self.search_bar,
            self.history,
            line(),
            (ListAndPane(left, self.detail, narrow=360, wide=432, max_pane_width=640), 1),
            parent=self,
            spacing=0,
        )
        self._connect()
        self._show_status()

    def activate(self) -> None:
        self.runs.load()
        self.history.model.load()
        self.rows.enter()

    def go(self, place: Place) -> None:
        """Filter by `where`, and open the execution `id`."""
        if isinstance(place.where, ExecutionFilter):
            self.runs.set_query(ExecutionQuery.from_filter(place.where))
        if place.id is not None:
            self._open_id(ExecutionId(place.id))

    def shows(self, place: Place) -> bool:
        if place.id is None:
            return False
        if self.pane.execution is not None and self.pane.execution.id == place.id and self.detail.isVisible():
            return True
        row = self.runs.window.row_of(place.id)
        if row is None or not self.table.isVisible():
            return False
        rect = self.table.visualRect(self.table.model().index(row, 0))
        return self.table.viewport().rect().intersects(rect)

    def focus_filter(self) -> None:
        self.rows.cancel_focus_request()
        self.bar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.search.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if NEXT_EXECUTION.matches(event):
            self.table.step(-1 if NEXT_EXECUTION.position(event) else 1)
        elif event.key() == Qt.Key.Key_Slash:
            self.focus_filter()
        elif RETRY.matches(event):
            self._with_selected(self.execution_commands.retry)
        elif RUN_AGAIN.matches(event):
            self._with_selected(self.execution_commands.run_again)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move the focus from the filter to the list on Down."""
        key = event.key() if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress else None
        if key == Qt.Key.Key_Down and watched is self.bar.search:
            self.table.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return False

    def commands(self) -> tuple[Action, ...]:
        run = self.pane.execution
        return self.execution_commands.actions(run) if run is not None else ()

    def _connect(self) -> None:
        self.bar.columns_changed.connect(self.table.set_hidden)
        self.bar.export_requested.connect(self._export)
        self.bar.search.installEventFilter(self)
        self.bar.search.returnPressed.connect(self._on_search_entered)
        self.summary.show_new_requested.connect(self._show_new)
        self.summary.retry_all_requested.connect(lambda: self.bulk.plan_retry(self._filter()))
        self.table.chosen.connect(self._show_selected)
        self.table.opened.connect(self._open_pane)
        model = self.table.model()
        moves = self.table.selectionModel().selectionChanged, model.modelReset, model.rowsInserted
        for moved in (*moves, model.rowsRemoved):
            moved.connect(self._show_neighbours)
        self.table.flow_requested.connect(self._open_flow)
        self.table.flow_filter_requested.connect(self._filter_by_flow)
        self.detail.closed.connect(self._close_pane)
        self.detail.move_requested.connect(self.table.step)
        self.detail.flow_filter_requested.connect(self._filter_by_flow)
        self.detail.same_cause_requested.connect(self._filter_by_cause)
        self.detail.related_requested.connect(self._filter_by_origin)
        for source in (self.table, self.detail.head):
            source.retry_requested.connect(lambda: self._with_selected(self.execution_commands.retry))
            source.run_again_requested.connect(lambda: self._with_selected(self.execution_commands.run_again))
            source.resume_requested.connect(lambda: self._with_selected(self.execution_commands.resume))
            source.cancel_requested.connect(lambda: self._with_selected(self.execution_commands.cancel))
        self.pane.changed.connect(self._select_opened)
        for pending_rows in (self.runs.window.inserted, self.runs.window.reset, self.runs.pending_changed):
            pending_rows.connect(self._select_opened)
        self.runs.query_changed.connect(self._on_query_changed)
        self.runs.status_changed.connect(self._show_status)
        self.runs.refreshing_changed.connect(self._show_refreshing)
        for follow in (self._close_excluded, self._continue_search):
            self.runs.refreshing_changed.connect(lambda _, run=follow: QTimer.singleShot(0, self, run))
        self._age_timer = QTimer(self, interval=AGE_REFRESH_MS)
        self._age_timer.timeout.connect(self.table.viewport().update)
        self._age_timer.start()

    def _show_neighbours(self) -> None:
        has_newer, has_older = self.table.neighbours()
        self.detail.head.show_neighbours(has_newer=has_newer, has_older=has_older)

    def _export(self, ending: str) -> None:
        """Return what to export: all executions that match the filter, or the search results."""
        found = self.runs.window.inserted_rows() if self.runs.query.data else None
        self.export.choose_export_file(self._filter() if found is None else found, ending)

    def _filter(self) -> ExecutionFilter:
        return self.runs.query.to_filter(self._services.clock())

    def _show_status(self) -> None:
        status = self.runs.status
        if status is ListStatus.READY:
            self.rows.show_rows()
        elif status is ListStatus.LOADING:
            self.rows.show_page().show_loading(tr("Loading executions"))
        elif status is ListStatus.SEARCHING:
            self.rows.show_page().show_loading(tr("Searching the data of executions"))
        elif status is ListStatus.EMPTY:
            self.rows.show_page().show_empty(
                "activity",
                tr("No executions yet"),
                tr("Every run of a flow appears here, with its steps, data, and errors."),
                [(tr("Go to Flows"), lambda: self._services.navigator.go(Place(Tab.FLOWS)))],
            )
        elif status is ListStatus.NO_MATCH:
            self._show_no_match()
        else:
            self._show_error(self.runs.error or AppError(tr("Couldn't load the executions.")))
        has_counts = status in (ListStatus.READY, ListStatus.NO_MATCH)
        self.summary.setVisible(has_counts and not self.runs.query.data)

    def _show_error(self, error: AppError) -> None:
        copy = self.history.model
        if isinstance(error, NotSupported):
            buttons = [(tr("Download history"), copy.read)] if copy.can_read else []
            self.rows.show_page().show_no_match(
                self.runs.clear, error.happened, f"{error.meaning} {error.todo}", buttons
            )
        else:
            self.rows.show_page().show_error(error, self.runs.refresh)

    def _show_no_match(self) -> None:
        query, page = self.runs.query, self.rows.show_page()
        if query.data:
            complete = self.runs.search.complete
            text = tr("No execution contains “{text}”.", text=query.data)
            if not complete:
                text += " " + tr("Older executions haven't been searched yet.")
            page.show_no_match(
                self.runs.clear, tr("No results") if complete else tr("No results so far"), text
            )
            return
        text, buttons = tr("No execution matches all the filters."), []
        if query.text and self.runs.search.unavailable_reason is None:
            text = tr("No flow name contains this text, or no execution matches the other filters.")
            buttons = [(tr("Search the data instead"), lambda: self.runs.search_data(query.text))]
        page.show_no_match(self.runs.clear, tr("No matching executions"), text, buttons)

    def _show_refreshing(self, on: bool) -> None:
        self.rows.set_refreshing(on and self.rows.is_showing_rows)

    def _show_selected(self, execution: Execution | None) -> None:
        if execution is not None:
            self.detail.show()
            self.pane.show(execution)

    def _open_pane(self, execution: Execution) -> None:
        """Open the pane (Enter or double click); if it is open, go to the flow."""
        self.detail.show()
        self.pane.show(execution)
        self.detail.focus_steps()

    def _open_id(self, execution_id: ExecutionId) -> None:
        """Select an execution in the list, or once the list contains it. It is shown in any case."""
        self._query_changed = False
        self.detail.show()
        self._pending_id = execution_id
        self._show_pending_arrival()
        if self.table.select_id(execution_id):
            self._pending_id = None
            return
        self.table.clearSelection()
        self.pane.open(execution_id)

    def _select_opened(self) -> None:
        """Select an execution opened from elsewhere once it and its row are loaded."""
        run = self.pane.execution
        if run is None or run.id != self._pending_id:
            return
        if self.table.select_id(run.id):
            self._pending_id = None
        else:
            self._show_pending_arrival()

    def _show_pending_arrival(self) -> None:
        """Show new rows if the execution to select is among them."""
        if any(item.id == self._pending_id for item in self.runs.pending_rows):
            self.runs.show_pending()

    def _close_pane(self) -> None:
        self.detail.hide()
        self.table.clearSelection()
        self.pane.show(None)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_query_changed(self) -> None:
        self._query_changed = True
        self._pending_id = None

    def _close_excluded(self) -> None:
        """After the filter has changed, close the pane if the list doesn't contain its execution."""
        if not self._query_changed or self.runs.loading or self.runs.error is not None:
            return
        self._query_changed = False
        run = self.pane.execution
        if run is not None and not self.runs.query.data and self.runs.window.row_of(run.id) is None:
            self.detail.hide()
            self.pane.show(None)

    def _on_search_entered(self) -> None:
        """Enter opens the only match; otherwise it searches the data for the text."""
        self._search_entered = True
        self._continue_search()

    def _continue_search(self) -> None:
        """Called once the rows are in the table, which is after they are loaded."""
        if not self._search_entered or self.runs.loading:
            return
        self._search_entered = False
        only = self.runs.only_match()
        if only is not None:
            self._open_id(only.id)
            self.detail.focus_steps()
        else:
            self.bar.search_data()

    def _show_new(self) -> None:
        self.runs.show_pending()
        self.table.scrollToTop()

    def _open_flow(self, execution: Execution) -> None:
        self._services.navigator.go(Place(Tab.FLOWS, id=execution.flow.id, section="editor"))

    def _filter_by_flow(self, execution: Execution) -> None:
        self.runs.set_query(ExecutionQuery(flow_id=execution.flow.id))

    def _filter_by_cause(self, note: str) -> None:
        self.runs.set_query(ExecutionQuery(states=(ExecutionState.FAILURE,), note=note))

    def _filter_by_origin(self, execution_id: ExecutionId) -> None:
        self.runs.set_query(ExecutionQuery(origin_id=execution_id))

    def _with_selected(self, action: Callable[[Execution], object]) -> None:
        """Run `action` with the selected or shown execution."""
        items = self.table.selected()
        run = items[0] if len(items) == 1 else self.pane.execution if not items else None
        if run is not None:
            action(run)
