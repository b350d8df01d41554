"""How far a search in the data is, with a way to stop it and to go on."""

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.executions import ExecutionsViewModel
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.progress_bar import ProgressBar


class SearchBar(ProgressBar):
    """A thin row under the toolbar while the data are searched, and after it until the search is cleared."""

    def __init__(self, screen: ExecutionsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screen = screen
        self.cancel.setText("Stop")
        self.search_more = Button("Search further back", "link", small=True)
        self.clear = Button("Clear search", "link", small=True)
        self.row.addWidget(self.search_more)
        self.row.addWidget(self.clear)
        self.cancel.clicked.connect(screen.search.stop)
        self.search_more.clicked.connect(screen.search.go_on)
        self.clear.clicked.connect(lambda: screen.search_data(""))
        screen.search.changed.connect(self._show)
        screen.counts_changed.connect(self._show)

    def _show(self) -> None:
        search, matching = self._screen.search, self._screen.counts.matching
        if not search.text:
            self.hide()
            return
        self.cancel.setVisible(search.running)
        self.search_more.setVisible(not search.running and not search.complete)
        self.tell(search.words(matching), search.share(matching))
