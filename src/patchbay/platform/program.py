"""The command that starts this program again: for further windows, and at login."""

import os
import sys
from pathlib import Path

_NO_CURRENT_FOLDER = "-P"


def program_command() -> tuple[str, ...]:
    """This program without arguments, as it was started itself.

    Packages start it with an interpreter of their own, isolated from the user's Python packages (`-I`); so is
    the program that this command starts. An AppImage is mounted at another place at each start, so it is
    started by its file. On Windows, no console opens.
    """
    if image := os.environ.get("APPIMAGE"):
        return (image,)
    return (*python_command(), "-m", "patchbay")


def python_command() -> tuple[str, ...]:
    """The interpreter of this program, as it was started itself, for one of its modules.

    It never imports from the current folder, where anyone's `json.py` could lie.
    """
    python = Path(sys.executable)
    without_console = python.with_name("pythonw.exe")
    if sys.platform == "win32" and without_console.exists():
        python = without_console
    isolation = "-I" if sys.flags.isolated else _NO_CURRENT_FOLDER
    return (str(python), isolation)
