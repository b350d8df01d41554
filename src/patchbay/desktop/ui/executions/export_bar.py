"""Choosing where an export goes, and its progress with a way to stop it."""

from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from patchbay.desktop.state.executions_export import ExecutionsExport
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.text import Label, count
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionFilter


class ExportBar(QWidget):
    """A thin row under the toolbar while an export runs."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.work = ExecutionsExport(services, self)
        surface(self, "sidebar")
        self._share = 0.0
        self.words = Label("", "caption", "text_secondary")
        self.cancel = Button("Cancel", "link", small=True)
        row = QHBoxLayout(self)
        px = theme().px
        row.setContentsMargins(px(16), px(3), px(16), px(5))
        row.addWidget(self.words)
        row.addStretch(1)
        row.addWidget(self.cancel)
        self.cancel.clicked.connect(self.work.cancel)
        self.work.progressed.connect(self._progressed)
        self.work.finished.connect(self._finished)
        self.work.failed.connect(self._failed)
        self.work.ended.connect(self.hide)
        self.hide()

    def ask(self, where: ExecutionFilter, ending: str) -> QFileDialog:
        """Let the person choose the file, then begin."""
        kinds = {"csv": "CSV (*.csv)", "jsonl": "JSON lines (*.jsonl)"}
        dialog = QFileDialog(self.window(), "Export executions", f"executions.{ending}", kinds[ending])
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.begin(where, Path(path)))
        dialog.open()
        return dialog

    def begin(self, where: ExecutionFilter, path: Path) -> None:
        self.words.setText(f"Exporting to {path.name}")
        self._share = 0.0
        self.show()
        self.work.start(where, path)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme().tokens
        bottom = QRectF(0, self.height() - 2, self.width(), 2)
        painter.fillRect(bottom, tokens.border)
        painter.fillRect(QRectF(0, bottom.y(), self.width() * self._share, 2), tokens.accent)

    def _progressed(self, done: int, total: int) -> None:
        self._share = done / total if total else 1.0
        self.words.setText(f"Exported {done:,} of {count(total, 'execution')}")
        self.update()

    def _finished(self, path: str, number: int) -> None:
        self._services.notices.post(f"{count(number, 'execution')} written to {Path(path).name}.")

    def _failed(self, error: AppError) -> None:
        self._services.notices.failed(error)
