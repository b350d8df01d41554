"""The question when the window is closed while flows are published: keep them running, or quit."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.text import Label, count
from patchbay.desktop.settings.window_options import OnClose
from patchbay.desktop.shell.view_models.local_runs import LocalRuns

IN_TRAY = "Patchbay stays in the system tray. Click its icon there to open the window again."
WITHOUT_TRAY = "This desktop has no system tray. To get the window back, start Patchbay again."
AFTER_QUITTING = (
    "If you quit, nothing starts a flow until you open Patchbay again. Running steps get 10 seconds to "
    "finish, and unfinished executions continue at the next start."
)


class CloseDialog(Dialog):
    """Asks what closing the window does, now and from now on. `decided` carries the choice."""

    decided = Signal(str)

    def __init__(self, parent: QWidget, runs: LocalRuns, *, has_tray: bool) -> None:
        super().__init__(parent, "Keep flows running in the background?", 460)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        texts = (_published_text(runs), IN_TRAY if has_tray else WITHOUT_TRAY, AFTER_QUITTING)
        for text in texts:
            self.body.addWidget(Label(text, "body", "text_secondary", wrap=True))
        note = "You won’t be asked again. You can change this in Settings → General."
        self.body.addWidget(Label(note, "caption", "text_tertiary", wrap=True))
        self.setAccessibleDescription(" ".join(texts))
        self.keep, cancel = self.add_buttons("Keep running", lambda: self._decide("background"))
        self.leave = Button("Quit", large=True)
        self.leave.clicked.connect(lambda: self._decide("quit"))
        self.footer.insertWidget(self.footer.indexOf(cancel) + 1, self.leave)

    def _decide(self, chosen: OnClose) -> None:
        self.accept()
        self.decided.emit(chosen)


def _published_text(runs: LocalRuns) -> str:
    flows = f"{count(runs.published, 'published flow runs', 'published flows run')} only while Patchbay does."
    if not runs.unfinished:
        return flows
    unfinished = count(runs.unfinished, "execution hasn’t", "executions haven’t")
    return f"{flows} {unfinished} finished yet."
