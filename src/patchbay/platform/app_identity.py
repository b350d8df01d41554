"""The identity of the program for the system."""

import ctypes
import sys

APP_ID = "Patchbay.Patchbay"


def set_app_id() -> None:
    """Let the taskbar of Windows group the windows of the program, with its own icon instead of Python's.

    To be called before the first window is shown.
    """
    if sys.platform == "win32":
        ctypes.WinDLL("shell32").SetCurrentProcessExplicitAppUserModelID(ctypes.c_wchar_p(APP_ID))
