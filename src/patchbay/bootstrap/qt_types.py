"""Creates Qt's types before other threads import modules that use them."""

import sys
import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

SLICE_SECONDS = 0.004
"""How long the window may be busy with them at a time."""


class QtTypes(QObject):
    """Creates all types of the Qt modules in use, a few at a time, and then emits `created`.

    PySide creates each type at its first use, which makes the start faster and saves 16 MB in a window that
    no one uses. That isn't thread-safe: until all types exist, only the window's thread may use Qt.
    """

    created = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._remaining = _create_each_type()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._create_some)

    def create(self) -> None:
        """Create the types on this thread while it has nothing else to do."""
        self._timer.start()

    def _create_some(self) -> None:
        ends = time.monotonic() + SLICE_SECONDS
        for _ in self._remaining:
            if time.monotonic() >= ends:
                return
        self._timer.stop()
        self.created.emit()


def _create_each_type() -> Iterator[object]:
    modules = [module for name, module in sys.modules.items() if name.startswith("PySide6.Qt")]
    for module in modules:
        for name in dir(module):
            yield getattr(module, name)
