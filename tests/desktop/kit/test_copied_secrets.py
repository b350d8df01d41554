"""A secret that was copied doesn't stay on the clipboard."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from patchbay.desktop.kit.secret_fields import copy_text

app = QApplication([])
clipboard = QApplication.clipboard()
copy_text("hunter2", secret=True)
if sys.argv[1:] == ["replaced"]:
    clipboard.setText("something else")
QTimer.singleShot(0, app.quit)
app.exec()
print(clipboard.text())
"""


@pytest.mark.parametrize(("how", "left"), [("kept", ""), ("replaced", "something else")])
def test_it_is_removed_when_the_program_ends_unless_something_has_replaced_it(how: str, left: str):
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, how],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ended.stdout == f"{left}\n"
