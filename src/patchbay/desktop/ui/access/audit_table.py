"""The table of the audit log: keys, menu, copying."""

import json
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QWidget

from patchbay.desktop.state.audit_log import AuditLogViewModel
from patchbay.desktop.state.audit_words import noun_word, who
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.access import audit_columns as at
from patchbay.desktop.ui.kit.delegates import TableHeader
from patchbay.desktop.ui.kit.inputs import copy_text
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.rows_table import RowsTable
from patchbay.desktop.ui.kit.text import count
from patchbay.desktop.ui.models import WindowedModel
from patchbay.domain.audit import AuditEntry

AGE_REFRESH_MS = 15_000
"""How often ages are painted again."""


class AuditTable(RowsTable):
    """Rows of the log, newest on top. `actor_filter_requested` asks for what somebody did alone."""

    actor_filter_requested = Signal(str)

    def __init__(self, log: AuditLogViewModel, services: Services, parent: QWidget | None = None) -> None:
        header = TableHeader(first_padding=at.EDGE)
        super().__init__("Audit log", at.AuditDelegate(services.clock), header, parent)
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
        """The selected entries, as far as they are here, in list order."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [item for item in map(self._log.window.peek, rows) if item is not None]

    def copy_rows(self) -> None:
        """The selected rows as lines with tabs."""
        model = self.model()
        assert isinstance(model, WindowedModel)
        lines = ["\t".join(column.text(item) for column in model.columns) for item in self.selected()]
        copy_text("\n".join(lines))

    def copy_json(self) -> None:
        items = [item.wire() for item in self.selected()]
        copy_text(json.dumps(items[0] if len(items) == 1 else items, ensure_ascii=False, indent=2))

    def menu(self) -> Menu:
        """What can be done with the selected rows."""
        items = self.selected()
        menu = Menu(self, f"Actions for {count(len(items), 'entry', 'entries')}")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(items) == 1:
            entry = items[0]
            no_target = None if self._log.can_show(entry) else "it has no place in the window"
            menu.add(f"Show the {noun_word(entry.noun)}", partial(self._log.show, entry), reason=no_target)
            name = who(entry.actor)
            menu.add(f"Only what “{name}” did", partial(self.actor_filter_requested.emit, name))
            menu.addSeparator()
        no_selection = None if items else "nothing is selected"
        menu.add("Copy rows" if len(items) > 1 else "Copy row", self.copy_rows, reason=no_selection)
        menu.add("Copy as JSON", self.copy_json, reason=no_selection)
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open_entry(self.currentIndex().row())
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        elif event.key() == Qt.Key.Key_Slash:
            event.ignore()  # the window's, to go to the filter
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters go to the filter, not through pages that are not loaded."""

    def lay_out(self, available_width: int) -> None:
        for column, width in at.widths(available_width).items():
            self.setColumnWidth(column, width)

    def _open_entry(self, row: int) -> None:
        entry = self._log.window.peek(row)
        if entry is not None:
            self._log.show(entry)

    def _open_menu(self, where: QPoint) -> None:
        self.menu().popup(self.viewport().mapToGlobal(where))
