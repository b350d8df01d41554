"""Choosing where an export goes, and its progress with a way to stop it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.state.file_export import FileExport
from patchbay.desktop.state.notices import Notices
from patchbay.desktop.ui.kit.progress_bar import ProgressBar
from patchbay.desktop.ui.kit.text import count

RAW_CSV = "CSV, raw values (may run as formulas) (*.csv)"
_KINDS = {"csv": ["CSV (*.csv)", RAW_CSV], "jsonl": ["JSON lines (*.jsonl)"]}


class FileExportBar(ProgressBar):
    """A thin row under a toolbar while an export runs. `one` and `many` name what is exported."""

    def __init__(
        self, work: FileExport, notices: Notices, one: str, many: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._notices, self._one, self._many = notices, one, many
        work.setParent(self)
        self.cancel.clicked.connect(work.cancel)
        work.progressed.connect(self._progressed)
        work.finished.connect(self._finished)
        work.failed.connect(notices.failed)
        work.ended.connect(self.hide)

    def ask_where(
        self, title: str, name: str, ending: str, start: Callable[[Path, bool], object]
    ) -> QFileDialog:
        """Let the person choose the file, then call `start` with it and whether values stay unchanged."""
        dialog = QFileDialog(self.window(), title, f"{name}.{ending}")
        dialog.setNameFilters(_KINDS[ending])
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: start(Path(path), dialog.selectedNameFilter() == RAW_CSV))
        dialog.open()
        return dialog

    def tell_beginning(self, path: Path) -> None:
        self.tell(f"Exporting to {path.name}", 0.0)

    def _progressed(self, done: int, total: int) -> None:
        words = f"Exported {done:,} of {count(total, self._one, self._many)}"
        self.tell(words, done / total if total else 1.0)

    def _finished(self, path: str, number: int) -> None:
        self._notices.post(f"{count(number, self._one, self._many)} written to {Path(path).name}.")
