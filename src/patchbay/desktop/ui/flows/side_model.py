"""The entries of the folder list as an item model."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt

from patchbay.desktop.state.flows_folders import SideEntry
from patchbay.desktop.ui.flows.list_model import Index
from patchbay.desktop.ui.kit.text import count

ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True)
class Heading:
    """The line above the folders."""

    label: str


class FolderSidebarModel(QAbstractListModel):
    """Fixed entries, a heading, and the folders."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[SideEntry | Heading, ...] = ()

    def show(self, fixed: tuple[SideEntry, ...], folders: tuple[SideEntry, ...]) -> None:
        lines: tuple[SideEntry | Heading, ...] = (*fixed, Heading("Folders"), *folders)
        if [entry_key(line) for line in lines] == [entry_key(line) for line in self._lines]:
            self._lines = lines
            self.dataChanged.emit(self.index(0), self.index(len(lines) - 1))
            return
        self.beginResetModel()
        self._lines = lines
        self.endResetModel()

    def entry(self, index: Index) -> SideEntry | None:
        line = self._lines[index.row()] if index.isValid() and index.row() < len(self._lines) else None
        return line if isinstance(line, SideEntry) else None

    def row_of(self, place: str) -> int:
        return next((index for index, line in enumerate(self._lines) if entry_key(line) == place), -1)

    @property
    def heading_row(self) -> int:
        return next((index for index, line in enumerate(self._lines) if isinstance(line, Heading)), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._lines):
            return None
        line = self._lines[index.row()]
        if role == ENTRY_ROLE:
            return line
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return line.label
        if role == Qt.ItemDataRole.AccessibleTextRole and isinstance(line, SideEntry):
            return f"{line.label}, {'not known' if line.count is None else count(line.count, 'flow')}"
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        entry = self.entry(index)
        if entry is None:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if entry.folder:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags | Qt.ItemFlag.ItemIsDropEnabled if entry.takes_flows else flags


def entry_key(line: SideEntry | Heading) -> str:
    return line.place if isinstance(line, SideEntry) else line.label
