"""Who runs the flows of the data folder that this window shows, and the offer to run them here."""

from enum import StrEnum

from PySide6.QtCore import QObject, Signal


class EngineOwner(StrEnum):
    """Which program runs the engine."""

    THIS_WINDOW = "this window"
    ANOTHER_PROGRAM = "another program"
    NOBODY = "nobody"


class EngineOffer(QObject):
    """`is_open` while nobody runs the flows and this window could."""

    changed = Signal()
    accepted = Signal()
    taken_over = Signal()
    """This window runs the flows from now on."""
    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_open = False
        self._reported.connect(self._note)

    def report(self, owner: EngineOwner) -> None:
        """Note who runs the engine; may be called on any thread."""
        self._reported.emit(owner)

    def accept(self) -> None:
        """Run the flows in this window."""
        self.accepted.emit()

    def _note(self, owner: EngineOwner) -> None:
        self.is_open = owner is EngineOwner.NOBODY
        self.changed.emit()
        if owner is EngineOwner.THIS_WINDOW:
            self.taken_over.emit()
