"""The apps as a list with headings; what changed in place stays in place."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.my_apps_rows import AppRow, Section
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.domain.base import AppKey

Index = QModelIndex | QPersistentModelIndex
Entry = AppRow | tuple[str, int]
"""A row, or the heading of a section with the number of apps in it."""

ENTRY_ROLE = Qt.ItemDataRole.UserRole


class AppListModel(QAbstractListModel):
    """Rows with a heading before each section; headings cannot be selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def set_sections(self, sections: tuple[Section, ...]) -> bool:
        """Show these; returns whether the list was built anew, which ends selection and scroll position."""
        new_entries: list[Entry] = []
        for section in sections:
            if section.heading:
                new_entries.append((section.heading, len(section.rows)))
            new_entries.extend(section.rows)
        if [_entry_key(entry) for entry in new_entries] == [_entry_key(entry) for entry in self._entries]:
            self._update(new_entries)
            return False
        self.beginResetModel()
        self._entries = new_entries
        self.endResetModel()
        return True

    def row_of(self, key: AppKey) -> int:
        """Where an app stands; -1 when it is not listed."""
        found = (
            at for at, item in enumerate(self._entries) if isinstance(item, AppRow) and item.app.key == key
        )
        return next(found, -1)

    def next_app(self, row: int, step: int) -> int:
        """The closest row of an app in this direction; -1 when there is none."""
        row += step
        while 0 <= row < len(self._entries):
            if isinstance(self._entries[row], AppRow):
                return row
            row += step
        return -1

    @property
    def app_count(self) -> int:
        return sum(isinstance(entry, AppRow) for entry in self._entries)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == ENTRY_ROLE:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.app.name if isinstance(entry, AppRow) else entry[0]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _accessible_text(entry)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(_accessible_text(entry))
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or not isinstance(self._entries[index.row()], AppRow):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def _update(self, new_entries: list[Entry]) -> None:
        old_entries, self._entries = self._entries, new_entries
        for row, (old, new) in enumerate(zip(old_entries, new_entries, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(row), self.index(row))


def _entry_key(entry: Entry) -> str:
    return entry.app.key if isinstance(entry, AppRow) else f"heading:{entry[0]}"


def _accessible_text(entry: Entry) -> str:
    if not isinstance(entry, AppRow):
        return f"{entry[0]}, {entry[1]}"
    return ", ".join(filter(None, (entry.app.name, entry.counts, entry.word)))
