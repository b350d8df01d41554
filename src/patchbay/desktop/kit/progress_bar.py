"""Progress bars below a toolbar: what is running, how far it is, and a Cancel button."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.file_export import FileExport
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.notices import Notices
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.text import ElidedLabel
from patchbay.desktop.kit.theme import theme

RAW_CSV = tr("CSV, raw values (may run as formulas) (*.csv)")
_KINDS = {"csv": ["CSV (*.csv)", RAW_CSV], "jsonl": [tr("JSON lines (*.jsonl)")]}


@dataclass(frozen=True)
class ExportTexts:
    """What an export bar says: how much of the total is done, and how much was written to the file."""

    progress: Callable[[int, int], str]
    written: Callable[[int, str], str]


class ProgressBar(AccessibleText, QWidget):
    """A progress bar, hidden until `show_progress`. `row` is its layout, for more buttons before Cancel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "sidebar")
        self._share: float | None = None
        self.words = ElidedLabel("", "caption", "text_secondary")
        self.cancel = Button(tr("Cancel"), "link", small=True)
        self.row = hbox((self.words, 1), self.cancel, parent=self, margins=(16, 3, 16, 5), spacing=12)
        self.hide()

    def show_progress(self, words: str, share: float | None) -> None:
        """Show a text and the progress; with `share` None, only the text."""
        self._share = share
        self.words.setText(words)
        self.setAccessibleName(words)
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._share is None:
            return
        painter, tokens = QPainter(self), theme().tokens
        bottom = QRectF(0, self.height() - 2, self.width(), 2)
        painter.fillRect(bottom, tokens.border)
        painter.fillRect(QRectF(0, bottom.y(), self.width() * self._share, 2), tokens.accent)


class FileExportBar(ProgressBar):
    """A thin row below a toolbar while an export runs."""

    def __init__(
        self, work: FileExport, notices: Notices, texts: ExportTexts, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._notices = notices
        self._texts = texts
        work.setParent(self)
        self.cancel.clicked.connect(work.cancel)
        work.progressed.connect(self._on_progress)
        work.finished.connect(self._on_finished)
        work.failed.connect(notices.failed)
        work.ended.connect(self.hide)

    def choose_file(
        self, title: str, name: str, ending: str, start: Callable[[Path, bool], object]
    ) -> QFileDialog:
        """Let the user choose a file, then call `start` with it and whether values are exported unchanged."""
        dialog = QFileDialog(self.window(), title, f"{name}.{ending}")
        dialog.setNameFilters(_KINDS[ending])
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: start(Path(path), dialog.selectedNameFilter() == RAW_CSV))
        dialog.open()
        return dialog

    def show_started(self, path: Path) -> None:
        """Show that an export to this file has started."""
        self.show_progress(tr("Exporting to {file}", file=path.name), 0.0)

    def _on_progress(self, done: int, total: int) -> None:
        self.show_progress(self._texts.progress(done, total), done / total if total else 1.0)

    def _on_finished(self, path: str, number: int) -> None:
        self._notices.post(self._texts.written(number, Path(path).name))
