"""`FirstUse`: when someone begins to use a window."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class FirstUse(QObject):
    """Calls a function once, when the pointer first moves over the window or a key is pressed in it.

    A window that no one uses, such as one that only runs flows, never needs what is prepared then.
    """

    # Not `Enter`, which also comes when a window opens under a pointer that doesn't move.
    _EVENTS = frozenset((QEvent.Type.HoverMove, QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride))

    def __init__(self, window: QWidget, on_use: Callable[[], object]) -> None:
        super().__init__(window)
        self._window, self._on_use = window, on_use
        window.setAttribute(Qt.WidgetAttribute.WA_Hover)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in self._EVENTS:
            self._window.removeEventFilter(self)
            self._window.setAttribute(Qt.WidgetAttribute.WA_Hover, False)
            self._on_use()
        return False
