"""The folder pane: a chart of runs per day, statistics, and the flows of the folder."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QSizePolicy,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from patchbay.desktop.core.language import date_text, number_text, tr, tr_count
from patchbay.desktop.core.services import Services
from patchbay.desktop.folders.view_models.folders import FolderDetail, FolderRow, FoldersViewModel
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.badges import paint_tag, tag_width
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.item_views import (
    ITEM_ROLE,
    Index,
    RowDelegate,
    paint_app_icons,
    paint_row_background,
)
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.marks import flow_status_label, mark_of, paint_state_mark
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.desktop.kit.text import ElidedLabel, Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import EpochMs, FlowId, FolderId
from patchbay.domain.clock import local_datetime
from patchbay.domain.executions import ExecutionState, Histogram, HistogramBar
from patchbay.domain.flows import Flow, FlowStatus


class DailyRunsChart(AccessibleText, QWidget):
    """A bar chart of runs per day, with the first and last day labelled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = Histogram(span_ms=1, bars=())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(300), theme().px(80))

    def set_runs(self, runs: Histogram) -> None:
        """Show the runs of each day."""
        self._runs = runs
        failed = sum(bar.failure for bar in runs.bars)
        text = tr_count(
            runs.total,
            "{n} run in {days} days, {failed} failed",
            "{n} runs in {days} days, {failed} failed",
            days=len(runs.bars),
            failed=number_text(failed),
        )
        self.setAccessibleName(text)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._runs.bars:
            index_hit = int(event.pos().x() * len(self._runs.bars) / max(1, self.width()))
            bar = self._runs.bars[min(index_hit, len(self._runs.bars) - 1)]
            QToolTip.showText(event.globalPos(), plain_tip(bar_text(bar)), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        bars = self._runs.bars
        px = theme().px
        tokens = theme().tokens
        if not bars:
            return
        painter = QPainter(self)
        bottom = self.height() - px(22)
        max_total = max((_total(bar) for bar in bars), default=0) or 1
        bar_pitch = (self.width() + px(8)) / len(bars)
        for index, bar in enumerate(bars):
            x, width = round(index * bar_pitch), max(2, round(bar_pitch) - px(8))
            failed = max(px(4), round(bottom * bar.failure / max_total)) if bar.failure else 0
            success_height = round(bottom * (bar.success + bar.other) / max_total)
            if failed:
                painter.fillRect(QRectF(x, bottom - failed, width, failed), tokens.failure_graphic)
                failed += 1
            if success_height:
                success_height = max(2, min(success_height, bottom - failed))
                painter.fillRect(
                    QRectF(x, bottom - failed - success_height, width, success_height), tokens.success_graphic
                )
        painter.fillRect(QRectF(0, bottom, self.width(), 1), tokens.border)
        labels_rect = QRectF(0, bottom + px(2), self.width(), px(18))
        paint_text(painter, labels_rect, _day_text(bars[0].start), "caption", "text_secondary")
        last = _day_text(bars[-1].start)
        labels_rect.setLeft(self.width() - painter.fontMetrics().horizontalAdvance(last) - px(1))
        paint_text(painter, labels_rect, last, "caption", "text_secondary")


def bar_text(bar: HistogramBar) -> str:
    """The tooltip of a bar: its day, runs, and failures."""
    return f"{_day_text(bar.start)}: {_runs_text(_total(bar), bar.failure)}"


def _runs_text(runs: int, failed: int) -> str:
    return tr_count(runs, "{n} run, {failed} failed", "{n} runs, {failed} failed", failed=number_text(failed))


def _day_text(ms: EpochMs) -> str:
    return date_text(local_datetime(ms))


def _total(bar: HistogramBar) -> int:
    return bar.success + bar.failure + bar.other


# Pane

_STATUS_WORDS = {
    FlowStatus.DRAFT: tr("draft", "state of a flow"),
    FlowStatus.PUBLISHED: tr("published", "state of a flow"),
    FlowStatus.PAUSED: tr("paused", "state of a flow"),
}
FlowWithState = tuple[Flow, ExecutionState | None]


class FolderFlowsModel(RowsModel[FlowWithState]):
    """The flows of the folder with the state of their last run."""

    def set_detail(self, detail: FolderDetail | None) -> None:
        """Show the flows of a folder."""
        self.set_rows([_flow_with_state(flow, detail) for flow in detail.flows] if detail else ())

    def value(self, row: FlowWithState, role: int) -> Any:
        flow, state = row
        if role == Qt.ItemDataRole.DisplayRole:
            text = f"{flow.name}, {_STATUS_WORDS[flow.status]}"
            if state is None:
                return text
            return tr("{flow}, last run: {state}", flow=text, state=mark_of(state).word)
        return None


def _flow_with_state(flow: Flow, detail: FolderDetail) -> FlowWithState:
    known = detail.activity.get(flow.id)
    return flow, known.last.state if known and known.last else None


class FolderFlowsDelegate(RowDelegate):
    """Paints apps, name, and the state: last run, "Draft", or "Paused"."""

    def __init__(self, parent: QWidget, services: Services) -> None:
        super().__init__(parent, height=36)
        self._services = services

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        paint_row_background(painter, option, first=False)
        flow, state = index.data(ITEM_ROLE)
        px, area = theme().px, QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_app_icons(painter, area, flow.app_keys, self._services.apps.get)
        right = px(16)
        if flow.status is not FlowStatus.PUBLISHED:
            word, tone = flow_status_label(flow.status)
            right = round(tag_width(word))
            tag = QRectF(area.right() - right, area.center().y() - px(9), right, px(18))
            paint_tag(painter, tag, word, tone)
        elif state is not None:
            paint_state_mark(painter, QRectF(area.right() - px(16), area.y(), px(16), area.height()), state)
        paint_text(painter, area.adjusted(px(72), 0, -right - px(8), 0), flow.name)
        painter.restore()


class FolderFlowsList(QListView):
    """Flows of the folder. Enter or a double click opens one."""

    opened = Signal(str)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines = FolderFlowsModel(self)
        self.setModel(self.lines)
        self.setItemDelegate(FolderFlowsDelegate(self, services))
        self.setAccessibleName(tr("Flows in this folder"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(self._open)
        services.apps.changed.connect(self.viewport().update)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(index.data(ITEM_ROLE)[0].id)


class FolderIcon(QWidget):
    """The icon beside the name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = "folder"
        self.setFixedSize(theme().px(20), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_icon(QPainter(self), QRectF(self.rect()), self.name, "text_secondary", 20)


class FolderPane(QWidget):
    """The pane of a folder: name and facts, recent runs, and flows."""

    rename_requested = Signal()
    delete_requested = Signal()

    def __init__(self, screen: FoldersViewModel, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screen, self._services = screen, services
        surface(self, "surface")
        self.mark, self.name = FolderIcon(), ElidedLabel("", "title")
        self.open = Button(tr("Open in Flows"))
        self.more = IconButton("ellipsis", tr("More actions"))
        self.facts = ElidedLabel("", "caption", "text_secondary")
        self.runs_title = Label(tr("Runs, last 14 days"), "caption_strong", "text_secondary")
        self.runs_summary = Label("", "caption", "text_secondary")
        self.bars = DailyRunsChart()
        self.failures = Button(tr("Show failed executions in this folder"), "link")
        self.add = Button(tr("Add flows…"), "link", "plus")
        self.flows = FolderFlowsList(services)
        self.nothing = Label(tr("No flows in this folder yet."), "body", "text_tertiary", wrap=True)
        self._lay_out()
        self._connect()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(400), theme().px(400))

    def menu(self) -> Menu:
        """The menu with the actions for the folder."""
        row = self._screen.row
        title = tr("Actions for {name}", name=row.name) if row is not None else tr("Actions")
        menu = Menu(self, title)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        is_folder = row is not None and row.folder is not None
        reason = self._screen.unavailable_reason or (
            None if is_folder else tr("these flows aren't in a folder")
        )
        menu.add(tr("Rename"), self.rename_requested.emit, reason=reason)
        menu.add(tr("Delete"), self.delete_requested.emit, reason=reason)
        return menu

    def _lay_out(self) -> None:
        head = hbox(self.mark, (self.name, 1), self.open, self.more, spacing=8)
        top = vbox(head, self.facts, margins=(20, 12, 20, 14), spacing=4)
        runs = vbox(
            hbox((self.runs_title, 1), self.runs_summary),
            8,
            self.bars,
            hbox(self.failures, Stretch()),
            margins=(20, 12, 20, 12),
            spacing=4,
        )
        below = vbox(
            hbox((Label(tr("Flows"), "caption_strong", "text_secondary"), 1), self.add),
            self.nothing,
            (self.flows, 1),
            margins=(20, 14, 20, 8),
            spacing=4,
        )
        self.runs_section = QWidget()
        vbox(runs, line(), parent=self.runs_section)
        vbox(top, line(), self.runs_section, (below, 1), parent=self, spacing=0)

    def _connect(self) -> None:
        self.open.clicked.connect(lambda: self._screen.open_in_flows())
        self.more.clicked.connect(
            lambda: self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))
        )
        self.failures.clicked.connect(self._screen.show_failures)
        self.add.clicked.connect(self._screen.read_candidates)
        self.flows.opened.connect(self._screen.open_in_flows)
        self._screen.candidates_loaded.connect(self._show_candidates)
        for signal in (
            self._screen.rows_changed,
            self._screen.selection_changed,
            self._screen.detail_changed,
        ):
            signal.connect(self._show)

    def _show(self) -> None:
        row, detail = self._screen.row, self._screen.detail
        self.setEnabled(row is not None)
        if row is None:
            return
        self.mark.name = "folder" if row.folder else "inbox"
        self.mark.update()
        self.name.setText(row.name)
        self.facts.setText(facts(row, self._screen.owner(row), self._services.clock()))
        self.flows.lines.set_detail(detail)
        self.nothing.setVisible(detail is not None and not detail.flows)
        set_available(self.add, self._screen.edit_disabled_reason)
        self.runs_section.setVisible(
            detail.runs is not None if detail else self._screen.runs_unavailable_reason is None
        )
        if detail is not None and detail.runs is not None:
            failed = sum(bar.failure for bar in detail.runs.bars)
            self.bars.set_runs(detail.runs)
            self.runs_summary.setText(_runs_text(detail.runs.total, failed))
            set_available(self.failures, None if failed else tr("No failed runs."))

    def _show_candidates(self, flows: Sequence[Flow]) -> None:
        """Choose flows to move here; they move when the list closes."""
        popup = ChecklistPopup(self.add, [(flow.id, flow.name) for flow in flows])
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        key = self._screen.selected
        popup.closed.connect(lambda: self._add(key, popup.values()))
        popup.open_under(self.add, theme().px(280))

    def _add(self, key: FolderId, flow_ids: tuple[FlowId, ...]) -> None:
        if flow_ids:
            self._screen.add_flows(key, flow_ids)


def facts(row: FolderRow, owner: str, now: EpochMs) -> str:
    """Return "6 flows, 5 published · created 2 Mar by Anna Lindqvist"."""
    summary = tr_count(
        row.stats.flows,
        "{n} flow, {published} published",
        "{n} flows, {published} published",
        published=number_text(row.stats.published),
    )
    if row.folder is None or not row.folder.created_at:
        return summary
    created, today = local_datetime(row.folder.created_at), local_datetime(now)
    date = date_text(created, year=created.year != today.year)
    made = (
        tr("created {date} by {name}", "a folder", date=date, name=owner)
        if owner
        else tr("created {date}", "a folder", date=date)
    )
    return f"{summary} · {made}"
