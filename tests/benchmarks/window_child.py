"""Opens the real window as a person does, and tells what the clock says.

`python -m tests.benchmarks.window_child STARTED DATA WORKSPACE MEASURE`: STARTED is the time (seconds since
the epoch) at which this process was started; MEASURE is `start`, `memory` or `stall`. Prints one JSON object.
"""

# ruff: noqa: E402  the imports are measured, so they come after what the program does first
import gc
import os
from unittest.mock import patch

gc.disable()
os.environ["PYSIDE6_OPTION_LAZY"] = "0"

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QListView, QWidget
from tests.benchmarks.lines import memory_mb
from tests.support.stall import StallMeter

from patchbay import cli
from patchbay.bootstrap import window
from patchbay.bootstrap.window_controller import WindowController
from patchbay.desktop.core.navigation import Place, Tab

SETTLE_MS = 2_000
STALL_SECONDS = 14


class Watch(QObject):
    """Sees every paint: the first of the window, and the first of the Flows list with rows in it."""

    def __init__(self, started: float, shown: Callable[[], object]) -> None:
        super().__init__()
        self._started, self._shown = started, shown
        self.seen: dict[str, Any] = {}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            if "window_start_ms" not in self.seen:
                self.seen["window_start_ms"] = None
                QTimer.singleShot(0, self, lambda: self._note("window_start_ms"))
            view = watched.parent()
            if "rows_shown_ms" not in self.seen and isinstance(view, QListView) and _rows(view):
                self.seen["rows_shown_ms"] = None
                QTimer.singleShot(0, self, lambda: self._note("rows_shown_ms"))
        return False

    def _note(self, name: str) -> None:
        """Called once the paint that was seen has ended."""
        self.seen[name] = (time.time() - self._started) * 1000
        if name == "rows_shown_ms":
            QApplication.instance().removeEventFilter(self)
            self._shown()


def _rows(view: QListView) -> int:
    return view.model().rowCount() if view.accessibleName() == "Flows" else 0


class WatchedWindowController(WindowController):
    """The desk of the program, with a watch on it; ends the program when the measuring is done."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._watch = Watch(STARTED, self._measure)
        QApplication.instance().installEventFilter(self._watch)
        super().__init__(*arguments, **named)

    def _measure(self) -> None:
        if MEASURE == "start":
            self._tell()
        elif MEASURE == "memory":
            self.when_ready(lambda: QTimer.singleShot(SETTLE_MS, self, self._tell_memory))
        else:
            self.when_ready(self._meet_load)

    def _tell_memory(self) -> None:
        self._watch.seen["memory_mb"] = memory_mb("self")
        self._tell()

    def _meet_load(self) -> None:
        """Show the executions, say that the load may begin, and measure while it lasts."""
        assert self.services is not None
        self.services.navigator.go(Place(Tab.EXECUTIONS))
        print(json.dumps({"ready": True}), flush=True)
        meter = StallMeter(self)

        def measured() -> None:
            self._watch.seen["ui_stall_ms"] = meter.stop()
            self._tell()

        QTimer.singleShot(SETTLE_MS, self, meter.start)
        QTimer.singleShot(SETTLE_MS + STALL_SECONDS * 1000, self, measured)

    def _tell(self) -> None:
        print(json.dumps(self._watch.seen), flush=True)
        QApplication.instance().quit()


if __name__ == "__main__":
    STARTED, MEASURE = float(sys.argv[1]), sys.argv[4]
    patch.object(window, "WindowController", WatchedWindowController).start()
    sys.exit(cli.main(["--data-dir", sys.argv[2], "--workspace", sys.argv[3]]))
