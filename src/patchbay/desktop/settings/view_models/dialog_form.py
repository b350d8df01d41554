"""A form in a dialog that is submitted once: its field errors and its result."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest
from patchbay.desktop.tasks.task import Work
from patchbay.domain.errors import AppError, ValidationFailed


class DialogForm(QObject):
    """The state of a form. `field_errors` has messages by field, `error` any other error.

    `done` carries the result, which isn't stored: it may hold a secret that is shown once.
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
        self.field_errors: Mapping[str, str] = {}
        self._request = LatestRequest(services.tasks, self)

    def _show_field_errors(self, field_errors: Mapping[str, str]) -> bool:
        """Show the field errors; returns whether there are any."""
        self.field_errors, self.error = field_errors, None
        self.changed.emit()
        return bool(field_errors)

    def _submit(self, work: Work) -> None:
        self.busy = True
        self.error = None
        self.field_errors = {}
        self._request.run(work, done=self._on_succeeded, failed=self._on_failed)
        self.changed.emit()

    def _on_succeeded(self, response: Any) -> None:
        self.busy = False
        self.changed.emit()
        self.done.emit(response)

    def _on_failed(self, error: AppError) -> None:
        by_field = error.fields() if isinstance(error, ValidationFailed) else {}
        self.field_errors = {
            key: _sentence(messages) for key, messages in by_field.items() if key in self.fields
        }
        self.error = None if self.field_errors else error
        self.busy = False
        self.changed.emit()


def _sentence(messages: list[str]) -> str:
    text = " ".join(messages).strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")
