"""Opens the real window on the executions of this computer, and measures how long it doesn't respond.

`python -m tests.benchmarks.window_child DATA` prints `{"ready": true}` once the load may begin, and then
`{"ui_stall_ms"}`.
"""

import os
from unittest.mock import patch

os.environ["PYSIDE6_OPTION_LAZY"] = "0"

import json
import sys
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from tests.support.stall import StallMeter

from patchbay import cli
from patchbay.bootstrap import window
from patchbay.bootstrap.window_controller import WindowController
from patchbay.desktop.core.navigation import Place, Tab

SETTLE_MS = 2_000
STALL_SECONDS = 14


class WatchedWindowController(WindowController):
    """The window's controller, which measures once the workspace is open, and then ends the program."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.when_ready(self._measure)

    def _measure(self) -> None:
        """Show the executions, say that the load may begin, and measure while it lasts."""
        assert self.services is not None
        self.services.navigator.go(Place(Tab.EXECUTIONS))
        print(json.dumps({"ready": True}), flush=True)
        meter = StallMeter(self)

        def measured() -> None:
            print(json.dumps({"ui_stall_ms": meter.stop()}), flush=True)
            QApplication.instance().quit()

        QTimer.singleShot(SETTLE_MS, self, meter.start)
        QTimer.singleShot(SETTLE_MS + STALL_SECONDS * 1000, self, measured)


if __name__ == "__main__":
    patch.object(window, "WindowController", WatchedWindowController).start()
    sys.exit(cli.main(["--data-dir", sys.argv[1], "--workspace", "local"]))
