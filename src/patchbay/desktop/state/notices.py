"""Short messages at the bottom of the window (toasts)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

from patchbay.domain.errors import AppError


@dataclass(frozen=True)
class Notice:
    """One message; with `undo` or `show` it carries that button and stays ten seconds instead of six."""

    text: str
    undo: Callable[[], None] | None = None
    show: Callable[[], None] | None = None
    """Leads to what the message is about."""
    severity: Literal["info", "error"] = "info"
    details: str = ""


class Notices(QObject):
    """Where view-models post messages; the main window shows them, one at a time."""

    posted = Signal(object)

    def post(
        self,
        text: str,
        *,
        undo: Callable[[], None] | None = None,
        show: Callable[[], None] | None = None,
    ) -> None:
        self.posted.emit(Notice(text, undo, show))

    def failed(self, error: AppError) -> None:
        """Tell of an error that has no better place on the screen."""
        self.posted.emit(Notice(error.text(), severity="error"))
