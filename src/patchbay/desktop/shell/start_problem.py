"""The dialog in place of the window if the data folder can't be used, to choose another."""

from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtWidgets import QFileDialog

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.text import Label
from patchbay.domain.errors import AppError


class StartErrorDialog(Dialog):
    """The dialog. `folder` is the one to start with next, the same or another; None ends the program."""

    def __init__(self, error: AppError, folder: Path) -> None:
        super().__init__(None, tr("Patchbay can't start"), 520)
        self.folder: Path | None = None
        self._unusable_folder = folder
        self.setWindowFlag(Qt.WindowType.Dialog)
        text = " ".join(filter(None, (error.meaning, error.todo)))
        self.body.addWidget(Label(error.happened, "semibold", wrap=True))
        self.body.addWidget(Label(text, "body", "text_secondary", wrap=True))
        self.setAccessibleDescription(error.text())
        other_folder = Button(tr("Choose another folder…"), large=True)
        other_folder.clicked.connect(self._choose)
        self.footer.addWidget(other_folder)
        self.add_buttons(tr("Try again"), self._try_again, cancel=tr("Quit"))

    def choose_folder(self) -> Path | None:
        """Show the dialog and wait for it; there is no window yet that it could belong to."""
        event_loop = QEventLoop()
        self.finished.connect(event_loop.quit)
        self.show()
        self.fit()
        event_loop.exec()
        return self.folder

    def _try_again(self) -> None:
        self.folder = self._unusable_folder
        self.accept()

    def _choose(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder for Patchbay's data"), str(Path.home()))
        if chosen:
            self.folder = Path(chosen)
            self.accept()
