"""Short notices at the bottom of the window."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

from patchbay.domain.errors import AppError


@dataclass(frozen=True)
class Notice:
    """A notice; an error, or one with a button (`undo`, `show`), stays for 10 seconds instead of 6."""

    text: str
    undo: Callable[[], None] | None = None
    show: Callable[[], None] | None = None
    """Called by the Show button."""
    severity: Literal["info", "error"] = "info"
    details: str = ""
    subject: object = None
    """What the notice is about: a later one with the same subject replaces it, as its Undo would be outdated.
    """

    @property
    def has_action(self) -> bool:
        """Whether the notice has a button: Undo or Show."""
        return self.undo is not None or self.show is not None

    @property
    def is_transient(self) -> bool:
        """Whether the next notice may replace it before its time is over."""
        return not self.has_action and self.severity != "error"


class Notices(QObject):
    """Where view-models post messages; the main window shows them."""

    posted = Signal(object)

    def post(
        self,
        text: str,
        *,
        undo: Callable[[], None] | None = None,
        show: Callable[[], None] | None = None,
        subject: object = None,
    ) -> None:
        """Show a notice, with a button if there is something to undo or to show."""
        self.posted.emit(Notice(text, undo, show, subject=subject))

    def failed(self, error: AppError) -> None:
        """Show an error that has no better place on the screen."""
        self.posted.emit(Notice(error.text(), severity="error"))
