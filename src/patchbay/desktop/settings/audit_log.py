"""The audit log: its table, the dialog to search and export it, and its page in the settings."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QWidget

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.notices import Notice, Notices
from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import QuickRange
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.item_views import RowsTable, TableHeader
from patchbay.desktop.kit.layout import line
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.progress_bar import ExportTexts, FileExportBar
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.windowed_model import WindowedModel
from patchbay.desktop.settings import audit_columns as at
from patchbay.desktop.settings.audit_columns import time_and_age
from patchbay.desktop.settings.list_page import RowList, TwoLineRow, is_just_now
from patchbay.desktop.settings.view_models.audit_log import (
    RESOURCE_FILTER_LABELS,
    SHOW_LABELS,
    AuditExport,
    AuditLogViewModel,
    actor_name,
    describe_actor,
    describe_entry,
)
from patchbay.domain.audit_log import AuditEntry
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError

AGE_REFRESH_MS = 15_000
"""How often ages are repainted."""
_WIDTH = 920
_HEIGHT = 600
_EDGE = 40
_EMPTY = tr("Every change made by people, API keys, and commands is recorded here.")

NEWEST_COUNT = 5
_EXPORT_TEXTS = ExportTexts(
    progress=lambda done, total: tr_count(
        total, "Exported {done} of {n} entry", "Exported {done} of {n} entries", done=number_text(done)
    ),
    written=lambda number, file: tr_count(
        number, "{n} entry written to {file}.", "{n} entries written to {file}.", file=file
    ),
)
_ABOUT = tr(
    "Every change made by people, API keys, and commands is recorded with its author and "
    "origin. Runs started by triggers aren't listed here; see Executions."
)


class AuditTable(RowsTable):
    """Rows of the log, newest first. `actor_filter_requested` is emitted to show only the entries of an
    actor.
    """

    actor_filter_requested = Signal(str)

    def __init__(self, log: AuditLogViewModel, services: Services, parent: QWidget | None = None) -> None:
        header = TableHeader(first_padding=at.EDGE)
        super().__init__(tr("Audit log"), at.AuditDelegate(services.clock), header, parent)
        self._log = log
        self.setModel(WindowedModel(log.window, at.columns(services.clock, lambda: log.people), self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.doubleClicked.connect(lambda index: self._open_entry(index.row()))
        self.verticalScrollBar().valueChanged.connect(lambda value: log.set_following(value == 0))
        age_timer = QTimer(self, interval=AGE_REFRESH_MS)
        age_timer.timeout.connect(self.viewport().update)
        age_timer.start()

    def selected(self) -> list[AuditEntry]:
        """The selected entries that are loaded, in list order."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [item for item in map(self._log.window.peek, rows) if item is not None]

    def copy_rows(self) -> None:
        """The selected rows as tab-separated lines."""
        model = self.model()
        assert isinstance(model, WindowedModel)
        lines = ["\t".join(column.text(item) for column in model.columns) for item in self.selected()]
        copy_text("\n".join(lines))

    def copy_json(self) -> None:
        """Copy the selected entries as JSON."""
        items = [item.wire() for item in self.selected()]
        copy_text(json.dumps(items[0] if len(items) == 1 else items, ensure_ascii=False, indent=2))

    def menu(self) -> Menu:
        """The menu for the selected rows."""
        items = self.selected()
        menu = Menu(self, tr_count(len(items), "Actions for {n} entry", "Actions for {n} entries"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(items) == 1:
            entry = items[0]
            no_target = None if self._log.can_show(entry) else tr("this kind of object has no page")
            menu.add(SHOW_LABELS[entry.noun], partial(self._log.show, entry), reason=no_target)
            name = actor_name(entry.actor)
            menu.add(tr("Only by “{name}”", name=name), partial(self.actor_filter_requested.emit, name))
            menu.addSeparator()
        no_selection = None if items else tr("nothing is selected")
        menu.add(tr("Copy rows") if len(items) > 1 else tr("Copy row"), self.copy_rows, reason=no_selection)
        menu.add(tr("Copy as JSON"), self.copy_json, reason=no_selection)
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open_entry(self.currentIndex().row())
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        elif event.key() == Qt.Key.Key_Slash:
            event.ignore()  # the window's shortcut for the filter
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Type into the filter field instead of searching in rows, since most aren't loaded."""

    def layout_columns(self, available_width: int) -> None:
        for column, width in at.widths(available_width).items():
            self.setColumnWidth(column, width)

    def _open_entry(self, row: int) -> None:
        entry = self._log.window.peek(row)
        if entry is not None:
            self._log.show(entry)

    def _open_menu(self, where: QPoint) -> None:
        self.menu().popup(self.viewport().mapToGlobal(where))


class AuditLogDialog(Dialog):
    """The dialog of the audit log, as large as the window allows. It closes when the window shows something
    else.
    """

    def __init__(self, parent: QWidget, services: Services) -> None:
        super().__init__(parent, tr("Audit log"), _WIDTH)
        px, window = theme().px, parent.window()
        self.setFixedWidth(min(px(_WIDTH), window.width() - px(_EDGE)))
        self.setFixedHeight(min(px(_HEIGHT), window.height() - px(_EDGE)))
        self._services = services
        self.log = AuditLogViewModel(services, self)
        self.search = SearchField(tr("Filter by name or person"), key_cap="/")
        self.kind, self.when = FilterChip(tr("Kind", "filter")), FilterChip(tr("When", "filter"))
        self.clear = Button(tr("Clear", "button, filters"), "link")
        self.export = IconButton("download", tr("Export"))
        self.table = AuditTable(self.log, services)
        self.rows = ListStack(self.table)
        self.exporter = AuditExport(services)
        self.notices = Notices()
        self.bar = FileExportBar(self.exporter, self.notices, _EXPORT_TEXTS, self)
        self.status_label = ElidedLabel("", "caption", "text_secondary")
        self._lay_out()
        self._connect()
        self._show_filter()
        self._show_status()
        self.log.load()
        self.table.setFocus()

    def start_export(self, path: Path, raw: bool = False) -> None:
        """Export the entries that match the filter to a file."""
        self.bar.show_started(path)
        self.exporter.start(self.log.query, path, raw)

    def choose_file(self, ending: str) -> QFileDialog:
        """Let the user choose a file, and export to it."""
        return self.bar.choose_file(tr("Export the audit log"), "audit-log", ending, self.start_export)

    def export_menu(self) -> Menu:
        """The menu to export the log."""
        menu = Menu(self, tr("Export"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for ending, label in (("csv", tr("Export as CSV…")), ("jsonl", tr("Export as JSON lines…"))):
            menu.add(label, partial(self.choose_file, ending))
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_find = event.key() == Qt.Key.Key_F and event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Slash or is_find:
            self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.search.selectAll()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move from the filter to the list with Down."""
        key = event.key() if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress else None
        if key == Qt.Key.Key_Down and watched is self.search:
            self.table.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return False

    def _lay_out(self) -> None:
        px = theme().px
        self.search.setFixedWidth(px(250))
        bar = hbox(
            self.search,
            self.kind,
            self.when,
            4,
            self.clear,
            Stretch(),
            self.export,
            margins=(20, 6, 16, 10),
            spacing=8,
        )
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.body.addLayout(bar)
        self.body.addWidget(self.bar)
        self.body.addWidget(line())
        self.body.addWidget(self.rows, 1)
        self.footer.addWidget(self.status_label, 1)
        close, cancel = self.add_buttons(tr("Close"), self.accept)
        cancel.hide()
        close.setAutoDefault(False)
        close.setDefault(False)

    def _connect(self) -> None:
        log = self.log
        self.kind.set_options(list(RESOURCE_FILTER_LABELS.items()))
        self.when.set_options([(quick, quick.label) for quick in QuickRange])
        self.search.installEventFilter(self)
        self.search.text_changed.connect(lambda text: self._update_filter(text=text.strip()))
        self.kind.value_changed.connect(lambda resource: self._update_filter(resource=resource))
        self.when.value_changed.connect(lambda quick: self._update_filter(when=quick))
        self.clear.clicked.connect(log.clear)
        self.export.clicked.connect(self._open_export_menu)
        self.table.actor_filter_requested.connect(lambda name: self._update_filter(text=name))
        self.notices.posted.connect(self._show_notice)
        log.entry_missing.connect(self.status_label.setText)
        log.navigated_away.connect(self.accept)
        log.query_changed.connect(self._show_filter)
        log.status_changed.connect(self._show_status)
        log.refreshing_changed.connect(lambda on: self.rows.set_refreshing(on and self.rows.is_showing_rows))

    def _update_filter(self, **changes: Any) -> None:
        self.log.set_query(replace(self.log.query, **changes))

    def _show_filter(self) -> None:
        query = self.log.query
        if query.text != self.search.text().strip():
            self.search.setText(query.text)
        self.kind.set_value(query.resource)
        self.when.set_value(query.when)
        self.clear.setVisible(query.active)

    def _show_status(self) -> None:
        log, status = self.log, self.log.status
        if log.unavailable_reason is not None:
            self.rows.show_page().show_empty(
                "lock", tr("The audit log isn't available here"), log.unavailable_reason
            )
        elif status is ListStatus.READY:
            self.rows.show_rows()
        elif status is ListStatus.LOADING:
            self.rows.show_page().show_loading(tr("Loading the audit log…"))
        elif status is ListStatus.EMPTY:
            self.rows.show_page().show_empty("list", tr("No changes yet"), _EMPTY)
        elif status is ListStatus.NO_MATCH:
            self.rows.show_page().show_no_match(log.clear)
        else:
            error = log.error or AppError(tr("Couldn't load the audit log."))
            self.rows.show_page().show_error(error, log.refresh)
        ready = status is ListStatus.READY
        set_available(
            self.export, None if ready else log.unavailable_reason or tr("There are no entries to export.")
        )
        for widget in (self.search, self.kind, self.when):
            set_available(widget, log.unavailable_reason)
        self.status_label.setText(_count_text(log) if ready else "")

    def _show_notice(self, notice: Notice) -> None:
        self.status_label.setText(notice.text)

    def _open_export_menu(self) -> None:
        menu = self.export_menu()
        corner = self.export.rect().bottomRight()
        corner.setX(corner.x() - menu.sizeHint().width())
        menu.popup(self.export.mapToGlobal(corner))


def _count_text(log: AuditLogViewModel) -> str:
    if log.query.active:
        return tr_count(log.window.total, "{n} entry matches", "{n} entries match")
    return tr_count(log.window.total, "{n} entry", "{n} entries")


class AuditPage(QWidget):
    """Adds the audit log page to the settings dialog. `audit_log_requested` opens the whole log."""

    audit_log_requested = Signal()

    def __init__(self, log: AuditLogViewModel, now: EpochMs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log, self._now = log, now
        log.setParent(self)
        self.all = Button(tr("Open the audit log"), icon="list")
        self.all.clicked.connect(lambda: self.audit_log_requested.emit())
        self.problem = MessageBox("neutral", parent=self)
        self.title = Label(tr("Recent changes"), "medium")
        self.rows = RowList(tr("Recent changes"), self.all)
        vbox(
            Label(_ABOUT, "body", "text_secondary", wrap=True),
            self.problem,
            (self.all, 0, Qt.AlignmentFlag.AlignLeft),
            self.title,
            self.rows,
            Stretch(),
            parent=self,
            spacing=14,
        )
        log.status_changed.connect(self._show)
        self._show()
        log.load()

    def _show(self) -> None:
        log = self._log
        first = [item for item in map(log.window.peek, range(NEWEST_COUNT)) if item is not None]
        self.rows.show_rows([(str(entry.id), entry.id, partial(self._row, entry)) for entry in first])
        self.title.setVisible(bool(first))
        set_available(self.all, log.unavailable_reason)
        failed = log.status is ListStatus.FAILED and log.error is not None
        if log.unavailable_reason is not None:
            self.problem.set("neutral", tr("The audit log isn't available here"), log.unavailable_reason)
        elif log.error is not None:
            text = " ".join(filter(None, (log.error.meaning, log.error.todo)))
            self.problem.set("failure", log.error.happened, text, [(tr("Try again"), log.refresh)])
        self.problem.setVisible(log.unavailable_reason is not None or failed)

    def _row(self, entry: AuditEntry) -> TwoLineRow:
        moment, age_text = time_and_age(entry.at, self._now)
        if age_text and not is_just_now(entry.at, self._now):
            moment = tr("{time}, {age} ago", time=moment, age=age_text)
        details = f"{moment} · {describe_actor(entry.actor, self._log.people)}"
        return TwoLineRow(describe_entry(entry).rstrip("."), details)
