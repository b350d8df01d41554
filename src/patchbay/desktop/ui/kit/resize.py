"""Hearing of it when a widget gets another size."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget


class ResizeWatch(QObject):
    """Calls back whenever a widget gets another size."""

    def __init__(self, watched: QWidget, owner: QObject, on_resize: Callable[[], None]) -> None:
        super().__init__(owner)
        self._on_resize = on_resize
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self._on_resize()
        return False
