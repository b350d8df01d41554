"""The dialog in place of the window when the data folder can't be used: why, and another folder."""

from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtWidgets import QFileDialog

from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.text import Label
from patchbay.domain.errors import AppError


class StartProblem(Dialog):
    """`folder` is the one to start with next: the same again, or another; None ends the program."""

    def __init__(self, error: AppError, folder: Path) -> None:
        super().__init__(None, "Patchbay can't start", 520)
        self.folder: Path | None = None
        self._refused = folder
        self.setWindowFlag(Qt.WindowType.Dialog)
        text = " ".join(filter(None, (error.meaning, error.todo)))
        self.body.addWidget(Label(error.happened, "semibold", wrap=True))
        self.body.addWidget(Label(text, "body", "text_secondary", wrap=True))
        self.setAccessibleDescription(error.text())
        other = Button("Choose another folder…", large=True)
        other.clicked.connect(self._choose)
        self.footer.addWidget(other)
        self.add_buttons("Try again", self._try_again, cancel="Quit")

    def ask(self) -> Path | None:
        """Show the dialog until it is answered; there is no window yet that it could belong to."""
        answered = QEventLoop()
        self.finished.connect(answered.quit)
        self.show()
        self.fit()
        answered.exec()
        return self.folder

    def _try_again(self) -> None:
        self.folder = self._refused
        self.accept()

    def _choose(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, "Folder for Patchbay's data", str(Path.home()))
        if chosen:
            self.folder = Path(chosen)
            self.accept()
