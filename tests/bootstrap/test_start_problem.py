"""The dialog that is shown if the data folder can't be used."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, sys
from patchbay.cli import main, window as command
command.import_qt()
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog
from patchbay.desktop.shell import start_problem

class Dialog(start_problem.StartErrorDialog):
    def show(self):
        super().show()
        use(self)

def use(dialog):
    %s

def interrupt_choosing():
    if isinstance(QApplication.activeModalWidget(), QFileDialog):
        os.kill(os.getpid(), int(sys.argv[2]))

start_problem.StartErrorDialog = Dialog
code = main(["--data-dir", sys.argv[1]])
print("code", code, flush=True)
"""
"""Starts the window with a folder that can't be used, and ends the dialog."""

SIGNAL = "QTimer.singleShot(0, dialog, lambda: os.kill(os.getpid(), int(sys.argv[2])))"
SIGNAL_WHILE_CHOOSING = """
    timer = QTimer(dialog, interval=20)
    timer.timeout.connect(interrupt_choosing)
    timer.start()
    QTimer.singleShot(0, dialog, dialog._choose)
"""
NO_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


def output(use: str, folder: Path, number: int) -> str:
    words = [sys.executable, "-c", SCRIPT % use.strip(), str(folder), str(number)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "can't be used" in done.stderr
    return done.stdout


@pytest.fixture
def unusable(tmp_path: Path) -> Path:
    """A data folder whose path is taken by a file."""
    taken = tmp_path / "data"
    taken.write_text("not a folder")
    return taken


@NO_WINDOWS
@pytest.mark.parametrize("use", [SIGNAL, SIGNAL_WHILE_CHOOSING], ids=["dialog", "choosing"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 128 + signal.SIGINT)])
def test_a_signal_ends_the_program_that_shows_why_its_folder_cannot_be_used(
    unusable: Path, use: str, number: int, code: int
) -> None:
    assert output(use, unusable, number) == f"code {code}\n"


def test_quitting_the_dialog_ends_the_program_with_an_error(unusable: Path) -> None:
    assert output("QTimer.singleShot(0, dialog, dialog.reject)", unusable, 0) == "code 1\n"
