"""Choose an app to connect: type a few letters, Enter connects the first."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.my_apps_rows import AppRow, rows_of
from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.inputs import SearchField
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.app_list import ENTRY, AppList


class AppPicker(Dialog):
    """All apps that can be connected, by name."""

    chosen = Signal(str)

    def __init__(self, services: Services, parent: QWidget | None) -> None:
        super().__init__(parent, "Connect an app")
        self._rows = [row for row in rows_of(services.apps.all, ()) if not row.app.broken]
        self.search = SearchField("Search apps")
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = AppList()
        self.list.setFixedHeight(theme().px(360))
        self.list.activated.connect(self._activated)
        self.list.clicked.connect(self._activated)
        self.body.addWidget(self.search)
        self.body.addWidget(self.list)
        self.add_buttons("Continue", self._take_current)
        self._filter("")
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys in the search field move through the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                row = self.list.currentIndex().row() + step
                if 0 < row < self.list.rows.rowCount():
                    self.list.setCurrentIndex(self.list.rows.index(row))
                return True
        return super().eventFilter(watched, event)

    def _filter(self, text: str) -> None:
        wanted = text.casefold()
        shown = tuple(row for row in self._rows if wanted in f"{row.app.name} {row.app.category}".casefold())
        self.list.rows.set_rows(shown)
        if shown:
            self.list.select(shown[0].app.key)

    def _take_current(self) -> None:
        self._activated(self.list.currentIndex())

    def _activated(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY)
        if isinstance(entry, AppRow):
            self.accept()
            self.chosen.emit(entry.app.key)
