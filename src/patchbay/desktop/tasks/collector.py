"""Garbage collection on the window's thread, where Qt objects may be destroyed."""

import gc
import linecache

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 500
IDLE_INTERVAL_MS = 4_000
"""While nothing has to be collected, so that an idle window rarely wakes the processor."""
STARTUP_MS = 10_000
"""By then, everything that stays in memory is loaded: modules, models, and screens."""


class GarbageCollector(QObject):
    """Replaces Python's automatic collection while it runs.

    Automatic collection runs in whichever thread allocates. On the loop thread, it would destroy widgets and
    view-models in reference cycles while the window's thread uses Qt, which crashes.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._startup_timer = QTimer(self, interval=STARTUP_MS, singleShot=True)
        self._startup_timer.timeout.connect(self._start_collecting)

    def start(self) -> None:
        """Start collecting once start-up has finished, and exclude what was loaded until then (`gc.freeze`).

        A collection that includes modules, models, and screens would block the window for 70 ms or more.
        """
        gc.disable()
        _free_source_lines()
        self._startup_timer.start()

    def _start_collecting(self) -> None:
        _free_source_lines()
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """Collect once more and leave automatic collection disabled.

        The program is about to exit, and a collection that starts in the destructor of a QObject would
        deadlock.
        """
        self._timer.stop()
        self._startup_timer.stop()
        gc.unfreeze()
        gc.collect()

    def collect(self) -> None:
        """Collect the oldest generation that is due, if any."""
        due = [
            generation
            for generation, (count, threshold) in enumerate(
                zip(gc.get_count(), gc.get_threshold(), strict=True)
            )
            if threshold and count > threshold
        ]
        if due:
            gc.collect(due[-1])
        interval = INTERVAL_MS if due else IDLE_INTERVAL_MS
        if self._timer.interval() != interval:
            self._timer.setInterval(interval)


def _free_source_lines() -> None:
    """Free 9 MB: PySide reads the source of each module that is imported, and Python keeps the lines."""
    linecache.clearcache()
