"""Opens the real window, and prints the modules it has imported and its repeating timers once it is open.

`python -m tests.support.idle_window DATA WORKSPACE` prints `{"modules", "timers"}` and ends.
"""

import json
import sys
from unittest.mock import patch

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from patchbay import cli
from patchbay.bootstrap import window
from patchbay.bootstrap.window_controller import WindowController


class ReportingController(WindowController):
    """The window's controller, which reports once the workspace is open, and then ends the program."""

    def open(self, workspace: str) -> None:
        super().open(workspace)
        self.when_ready(self._report)

    def _report(self) -> None:
        timers = [
            timer.interval()
            for timer in self.window.findChildren(QTimer)
            if timer.isActive() and not timer.isSingleShot()
        ]
        print(json.dumps({"modules": sorted(sys.modules), "timers": timers}), flush=True)
        app = QApplication.instance()
        assert app is not None
        app.quit()


if __name__ == "__main__":
    patch.object(window, "WindowController", ReportingController).start()
    sys.exit(cli.main(["--data-dir", sys.argv[1], "--workspace", sys.argv[2]]))
