"""The dialog to choose an app to connect: search, then Enter."""

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.names import best_match
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.chips import FilterChip
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.item_views import ITEM_ROLE
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.list_states import ListStack
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.my_apps.app_list import AppList
from patchbay.desktop.my_apps.view_models.app_list import AppPickerViewModel, AppRow
from patchbay.domain.base import AppKey, EpochMs

_NEVER_USED: Mapping[AppKey, EpochMs] = MappingProxyType({})


class AppPicker(Dialog):
    """Apps that can be connected, by name; recently used ones first."""

    chosen = Signal(str)

    def __init__(
        self, services: Services, parent: QWidget | None, last_used_at: Mapping[AppKey, EpochMs] = _NEVER_USED
    ) -> None:
        super().__init__(parent, tr("Connect an app"))
        self.model = AppPickerViewModel(services, last_used_at, self)
        self.search = SearchField(tr("Search apps"))
        self.search.textChanged.connect(self.model.set_text)
        self.search.installEventFilter(self)
        self.category = FilterChip(tr("Category"))
        self.category.set_options([(name, name) for name in self.model.categories])
        self.category.value_changed.connect(lambda value: self.model.set_category(value or ""))
        self.list = AppList()
        self.list.activated.connect(self._choose)
        self.list.clicked.connect(self._choose)
        self.stack = ListStack(self.list)
        self.stack.setFixedHeight(theme().px(360))
        self.body.addLayout(hbox((self.search, 1), self.category, spacing=8))
        self.body.addWidget(self.stack)
        self.add_buttons(tr("Continue", "button"), self._choose_current)
        self.model.changed.connect(self._show)
        self._show()
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys in the search field move through the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                row = self.list.rows.next_app(self.list.currentIndex().row(), step)
                if row >= 0:
                    self.list.setCurrentIndex(self.list.rows.index(row))
                return True
        return super().eventFilter(watched, event)

    def _show(self) -> None:
        self.list.rows.set_sections(self.model.sections)
        if self.list.rows.app_count == 0:
            self.stack.show_page().show_no_match(
                self._clear, tr("No matching apps"), tr("Try a different search.")
            )
            return
        self.stack.show_rows()
        self.list.setCurrentIndex(self._best_index())

    def _best_index(self) -> QModelIndex:
        """Return the row whose app name matches the search best."""
        apps = [
            index for row in range(self.list.rows.rowCount()) if _is_app(index := self.list.rows.index(row))
        ]
        names = [index.data(ITEM_ROLE).app.name for index in apps]
        best = best_match(self.model.text, names)
        return apps[best] if best is not None else QModelIndex()

    def _clear(self) -> None:
        self.search.clear()
        self.category.clear()
        self.search.setFocus()

    def _choose_current(self) -> None:
        self._choose(self.list.currentIndex())

    def _choose(self, index: QModelIndex) -> None:
        if _is_app(index):
            entry: AppRow = index.data(ITEM_ROLE)
            self.accept()
            self.chosen.emit(entry.app.key)


def _is_app(index: QModelIndex) -> bool:
    return isinstance(index.data(ITEM_ROLE), AppRow)
