"""All types of PySide exist before there is a second thread."""

import os
import subprocess
import sys

RACE = """
import sys, threading
import patchbay.cli.window
from PySide6 import QtCore, QtGui, QtWidgets

def touch_all(names):
    for name in names:
        getattr(QtWidgets, name, None)

sys.setswitchinterval(1e-6)
names = [f"Q{word}" for word in sys.argv[1:]]
threads = [threading.Thread(target=touch_all, args=(each,)) for each in (names, names[::-1])]
missing = [name for name in names if name not in vars(QtWidgets)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(missing)
"""
TYPES = ("Wizard", "MdiArea", "LCDNumber", "CalendarWidget", "ColorDialog", "Dial", "UndoView", "ToolBox")


def test_threads_find_types_that_were_never_used() -> None:
    """Types that are made when they are first used, by two threads at once, are a segmentation fault."""
    unset = {name: value for name, value in os.environ.items() if name != "PYSIDE6_OPTION_LAZY"}
    command = [sys.executable, "-c", RACE, *TYPES]
    done = subprocess.run(command, env=unset, capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
