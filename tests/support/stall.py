"""Measures how long the window's event loop does not turn."""

from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_MS = 5
FROZEN_MS = 5_000
"""Longer than a busy machine holds a window up, shorter than people believe that it still lives.

Tests allow as much; `make bench` tells how few milliseconds it takes on a machine with nothing else to do.
"""


class StallMeter(QObject):
    """Beats every 5 ms on the window's thread; a late beat is time in which the window was frozen.

    Use `with StallMeter() as meter: ...`, turning the event loop inside; `longest_ms` is the worst wait.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._last: float | None = None
        self.longest_ms = 0.0
        self.beats = 0

    def start(self) -> None:
        self.longest_ms, self.beats = 0.0, 0
        self._last = perf_counter()
        self._timer.start()

    def stop(self) -> float:
        """End measuring, counting a wait that is still going on; returns the longest in milliseconds."""
        if self._timer.isActive():
            self._beat()
            self._timer.stop()
        return self.longest_ms

    def _beat(self) -> None:
        now = perf_counter()
        if self._last is not None:
            self.longest_ms = max(self.longest_ms, (now - self._last) * 1000 - BEAT_MS)
            self.beats += 1
        self._last = now

    def __enter__(self) -> "StallMeter":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
