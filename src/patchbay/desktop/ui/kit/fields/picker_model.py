"""The values a picker offers, as a tree of steps and their values."""

from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

from patchbay.desktop.state.editor_values import ValueCatalog, ValueEntry, ValueGroup
from patchbay.desktop.ui.kit.item_values import store_value, stored_value

GROUP_ROLE = Qt.ItemDataRole.UserRole + 1
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2
SHOWN_ROLE = Qt.ItemDataRole.UserRole + 3

SHOWN_AT_FIRST = 6


class PickerModel(QStandardItemModel):
    """Groups with the first few values; `unfold` shows the rest. A search shows everything it finds."""

    def __init__(self, catalog: ValueCatalog, prefer: str = "", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalog, self._prefer = catalog, prefer
        self._unfolded: set[str] = set()
        self._words = ""
        self.search("")

    def search(self, words: str) -> None:
        self._words = words
        self.clear()
        for group in self._catalog.search(words, self._prefer):
            self.appendRow(self._group(group))

    def unfold(self, step_id: str) -> None:
        self._unfolded.add(step_id)
        self.search(self._words)

    def _group(self, group: ValueGroup) -> QStandardItem:
        every = bool(self._words) or group.step_id in self._unfolded
        entries = group.entries if every else group.entries[:SHOWN_AT_FIRST]
        item = _item(f"{group.position}. {group.title}")
        store_value(item, group, GROUP_ROLE)
        store_value(item, len(entries), SHOWN_ROLE)
        item.appendRows([_entry(entry) for entry in entries])
        return item


def _item(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setEditable(False)
    return item


def _entry(entry: ValueEntry) -> QStandardItem:
    item = _item(entry.label)
    store_value(item, entry, ENTRY_ROLE)
    item.setData(f"{entry.label}, {entry.type}, {entry.sample}", Qt.ItemDataRole.AccessibleTextRole)
    return item


def entry_of(index: Any) -> ValueEntry | None:
    found = stored_value(index, ENTRY_ROLE) if index.isValid() else None
    return found if isinstance(found, ValueEntry) else None


def group_of(index: Any) -> ValueGroup | None:
    found = stored_value(index, GROUP_ROLE) if index.isValid() else None
    return found if isinstance(found, ValueGroup) else None
