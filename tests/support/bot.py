"""What `Window` needs of pytest-qt's bot, for windows in processes of their own."""

import time
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget


class Bot:
    """Turns the event loop and presses keys. Stands in for a `QtBot`."""

    def waitUntil(self, look: Callable[[], bool], *, timeout: int) -> None:
        ends = time.monotonic() + timeout / 1000
        while not look():
            assert time.monotonic() < ends, f"not within {timeout} ms"
            self.wait(10)

    def wait(self, ms: int) -> None:
        QTest.qWait(ms)

    def addWidget(self, widget: QWidget) -> None:
        self._widget = widget

    def mouseClick(self, widget: QWidget, button: Qt.MouseButton) -> None:
        QTest.mouseClick(widget, button)

    def keyClicks(self, widget: QWidget, text: str) -> None:
        QTest.keyClicks(widget, text)

    def keyClick(self, widget: QWidget, key: Qt.Key) -> None:
        QTest.keyClick(widget, key)
