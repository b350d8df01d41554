"""Settings, Audit log: what was done last, and the way to all of it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.state.audit_log import AuditLogViewModel
from patchbay.desktop.state.audit_words import sentence, who_in_full
from patchbay.desktop.state.executions import Status
from patchbay.desktop.ui.access.audit_columns import time_and_age
from patchbay.desktop.ui.access.rows import RowList, TwoLineRow, RowSpec
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.audit import AuditEntry
from patchbay.domain.base import EpochMs

NEWEST_COUNT = 5
_ABOUT = (
    "What people, API keys and commands change in this workspace is written down, with who did it and from "
    "where. Runs that start by themselves are no changes; they are under Executions."
)


class AuditPage(QWidget):
    """Fills its page of the settings. `audit_log_requested` asks for the whole log."""

    audit_log_requested = Signal()

    def __init__(self, log: AuditLogViewModel, now: EpochMs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log, self._now = log, now
        log.setParent(self)
        self.all = Button("Open the audit log", icon="list")
        self.all.clicked.connect(lambda: self.audit_log_requested.emit())
        self.problem = MessageBox("neutral", parent=self)
        self.title = Label("Last changes", "medium")
        self.rows = RowList("Last changes", self.all)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(14))
        column.addWidget(Label(_ABOUT, "body", "text_secondary", wrap=True))
        column.addWidget(self.problem)
        column.addWidget(self.all, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.title)
        column.addWidget(self.rows)
        column.addStretch(1)
        log.status_changed.connect(self._show)
        self._show()
        log.load()

    def _show(self) -> None:
        log = self._log
        first = [item for item in map(log.window.peek, range(NEWEST_COUNT)) if item is not None]
        self.rows.show_rows([self._row_spec(item) for item in first])
        self.title.setVisible(bool(first))
        set_available(self.all, log.missing)
        failed = log.status is Status.FAILED and log.error is not None
        if log.missing is not None:
            self.problem.set("neutral", "The audit log is not shown here", log.missing)
        elif log.error is not None:
            text = " ".join(filter(None, (log.error.meaning, log.error.todo)))
            self.problem.set("failure", log.error.happened, text, [("Try again", log.refresh)])
        self.problem.setVisible(log.missing is not None or failed)

    def _row_spec(self, entry: AuditEntry) -> RowSpec:
        return str(entry.id), entry.id, lambda: self._row(entry)

    def _row(self, entry: AuditEntry) -> TwoLineRow:
        moment, age_text = time_and_age(entry.at, self._now)
        details = f"{moment}{f', {age_text} ago' if age_text not in ('', 'now') else ''} · "
        return TwoLineRow(sentence(entry).rstrip("."), details + who_in_full(entry.actor, self._log.people))
