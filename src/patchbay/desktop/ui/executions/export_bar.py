"""Choosing where an export goes, and its progress with a way to stop it."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.state.executions_export import ExecutionsExport, Exported
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.executions.progress_bar import ProgressBar
from patchbay.desktop.ui.kit.text import count
from patchbay.domain.errors import AppError


class ExportBar(ProgressBar):
    """A thin row under the toolbar while an export runs."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.work = ExecutionsExport(services, self)
        self.cancel.clicked.connect(self.work.cancel)
        self.work.progressed.connect(self._progressed)
        self.work.finished.connect(self._finished)
        self.work.failed.connect(self._failed)
        self.work.ended.connect(self.hide)

    def ask(self, what: Exported, ending: str) -> QFileDialog:
        """Let the person choose the file, then begin."""
        kinds = {"csv": "CSV (*.csv)", "jsonl": "JSON lines (*.jsonl)"}
        dialog = QFileDialog(self.window(), "Export executions", f"executions.{ending}", kinds[ending])
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.begin(what, Path(path)))
        dialog.open()
        return dialog

    def begin(self, what: Exported, path: Path) -> None:
        self.tell(f"Exporting to {path.name}", 0.0)
        self.work.start(what, path)

    def _progressed(self, done: int, total: int) -> None:
        self.tell(f"Exported {done:,} of {count(total, 'execution')}", done / total if total else 1.0)

    def _finished(self, path: str, number: int) -> None:
        self._services.notices.post(f"{count(number, 'execution')} written to {Path(path).name}.")

    def _failed(self, error: AppError) -> None:
        self._services.notices.failed(error)
