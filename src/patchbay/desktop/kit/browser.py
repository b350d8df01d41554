"""The system browser."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_in_browser(address: str) -> bool:
    """Open a web address; False if it isn't one, or no browser could be started.

    Addresses from servers can refer to files and programs, which aren't opened.
    """
    url = QUrl(address)
    return url.scheme() in ("http", "https") and QDesktopServices.openUrl(url)
