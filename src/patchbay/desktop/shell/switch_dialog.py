"""The question when another workspace is opened while the window runs published flows of this computer."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.text import Label, count
from patchbay.desktop.shell.view_models.local_runs import LocalRuns

TITLE = "Flows of this computer stop while another workspace is open"
AFTER_SWITCHING = (
    "If you switch, nothing starts a flow until you open “This computer” again. Running steps get 10 seconds "
    "to finish, and unfinished executions continue then."
)
IN_NEW_WINDOW = "In a new window, {name} opens beside this one, and flows keep running."


class SwitchDialog(Dialog):
    """Asks where another workspace opens: in a new window, or in this one, whose flows stop then."""

    new_window_chosen = Signal()
    switch_chosen = Signal()

    def __init__(self, parent: QWidget, runs: LocalRuns, name: str) -> None:
        super().__init__(parent, TITLE, 540)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        texts = (_published_text(runs), AFTER_SWITCHING, IN_NEW_WINDOW.format(name=name))
        for text in texts:
            self.body.addWidget(Label(text, "body", "text_secondary", wrap=True))
        self.setAccessibleDescription(" ".join(texts))
        self.new_window, self.cancel = self.add_buttons("Open in a new window", self._open_new_window)
        self.switch = Button("Switch and stop flows", large=True)
        self.switch.clicked.connect(self._switch)
        self.footer.insertWidget(self.footer.indexOf(self.cancel) + 1, self.switch)

    def _open_new_window(self) -> None:
        self.new_window_chosen.emit()
        self.accept()

    def _switch(self) -> None:
        self.switch_chosen.emit()
        self.accept()


def _published_text(runs: LocalRuns) -> str:
    flows = f"This window runs {count(runs.published, 'published flow', 'published flows')}."
    if not runs.unfinished:
        return flows
    return f"{flows} {count(runs.unfinished, 'execution hasn’t', 'executions haven’t')} finished yet."
