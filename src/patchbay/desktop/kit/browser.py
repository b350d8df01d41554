"""The system browser."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_in_browser(address: str) -> bool:
    """Open a web address; False when it is none, or when no browser could be started.

    Addresses that a service elsewhere tells may be of files and programs: those are not opened.
    """
    url = QUrl(address)
    return url.scheme() in ("http", "https") and QDesktopServices.openUrl(url)
