"""Garbage collection on the window's thread, where Qt objects may be destroyed."""

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500
STARTUP_MS = 10_000
"""After this time what stays has been loaded: modules, models, the screens of the workspace."""


class GarbageCollector(QObject):
    """Replaces Python's automatic collection while it runs.

    The automatic one starts in whichever thread allocates. On the loop thread it would destroy widgets and
    view-models that sit in cycles while the window's thread is using Qt, which ends in a crash.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._startup_timer = QTimer(self, interval=STARTUP_MS, singleShot=True)
        self._startup_timer.timeout.connect(self._start_collecting)

    def start(self) -> None:
        """Collect by the timer once everything is loaded, and leave what is loaded out of each round.

        A round over modules, models and screens would hold the window up for 70 ms and more.
        """
        gc.disable()
        self._startup_timer.start()

    def _start_collecting(self) -> None:
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """A last round. Python's own collection stays off: the program ends, and a collection that begins
        within the destructor of a QObject would wait for itself there.
        """
        self._timer.stop()
        self._startup_timer.stop()
        gc.unfreeze()
        gc.collect()

    def collect(self) -> None:
        """One round over the oldest generation that is due, if any."""
        due = [
            generation
            for generation, (count, threshold) in enumerate(
                zip(gc.get_count(), gc.get_threshold(), strict=True)
            )
            if threshold and count > threshold
        ]
        if due:
            gc.collect(due[-1])
