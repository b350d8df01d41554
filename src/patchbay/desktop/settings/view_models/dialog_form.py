"""A form in a dialog: what is sent once, what is wrong with it, and the answer."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.desktop.tasks.task import Work
from patchbay.domain.errors import AppError, ValidationFailed


class DialogForm(QObject):
    """`wrong` has what to correct, by field; `error` what went wrong otherwise. `done` carries the answer,
    which is not kept: it may hold a secret that is shown once.
    """

    changed = Signal()
    done = Signal(object)
    fields: tuple[str, ...] = ()
    """The wire names of the fields that the dialog shows."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.busy = False
        self.error: AppError | None = None
        self.wrong: Mapping[str, str] = {}
        self._slot = Latest(services.tasks, self)

    def _refuse(self, wrong: Mapping[str, str]) -> bool:
        """Show what is to be corrected; True when there is something."""
        self.wrong, self.error = wrong, None
        self.changed.emit()
        return bool(wrong)

    def _send(self, work: Work) -> None:
        self.busy, self.error, self.wrong = True, None, {}
        self._slot.ask(work, done=self._answered, failed=self._failed)
        self.changed.emit()

    def _answered(self, answer: Any) -> None:
        self.busy = False
        self.changed.emit()
        self.done.emit(answer)

    def _failed(self, error: AppError) -> None:
        told = error.fields() if isinstance(error, ValidationFailed) else {}
        self.wrong = {key: _sentence(words) for key, words in told.items() if key in self.fields}
        self.error = None if self.wrong else error
        self.busy = False
        self.changed.emit()


def _sentence(words: list[str]) -> str:
    text = " ".join(words).strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")
