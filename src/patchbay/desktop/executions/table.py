"""The executions table: row painting, keys, menu, and copying."""

import json
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QWidget

from patchbay.desktop.core.execution_labels import execution_label, shown_state
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.executions import columns
from patchbay.desktop.executions.view_models.execution_list import ExecutionsViewModel
from patchbay.desktop.executions.view_models.run_actions import can_resume
from patchbay.desktop.kit.badges import paint_tag, tag_width
from patchbay.desktop.kit.item_views import (
    ITEM_ROLE,
    FindApp,
    Index,
    RowDelegate,
    RowsTable,
    force_active_state,
    paint_app_icons,
    paint_row_background,
    paint_status,
)
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.row_text import elided, paint_text
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.shortcuts import CLEAR, NEXT_EXECUTION, OPEN_ENTRY, RETRY, RUN_AGAIN
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.windowed_model import WindowedModel
from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.executions import Execution, ExecutionState

_SKELETON = {
    columns.STATUS: 58,
    columns.FLOW: 170,
    columns.STARTED: 56,
    columns.DURATION: 40,
    columns.STEPS: 24,
    columns.NOTE: 120,
}
_DEFAULT_SKELETON = 60
_TEST = tr("Test", "mark of a test run")


class ExecutionDelegate(RowDelegate):
    """Paints a 32 px row."""

    def __init__(
        self, find_app: FindApp, clock: Callable[[], EpochMs], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, height=32)
        self._find_app, self._clock = find_app, clock

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        column = index.column()
        force_active_state(option)
        paint_row_background(painter, option, first=column == 0, hovered=index.row() == self.hovered)
        item = index.data(ITEM_ROLE)
        left = 16 if column == 0 else 8
        area = QRectF(option.rect).adjusted(theme().px(left), 0, -theme().px(8), 0)
        if item is None:
            self._paint_skeleton(painter, area, column, index.row())
            return
        painter.save()
        self._paint_cell(painter, area, index, item)
        painter.restore()

    def _paint_cell(self, painter: QPainter, area: QRectF, index: Index, item: Execution) -> None:
        column, right = index.column(), Qt.AlignmentFlag.AlignRight
        if column == columns.STATUS:
            label = execution_label(item)
            paint_status(painter, area.adjusted(0, 0, theme().px(8), 0), shown_state(item), label)
        elif column == columns.FLOW:
            self._paint_flow(painter, area, item)
        elif column == columns.STARTED:
            clock, age = columns.started_text(item, self._clock())
            area.setRight(area.right() + theme().px(8))
            used = paint_text(painter, area, clock)
            paint_text(painter, area.adjusted(used + theme().px(7), 0, 0, 0), age, "caption", "text_tertiary")
        elif column == columns.DURATION:
            paint_text(painter, area, columns.duration_text(item, self._clock()), align=right)
        elif column == columns.STEPS:
            paint_text(painter, area, columns.steps_text(item), color="text_secondary", align=right)
        elif column == columns.NOTE:
            failed = item.state is ExecutionState.FAILURE
            note = columns.note_text(item, self._clock())
            paint_text(painter, area, note, "caption", "failure" if failed else "text_tertiary")
        else:
            paint_text(painter, area, index.data())

    def _paint_flow(self, painter: QPainter, area: QRectF, item: Execution) -> None:
        px = theme().px
        paint_app_icons(painter, area, item.flow.app_keys, self._find_app)
        name = area.adjusted(px(72), 0, 0, 0)
        test = tag_width(_TEST) if item.test_run else 0
        if test:
            name.setRight(name.right() - test - px(8))
        shown = elided(item.flow.name, "medium", name.width())
        used = paint_text(painter, name, shown, "medium")
        if test:
            tag = QRectF(name.x() + used + px(8), area.center().y() - px(9), test, px(18))
            paint_tag(painter, tag, _TEST)

    @staticmethod
    def _paint_skeleton(painter: QPainter, area: QRectF, column: int, row: int) -> None:
        width = min(area.width(), theme().px(_SKELETON.get(column, _DEFAULT_SKELETON) + row * 7 % 24))
        if width < theme().px(12):
            return
        bar = QRectF(area.x(), area.center().y() - theme().px(5), width, theme().px(10))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().tokens.selected_inactive)
        painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2)
        painter.restore()


# Table


class ExecutionsTable(RowsTable):
    """The executions table. `chosen` carries the selected execution; None for none or several."""

    chosen = Signal(object)
    opened = Signal(object)
    flow_requested = Signal(object)
    flow_filter_requested = Signal(object)
    """Emitted to filter by the flow of an execution."""
    retry_requested = Signal(object)
    run_again_requested = Signal(object)
    cancel_requested = Signal(object)
    resume_requested = Signal(object)

    def __init__(
        self, screen: ExecutionsViewModel, services: Services, parent: QWidget | None = None
    ) -> None:
        self.hidden: frozenset[str] = frozenset()
        super().__init__(
            tr("Executions"), ExecutionDelegate(services.apps.get, services.clock), parent=parent
        )
        self._screen = screen
        self._selected_id: ExecutionId | None = None
        self.setModel(WindowedModel(screen.window, columns.columns(services.clock), self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.doubleClicked.connect(lambda index: self._open(index.row()))
        header = self.horizontalHeader()
        header.setSortIndicatorShown(True)
        header.setSortIndicator(columns.STARTED, Qt.SortOrder.DescendingOrder)
        self.selectionModel().selectionChanged.connect(self._emit_chosen)
        self.model().modelAboutToBeReset.connect(self._remember_selection)
        self.model().modelReset.connect(self._restore_selection)
        self.model().dataChanged.connect(self._on_rows_loaded)
        self.verticalScrollBar().valueChanged.connect(self._update_following)
        services.apps.changed.connect(self.viewport().update)

    def selected(self) -> list[Execution]:
        """The selected executions that are loaded, in list order."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        items = (self._screen.window.peek(row) for row in rows)
        return [item for item in items if item is not None]

    def select_id(self, execution_id: ExecutionId) -> bool:
        """Select an execution and scroll to it; False if it isn't loaded."""
        row = self._screen.window.row_of(execution_id)
        if row is not None:
            self.select_row(row)
        return row is not None

    def select_row(self, row: int) -> None:
        """Select a row and scroll to it."""
        if 0 <= row < self.model().rowCount():
            index = self.model().index(row, 0)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)
            self.scrollTo(index)

    def neighbours(self) -> tuple[bool, bool]:
        """Whether there is an execution before the selected one, and after it. Both if none is selected."""
        row, rows = self.currentIndex().row(), self.model().rowCount()
        has_selection = self.selectionModel().hasSelection()
        return (row > 0, row < rows - 1) if has_selection else (rows > 0, rows > 0)

    def step(self, by: int) -> None:
        """Select the next (1) or previous (-1) execution; the first one if none is selected."""
        # Qt makes the first row current, but doesn't select it, when the table gets the focus.
        has_selection = self.selectionModel().hasSelection()
        self.select_row(max(0, self.currentIndex().row() + by) if has_selection else 0)

    def set_hidden(self, hidden: frozenset[str]) -> None:
        """Hide optional columns, by key."""
        self.hidden = hidden
        self.layout_columns(self.viewport().width())

    def copy_rows(self) -> None:
        """Copy the selected rows as tab-separated lines."""
        model = self.model()
        lines = [
            "\t".join(model.columns[column].text(item) for column in range(model.columnCount()))
            for item in self.selected()
        ]
        copy_text("\n".join(lines))

    def copy_json(self) -> None:
        """Copy the selected executions as JSON."""
        items = [item.wire() for item in self.selected()]
        copy_text(json.dumps(items[0] if len(items) == 1 else items, ensure_ascii=False, indent=2))

    def copy_ids(self) -> None:
        """Copy the IDs of the selected executions, one per line."""
        copy_text("\n".join(item.id for item in self.selected()))

    def model(self) -> WindowedModel:
        """The model of the table."""
        model = super().model()
        assert isinstance(model, WindowedModel)
        return model

    def menu(self) -> Menu:
        """Build the menu for the selected rows."""
        items = self.selected()
        several = len(items) > 1
        menu = Menu(self, tr_count(len(items), "Actions for {n} execution", "Actions for {n} executions"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        unavailable_reason = None if items else tr("nothing is selected")
        if len(items) == 1:
            menu.add(tr("Open", "verb"), partial(self.opened.emit, items[0]), keys="Return")
            self._add_commands(menu, items[0])
            menu.addSeparator()
        menu.add(tr("Copy rows") if several else tr("Copy row"), self.copy_rows, reason=unavailable_reason)
        menu.add(tr("Copy as JSON"), self.copy_json, reason=unavailable_reason)
        menu.add(tr("Copy IDs") if several else tr("Copy ID"), self.copy_ids, reason=unavailable_reason)
        if len(items) == 1:
            menu.addSeparator()
            menu.add(tr("Open the flow"), partial(self.flow_requested.emit, items[0]))
            filter_by_flow = partial(self.flow_filter_requested.emit, items[0])
            menu.add(
                tr("Show only this flow"), filter_by_flow, reason=self._screen.filters_unavailable_reason
            )
        return menu

    def _add_commands(self, menu: Menu, run: Execution) -> None:
        """Add the commands for one execution; unsupported ones are disabled with the reason."""
        unavailable_reason = self._screen.run_control_unavailable_reason
        commands: list[tuple[str, SignalInstance, str]] = []
        if run.state is ExecutionState.FAILURE:
            commands.append((tr("Retry from failed step"), self.retry_requested, RETRY.keys[0]))
        if run.state.finished:
            commands.append((tr("Run again…"), self.run_again_requested, RUN_AGAIN.keys[0]))
        else:
            if can_resume(run):
                commands.append((tr("Try now"), self.resume_requested, ""))
            commands.append((tr("Cancel"), self.cancel_requested, ""))
        for label, signal, keys in commands:
            menu.add(label, partial(signal.emit, run), keys=keys, reason=unavailable_reason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if NEXT_EXECUTION.matches(event):
            self.step(-1 if NEXT_EXECUTION.position(event) else 1)
        elif OPEN_ENTRY.matches(event):
            self._open(self.currentIndex().row())
        elif CLEAR.matches(event) and self.selectionModel().hasSelection():
            self.clearSelection()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Ignore type-ahead: letters are commands, and only loaded rows could be searched."""

    def layout_columns(self, available_width: int) -> None:
        for column, width in columns.widths(available_width, self.hidden).items():
            self.setColumnHidden(column, width == 0)
            if width:
                self.setColumnWidth(column, width)

    def _open(self, row: int) -> None:
        item = self._screen.window.peek(row)
        if item is not None:
            self.opened.emit(item)

    def _open_menu(self, where: QPoint) -> None:
        self.menu().popup(self.viewport().mapToGlobal(where))

    def _emit_chosen(self) -> None:
        self._update_following()
        items = self.selected()
        self.chosen.emit(items[0] if len(items) == 1 else None)

    def _update_following(self) -> None:
        """Follow new rows only while nothing is selected and the list is at its top."""
        top = self.verticalScrollBar().value() == 0
        self._screen.set_following(top and not self.selectionModel().hasSelection())

    def _remember_selection(self) -> None:
        items = self.selected()
        self._selected_id = items[0].id if len(items) == 1 else None

    def _restore_selection(self) -> None:
        if self._selected_id is not None:
            self.select_id(self._selected_id)
        self._update_following()

    def _on_rows_loaded(self, first: QModelIndex, last: QModelIndex) -> None:
        """Emit the selection of a row that was selected before it was loaded."""
        rows = self.selectionModel().selectedRows()
        if len(rows) == 1 and first.row() <= rows[0].row() <= last.row():
            self._emit_chosen()
