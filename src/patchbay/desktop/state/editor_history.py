"""Undo and redo of what was done in the editor."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

MAX_ENTRIES = 200


@dataclass(frozen=True, eq=False)
class Entry:
    """One thing done. Entries in a row with the same `merge` key are undone together."""

    label: str
    undo: Callable[[], None]
    redo: Callable[[], None]
    merge: object = None


class History(QObject):
    """What can be taken back and done again."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done: list[Entry] = []
        self._undone: list[Entry] = []

    @property
    def undo_label(self) -> str | None:
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        return self._undone[-1].label if self._undone else None

    def add(self, entry: Entry) -> None:
        last = self._done[-1] if self._done else None
        if last is not None and entry.merge is not None and last.merge == entry.merge:
            self._done[-1] = Entry(last.label, last.undo, entry.redo, last.merge)
        else:
            self._done = [*self._done, entry][-MAX_ENTRIES:]
        self._undone = []
        self.changed.emit()

    def seal(self) -> None:
        """What comes next is undone on its own, even in the same field."""
        if self._done and self._done[-1].merge is not None:
            last = self._done[-1]
            self._done[-1] = Entry(last.label, last.undo, last.redo)

    def undo(self) -> None:
        if self._done:
            self.undo_entry(self._done[-1])

    def undo_entry(self, entry: Entry) -> None:
        """Undo one thing, whatever was done since; nothing when that has happened already."""
        if entry in self._done:
            self._done.remove(entry)
            self._undone.append(entry)
            entry.undo()
            self.changed.emit()

    def redo(self) -> None:
        if self._undone:
            entry = self._undone.pop()
            self._done.append(entry)
            entry.redo()
            self.changed.emit()

    def clear(self) -> None:
        self._done, self._undone = [], []
        self.changed.emit()
