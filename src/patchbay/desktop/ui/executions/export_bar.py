"""Exporting executions: where to, how far, and a way to stop it."""

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.state.executions_export import ExecutionsExport, Exported
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.export_bar import FileExportBar


class ExportBar(FileExportBar):
    """A thin row under the toolbar while executions are exported."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        self.work = ExecutionsExport(services)
        super().__init__(self.work, services.notices, "execution", "executions", parent)

    def ask(self, source: Exported, extension: str) -> QFileDialog:
        return self.ask_where("Export executions", "executions", extension, partial(self.begin, source))

    def begin(self, source: Exported, path: Path, raw: bool = False) -> None:
        self.tell_beginning(path)
        self.work.start(source, path, raw)
