"""The audit log: who did what when, to be searched, followed and exported."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from patchbay.desktop.state.audit_log import AuditExport, AuditLogViewModel
from patchbay.desktop.state.audit_words import KINDS
from patchbay.desktop.state.executions import Status
from patchbay.desktop.state.executions_filter import Quick
from patchbay.desktop.state.notices import Notice, Notices
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.access.audit_table import AuditTable
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.chips import FilterChip
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.export_bar import FileExportBar
from patchbay.desktop.ui.kit.inputs import SearchField
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.states import ListStack
from patchbay.desktop.ui.kit.surface import line
from patchbay.desktop.ui.kit.text import ElidedLabel, count
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.errors import AppError

_WIDTH, _HEIGHT, _EDGE = 920, 600, 40
_EMPTY = "Whatever people, keys and commands change in this workspace is written down here, with who did it."


class AuditLogDialog(Dialog):
    """As large as the window lets it. Closes by itself when something else is shown by the window."""

    def __init__(self, parent: QWidget, services: Services) -> None:
        super().__init__(parent, "Audit log", _WIDTH)
        self._fit_window(parent.window())
        self._services = services
        self.log = AuditLogViewModel(services, self)
        self.search = SearchField("Filter by name or who", key_cap="/")
        self.kind, self.when = FilterChip("Kind"), FilterChip("When")
        self.clear = Button("Clear", "link")
        self.export = IconButton("download", "Export")
        self.table = AuditTable(self.log, services)
        self.rows = ListStack(self.table)
        self.exporter = AuditExport(services)
        self.notices = Notices()
        self.bar = FileExportBar(self.exporter, self.notices, "entry", "entries", self)
        self.status_label = ElidedLabel("", "caption", "text_secondary")
        self._lay_out()
        self._connect()
        self._show_filter()
        self._show_status()
        self.log.load()
        self.table.setFocus()

    def start_export(self, path: Path, raw: bool = False) -> None:
        """Write what the filters let through to a file."""
        self.bar.tell_beginning(path)
        self.exporter.start(self.log.question, path, raw)

    def ask_where(self, ending: str) -> QFileDialog:
        return self.bar.ask_where("Export the audit log", "audit-log", ending, self.start_export)

    def export_menu(self) -> Menu:
        menu = Menu(self, "Export")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for ending, label in (("csv", "Export as CSV…"), ("jsonl", "Export as JSON lines…")):
            menu.add(label, partial(self.ask_where, ending))
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
        """Down from the filter goes to the list."""
        key = event.key() if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress else None
        if key == Qt.Key.Key_Down and watched is self.search:
            self.table.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return False

    def _fit_window(self, window: QWidget) -> None:
        px = theme().px
        self.setFixedWidth(min(px(_WIDTH), window.width() - px(_EDGE)))
        self.setFixedHeight(min(px(_HEIGHT), window.height() - px(_EDGE)))

    def _lay_out(self) -> None:
        px = theme().px
        bar = QHBoxLayout()
        bar.setContentsMargins(px(20), px(6), px(16), px(10))
        bar.setSpacing(px(8))
        self.search.setFixedWidth(px(250))
        for widget in (self.search, self.kind, self.when):
            bar.addWidget(widget)
        bar.addSpacing(px(4))
        bar.addWidget(self.clear)
        bar.addStretch(1)
        bar.addWidget(self.export)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.body.addLayout(bar)
        self.body.addWidget(self.bar)
        self.body.addWidget(line())
        self.body.addWidget(self.rows, 1)
        self.footer.addWidget(self.status_label, 1)
        close, cancel = self.add_buttons("Close", self.accept)
        cancel.hide()
        close.setAutoDefault(False)
        close.setDefault(False)

    def _connect(self) -> None:
        log = self.log
        self.kind.set_options(list(KINDS.items()))
        self.when.set_options([(quick, quick.value) for quick in Quick])
        self.search.installEventFilter(self)
        self.search.text_changed.connect(lambda text: self._update_filter(text=text.strip()))
        self.kind.value_changed.connect(lambda noun: self._update_filter(noun=noun))
        self.when.value_changed.connect(lambda quick: self._update_filter(when=quick))
        self.clear.clicked.connect(log.clear)
        self.export.clicked.connect(self._open_export_menu)
        self.table.actor_filter_requested.connect(lambda name: self._update_filter(text=name))
        self.notices.posted.connect(self._show_notice)
        log.gone.connect(self.status_label.setText)
        log.left.connect(self.accept)
        log.question_changed.connect(self._show_filter)
        log.status_changed.connect(self._show_status)
        log.asking_changed.connect(lambda on: self.rows.set_refreshing(on and self.rows.showing_rows))

    def _update_filter(self, **changes: Any) -> None:
        self.log.ask(replace(self.log.question, **changes))

    def _show_filter(self) -> None:
        question = self.log.question
        if question.text != self.search.text().strip():
            self.search.setText(question.text)
        self.kind.set_value(question.noun)
        self.when.set_value(question.when)
        self.clear.setVisible(question.active)

    def _show_status(self) -> None:
        log, status = self.log, self.log.status
        if log.missing is not None:
            self.rows.show_page().show_empty("lock", "The audit log is not shown here", log.missing)
        elif status is Status.READY:
            self.rows.show_rows()
        elif status is Status.LOADING:
            self.rows.show_page().show_loading("Reading what was done")
        elif status is Status.EMPTY:
            self.rows.show_page().show_empty("list", "Nothing was changed yet", _EMPTY)
        elif status is Status.NO_MATCH:
            self.rows.show_page().show_no_match(log.clear)
        else:
            error = log.error or AppError("The audit log could not be read.")
            self.rows.show_page().show_error(error, log.refresh)
        ready = status is Status.READY
        set_available(self.export, None if ready else log.missing or "There are no entries to export.")
        for widget in (self.search, self.kind, self.when):
            set_available(widget, log.missing)
        matching = " match" if log.question.active else ""
        self.status_label.setText(count(log.window.total, "entry", "entries") + matching if ready else "")

    def _show_notice(self, notice: Notice) -> None:
        self.status_label.setText(notice.text)

    def _open_export_menu(self) -> None:
        menu = self.export_menu()
        corner = self.export.rect().bottomRight()
        corner.setX(corner.x() - menu.sizeHint().width())
        menu.popup(self.export.mapToGlobal(corner))
