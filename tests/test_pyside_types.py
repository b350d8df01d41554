"""PySide's types: which threads create them, and what PySide does to Python's imports."""

import json
import os
import subprocess
import sys
from pathlib import Path

WINDOW = """
import json, sys, threading
from unittest.mock import patch
from patchbay.cli import main, window as command
command.import_qt()
from PySide6 import QtWidgets
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from patchbay.bootstrap import window
from patchbay.bootstrap.window_controller import WindowController

UNUSED, LAST = "QWizard", "patchbay.desktop.templates.tab"
found = []

class Imports:
    def find_spec(self, name, path, target=None):
        if name.startswith("patchbay.desktop"):
            is_window = threading.current_thread() is threading.main_thread()
            found.append((is_window, UNUSED in vars(QtWidgets)))

class UsedWindow(WindowController):
    def open(self, workspace):
        super().open(workspace)
        self.when_ready(self.use)

    def use(self):
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Shift, Qt.KeyboardModifier.NoModifier)
        QtWidgets.QApplication.sendEvent(self.window, key)
        self.wait = QTimer(self, interval=50)
        self.wait.timeout.connect(self.report)
        self.wait.start()

    def report(self):
        if LAST in sys.modules:
            self.wait.stop()
            print(json.dumps(found), flush=True)
            QtWidgets.QApplication.instance().quit()

sys.meta_path.insert(0, Imports())
patch.object(window, "WindowController", UsedWindow).start()
sys.exit(main(["--data-dir", sys.argv[1], "--workspace", "local"]))
"""
"""Opens a window, uses it, and prints for each module of the window whether it was imported on the window's
thread, and whether a type that the window doesn't use existed."""

IMPORTS = """
import builtins, sys
from patchbay.cli.window import import_qt
before = builtins.__import__
import_qt()
print("PySide6.QtWidgets" in sys.modules, builtins.__import__ is before)
"""


def output(*command: str) -> str:
    """What a program prints that runs without the option with which the tests create types early."""
    unset = {name: value for name, value in os.environ.items() if name != "PYSIDE6_OPTION_LAZY"}
    words = [sys.executable, "-c", *command]
    done = subprocess.run(words, env=unset, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_other_threads_import_modules_of_the_window_only_once_all_types_exist(tmp_path: Path) -> None:
    """Types that two threads create at once are a segmentation fault."""
    found = json.loads(output(WINDOW, str(tmp_path / "data")))

    assert {types for is_window, types in found if not is_window} == {True}
    assert [True, False] in found, "the window has created all types at its start"


def test_pyside_does_not_read_the_source_of_each_imported_module() -> None:
    assert output(IMPORTS) == "True True"
