"""The frame of the window, which is shown while the rest of the program is loaded."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = """
import json, os, signal, sys
from unittest.mock import patch
from patchbay.cli import main, window as command
command.import_qt()
from PySide6.QtCore import QTimer
from patchbay.bootstrap import window_frame

found = {}

class Window(window_frame.MainWindow):
    def show(self):
        super().show()
        if not found:
            found["loaded"] = [name for name in sys.modules if name in ("pydantic", "patchbay.domain.base")]
            use(self)

def use(window):
    %s

patch.object(window_frame, "MainWindow", Window).start()
code = main(["--data-dir", sys.argv[1], "--workspace", "demo"])
print(json.dumps({**found, "code": code}))
"""
"""Starts the real window, uses its frame as soon as it is shown, and reports how it ended."""

CLICK = """
    window.start_page.header.tabs.setCurrentIndex(1)
    window.start_page.header.search.click()
    def report():
        if window.palette_view is not None:
            found["tab"] = window.area.tab.value
            sys.stdout.flush()
            timer.stop()
            window.quit()
    timer = QTimer(window, interval=20)
    timer.timeout.connect(report)
    timer.start()
"""
NO_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

IMPORTS = """
import json, sys
from patchbay.bootstrap import window_frame
frame = [name for name in sys.modules if name.startswith(("pydantic", "patchbay.service", "sqlalchemy"))]
print(json.dumps({"frame": frame, "without_qt": window_frame.WITHOUT_QT}))
"""
WITHOUT_QT = """
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps([name for name in sys.modules if name.startswith(("PySide6", "shiboken6"))]))
"""


STDIN = """
import json, os, signal, sys, time
from unittest.mock import patch
from patchbay.cli import main
from PySide6.QtWidgets import QApplication

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell

class Stdin:
    def readline(self):
        print("window" if QApplication.instance() is not None else "no window")
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
        print("still reading", flush=True)
        os._exit(1)

patch.object(sys, "stdin", Stdin()).start()
code = main(["--data-dir", sys.argv[1], "--workspace", "http://127.0.0.1:9", "--api-key-stdin"])
print(json.dumps({"code": code}))
"""
"""Starts the window with an API key from standard input, where no one enters one before Ctrl+C."""


def output(script: str, *arguments: str) -> Any:
    """The document that a program prints last."""
    environment = {name: value for name, value in os.environ.items() if name != "PYSIDE6_OPTION_LAZY"}
    words = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_frame_is_shown_before_pydantic_and_the_domain_are_imported():
    found = output(IMPORTS)

    assert found["frame"] == []
    assert output(WITHOUT_QT, json.dumps(found["without_qt"])) == []


@NO_WINDOWS
def test_an_api_key_is_read_before_the_window_is_shown_and_can_be_interrupted(tmp_path: Path):
    words = [sys.executable, "-c", STDIN, str(tmp_path / "data")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)

    assert done.stdout.splitlines() == ["no window", json.dumps({"code": 128 + signal.SIGINT})], done.stderr


def test_what_is_clicked_in_the_frame_happens_once_the_workspace_is_shown(tmp_path: Path):
    found = output(SCRIPT % CLICK.strip(), str(tmp_path / "data"))

    assert found == {"loaded": [], "tab": "Executions", "code": 0}


@pytest.mark.parametrize(
    ("use", "code"),
    [
        ("QTimer.singleShot(0, window, window.close)", 0),
        pytest.param(
            "QTimer.singleShot(0, window, lambda: os.kill(os.getpid(), signal.SIGTERM))",
            0,
            marks=NO_WINDOWS,
        ),
        pytest.param(
            "QTimer.singleShot(0, window, lambda: os.kill(os.getpid(), signal.SIGINT))",
            128 + signal.SIGINT,
            marks=NO_WINDOWS,
        ),
    ],
    ids=["closed", "terminated", "interrupted"],
)
def test_a_window_that_is_closed_while_it_loads_ends_the_program(tmp_path: Path, use: str, code: int):
    found = output(SCRIPT % use, str(tmp_path / "data"))

    assert found["code"] == code
