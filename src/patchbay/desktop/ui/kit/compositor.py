"""Whether the screen blends translucent windows. Without that, what should be see-through is black."""

import ctypes
import ctypes.util

from PySide6.QtGui import QGuiApplication


def blends_windows() -> bool:
    """False on an X11 screen that no compositor manages; every other platform blends."""
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        return _has_compositor(ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6"))
    except OSError:
        return True


def _has_compositor(xlib: ctypes.CDLL) -> bool:
    """Whether anybody owns the selection that a compositor takes (EWMH, `_NET_WM_CM_Sn`)."""
    xlib.XOpenDisplay.restype = ctypes.c_void_p
    xlib.XInternAtom.restype = ctypes.c_ulong
    xlib.XGetSelectionOwner.restype = ctypes.c_ulong
    display = ctypes.c_void_p(xlib.XOpenDisplay(None))
    if not display:
        return True
    try:
        name = f"_NET_WM_CM_S{xlib.XDefaultScreen(display)}".encode()
        atom = ctypes.c_ulong(xlib.XInternAtom(display, name, 0))
        return bool(xlib.XGetSelectionOwner(display, atom))
    finally:
        xlib.XCloseDisplay(display)
