"""The form that makes or renews a connection: values, what is wrong with them, and the answer of the app."""

from collections.abc import Coroutine
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Task
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.base import AppKey, Json, JsonObject
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.fields import AuthField, check_auth_values, is_empty


class FormState(StrEnum):
    LOADING = "loading"
    EDITING = "editing"
    CHECKING = "checking"
    REFUSED = "refused"
    DONE = "done"


class ConnectionFormViewModel(QObject):
    """One open form. With `renew` it is a reconnect: what is not secret is prefilled, and secrets left empty
    keep what is stored. Nothing is stored until the app accepted the values.
    """

    changed = Signal()
    finished = Signal(object)

    def __init__(
        self,
        services: Services,
        app_key: AppKey,
        renew: Connection | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.app_key, self.renew = app_key, renew
        self.app: AppInfo | None = services.apps.get(app_key)
        self.state = FormState.LOADING
        self.values: JsonObject = {}
        self.messages: dict[str, str] = {}
        self.refusal: AppError | None = None
        self.kept_where = ""
        self._task: Task | None = None

    @property
    def fields(self) -> tuple[AuthField, ...]:
        """The inputs, in the app's order; none while they are being read."""
        ready = self.state is not FormState.LOADING
        return self.app.auth.fields if ready and self.app and self.app.auth else ()

    @property
    def dirty(self) -> bool:
        """Whether closing would lose something typed."""
        return any(
            not is_empty(self.values.get(key)) and self.values[key] != value
            for key, value in self._preset.items()
        )

    def load(self) -> None:
        """Read the app's fields and where secrets are kept."""
        self._services.apps.detail(self.app_key, self._loaded, self._not_loaded)
        self._services.tasks.run(self, self._backend.info(), done=self._told_where)

    def set_value(self, key: str, value: Json) -> None:
        """A field was edited; its message goes, others stay."""
        self.values[key] = value
        if self.messages.pop(key, None) is not None:
            self.changed.emit()

    def check(self, key: str) -> None:
        """A field was left: say what is wrong with it, never while typing."""
        found = self._problems().get(key)
        if found and self.messages.get(key) != found:
            self.messages[key] = found
            self.changed.emit()

    def submit(self) -> None:
        """Ask the app whether it accepts the values; on success the connection is stored."""
        if self.state is FormState.CHECKING:
            return
        self.messages, self.refusal = self._problems(), None
        if self.messages:
            self._set(FormState.EDITING)
            return
        self._set(FormState.CHECKING)
        self._task = self._services.tasks.run(self, self._work(), done=self._accepted, failed=self._refused)
        self._task.cancelled.connect(lambda: self._set(FormState.EDITING))

    def cancel(self) -> None:
        """Stop waiting for the app's answer; nothing is stored."""
        if self._task is not None:
            self._task.cancel()

    @property
    def _preset(self) -> JsonObject:
        known = self.renew.formatted_data if self.renew else {}
        return {field.key: known.get(field.key, field.value) for field in self.fields}

    def _problems(self) -> dict[str, str]:
        found = check_auth_values(self.fields, self.values)
        kept = {field.key for field in self.fields if self.renew and field.is_secret}
        return {key: messages[0] for key, messages in found.items() if key not in kept}

    def _work(self) -> Coroutine[Any, Any, Connection]:
        entered = {key: value for key, value in self.values.items() if not is_empty(value)}
        if self.renew:
            return self._backend.reconnect(self.renew.id, entered)
        return self._backend.add_connection(self.app_key, entered)

    def _loaded(self, app: AppInfo) -> None:
        self.app = app
        self.state = FormState.EDITING
        self.values = {key: value for key, value in self._preset.items() if value is not None}
        self.changed.emit()

    def _not_loaded(self, error: AppError) -> None:
        self.refusal = error
        self._set(FormState.REFUSED)

    def _told_where(self, info: WorkspaceInfo) -> None:
        self.kept_where = info.secrets_problem or info.secrets_kept
        self.changed.emit()

    def _accepted(self, made: Connection) -> None:
        self._set(FormState.DONE)
        self.finished.emit(made)

    def _refused(self, error: AppError) -> None:
        self.refusal = error
        if isinstance(error, ValidationFailed):
            keys = {field.key for field in self.fields}
            self.messages = {key: words[0] for key, words in error.by_field.items() if key in keys and words}
        self._set(FormState.REFUSED)

    def _set(self, state: FormState) -> None:
        self.state = state
        self.changed.emit()
