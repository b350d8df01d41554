"""`FirstUse`: when someone begins to use a window."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject


class FirstUse(QObject):
    """Calls a function once, when the pointer first enters the window or a key is pressed in it.

    A window that no one uses, such as one that only runs flows, never needs what is prepared then.
    """

    _EVENTS = frozenset((QEvent.Type.Enter, QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride))

    def __init__(self, window: QObject, on_use: Callable[[], object]) -> None:
        super().__init__(window)
        self._on_use = on_use
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in self._EVENTS:
            watched.removeEventFilter(self)
            self._on_use()
        return False
