"""Finds the programs that Patchbay starts: the Python interpreter, and programs on the search path."""

import os
import shutil
import sys
from pathlib import Path


def python_interpreter() -> Path:
    """The interpreter that runs Patchbay, and not one that only starts it.

    In a virtual environment on Windows, `sys.executable` starts the interpreter as another process, which the
    limits of the first one wouldn't apply to.
    """
    base: str | None = getattr(sys, "_base_executable", None)
    return Path(base if base and sys.platform == "win32" else sys.executable)


def find_program(name: str, search: str | None = None) -> str | None:
    """The path of an installed program. `search` is a list of folders, by default the search path.

    Never one in the current folder, which may hold files of anyone: Windows looks there first.
    """
    places = os.environ.get("PATH", "") if search is None else search
    folders = [folder for folder in places.split(os.pathsep) if os.path.isabs(folder)]
    if sys.platform != "win32":
        return shutil.which(name, path=os.pathsep.join(folders))
    files = (os.path.join(folder, f"{name}.exe") for folder in folders)
    return next((file for file in files if os.path.isfile(file)), None)
