"""The copy of a service's history: the offer to read it, the progress, and how it ended."""

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.history_copy import HistoryCopyViewModel
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.progress_bar import ProgressBar
from patchbay.domain.history import HistoryCopyState


class HistoryBar(ProgressBar):
    """A thin row under the toolbar; only with services that cannot filter their history themselves."""

    def __init__(self, model: HistoryCopyViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.cancel.setText("Stop")
        self.read = Button("Read the history", "link", small=True)
        self.dismiss = Button("Not now", "link", small=True)
        self.row.addWidget(self.read)
        self.row.addWidget(self.dismiss)
        self.cancel.clicked.connect(model.stop)
        self.read.clicked.connect(model.read)
        self.dismiss.clicked.connect(model.dismiss)
        model.changed.connect(self._show)

    def _show(self) -> None:
        model = self.model
        if not model.wanted:
            self.hide()
            return
        self.cancel.setVisible(model.copy.state is HistoryCopyState.READING)
        self.read.setVisible(model.can_read)
        self.read.setText("Go on reading" if model.copy.done else "Read the history")
        self.dismiss.setVisible(model.can_read)
        self.tell(model.words(), model.share())
