"""View-models of the connection dialog: browser sign-in, form values, errors, and submission."""

from collections.abc import Callable, Coroutine, Iterable
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.keyring_prompt import KeyringWatcher
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.base import AppKey, ConnectionId, Json, JsonObject
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection, SignIn, changed_destinations
from patchbay.domain.errors import (
    AppError,
    DifferentAccount,
    NotFound,
    SecretsUnavailable,
    ThirdPartyError,
    ValidationFailed,
)
from patchbay.domain.fields import (
    CA_CERTIFICATE,
    TRUSTED_CERTIFICATE,
    AuthField,
    is_empty,
    is_visible,
    validate_auth_values,
)
from patchbay.domain.remote_options import UntrustedCertificate


def labels_text(fields: Iterable[AuthField]) -> str:
    """The labels of fields in a sentence: "Host and Password"."""
    labels = [field.label for field in fields]
    text = "".join(labels[:1])
    for label in labels[1:]:
        text = tr("{first} and {second}", first=text, second=label)
    return text


OpenUrl = Callable[[str], bool]
"""Open an address in the system browser; False if there is none."""


class BrowserSignIn(QObject):
    """A browser sign-in, one at a time. Nothing is stored before `signed_in`.

    The browser opens automatically, unless a code or a notice has to be shown first.
    """

    changed = Signal()
    signed_in = Signal(object)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, services: Services, open_url: OpenUrl, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._backend = services.backend
        self._open_url = open_url
        self.pending_sign_in: SignIn | None = None
        self.opened: bool | None = None
        """Whether the browser could be opened; None before the first attempt."""
        self.callback_received = False
        """Whether the final address was submitted, so that only verification is left."""
        self.pasting = False
        self.paste_problem = ""
        self._task: Task | None = None

    @property
    def seconds_left(self) -> int:
        """Return the seconds left until the sign-in times out."""
        return (
            max(0, (self.pending_sign_in.expires_at - self._services.clock()) // 1000)
            if self.pending_sign_in
            else 0
        )

    def begin(self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None) -> None:
        """Start the sign-in, open the browser, and wait for the redirect."""
        self.pending_sign_in = None
        self.opened = None
        self.callback_received = False
        self.pasting, self.paste_problem = False, ""
        work = self._backend.begin_sign_in(app_key, values, connection_id)
        self._task = self._services.tasks.run(self, work, done=self._on_begun, failed=self.failed.emit)
        self._task.cancelled.connect(self.stopped)

    def open_browser(self) -> None:
        """Open the sign-in page, again if needed."""
        if self.pending_sign_in is not None:
            self.opened = self._open_url(self.pending_sign_in.url)
            self.changed.emit()

    def accept_other_account(self) -> None:
        """Continue although the account differs from the previous one."""
        self._wait(accept=True)

    def paste(self, address: str) -> None:
        """Submit the address the browser ended at, if the redirect didn't reach Patchbay."""
        if self.pending_sign_in is None or self.pasting:
            return
        if not address.strip():
            self._on_paste_rejected(
                ValidationFailed({"address": [tr("Paste the address of the last page.")]})
            )
            return
        self.pasting, self.paste_problem = True, ""
        work = self._backend.submit_callback(self.pending_sign_in.id, address.strip())
        self._services.tasks.run(
            self, work, done=lambda _: self._on_paste_accepted(), failed=self._on_paste_rejected
        )
        self.changed.emit()

    def cancel(self) -> None:
        """Cancel the sign-in; nothing is stored."""
        self._abandon_sign_in()
        if self._task is not None:
            self._task.cancel()
        else:
            self.stopped.emit()

    def _on_begun(self, pending_sign_in: SignIn) -> None:
        self.pending_sign_in = pending_sign_in
        if pending_sign_in.device is None and pending_sign_in.notice is None:
            self.opened = self._open_url(pending_sign_in.url)
        self._wait(accept=False)

    def _wait(self, *, accept: bool) -> None:
        if self.pending_sign_in is None:
            return
        self.callback_received = self.callback_received or accept
        work = self._backend.finish_sign_in(self.pending_sign_in.id, accept_other_account=accept)
        self._task = task = self._services.tasks.run(
            self, work, done=self._on_signed_in, failed=self._on_failed
        )
        task.cancelled.connect(self.stopped)
        task.ended.connect(lambda: self._clear_task(task))
        self.changed.emit()

    def _clear_task(self, task: Task) -> None:
        if self._task is task:
            self._task = None

    def _on_signed_in(self, connection: Connection) -> None:
        self.pending_sign_in = None
        self.signed_in.emit(connection)

    def _on_failed(self, error: AppError) -> None:
        if self.pending_sign_in is None and isinstance(error, NotFound):
            self.stopped.emit()  # given up here
            return
        if not isinstance(error, DifferentAccount):
            self._abandon_sign_in()
        self.failed.emit(error)

    def _abandon_sign_in(self) -> None:
        pending_sign_in, self.pending_sign_in = self.pending_sign_in, None
        if pending_sign_in is not None:  # the form may be closed before the response arrives
            self._services.tasks.run(self._services.notices, self._backend.cancel_sign_in(pending_sign_in.id))

    def _on_paste_accepted(self) -> None:
        self.pasting, self.callback_received = False, True
        self.changed.emit()

    def _on_paste_rejected(self, error: AppError) -> None:
        self.pasting = False
        by_field = error.by_field.values() if isinstance(error, ValidationFailed) else ()
        self.paste_problem = next((words[0] for words in by_field if words), error.text())
        self.changed.emit()


# Form

TRUST_FIELDS = (CA_CERTIFICATE, TRUSTED_CERTIFICATE)


class FormState(StrEnum):
    """States of the dialog."""

    LOADING = "loading"
    EDITING = "editing"
    CHECKING = "checking"
    WAITING = "waiting"
    """Waiting for the sign-in in the browser or with a code."""
    CONFIRMING_ACCOUNT = "asking"
    """The credentials belong to a different account; confirmation is needed."""
    REJECTED = "refused"
    DONE = "done"


class ConnectionFormViewModel(QObject):
    """One open form. With `existing` it is a reconnect: what is not secret is prefilled, and secrets left
    empty keep what is stored, unless a field was changed that decides where they are sent. Nothing is stored
    until the app accepted the values.

    `focus_requested` names the first field with an error after sending the form. `value_set` says that a
    value was changed here rather than by typing.
    """

    changed = Signal()
    value_set = Signal(str, object)
    focus_requested = Signal(str)
    finished = Signal(object)

    def __init__(
        self,
        services: Services,
        app_key: AppKey,
        existing: Connection | None = None,
        parent: QObject | None = None,
        *,
        open_url: OpenUrl = lambda _: False,
    ) -> None:
        super().__init__(parent)
        self.services, self._backend = services, services.backend
        self.app_key, self.existing = app_key, existing
        self.app: AppInfo | None = services.apps.get(app_key)
        self.state = FormState.LOADING
        self.values: JsonObject = {}
        self.messages: dict[str, str] = {}
        self.error: AppError | None = None
        self.where: WorkspaceInfo | None = None
        self.vault = VaultState.NOT_NEEDED
        """Whether the passphrase vault solves the problem with storing credentials."""
        self.open_url = open_url
        self.browser = BrowserSignIn(services, open_url, self)
        self._task: Task | None = None
        self._storage_request = LatestRequest(services.tasks, self)
        services.feed.changed.connect(self._on_change)
        self.keyring = KeyringWatcher(services, self)
        self.keyring.changed.connect(self.changed)
        self.browser.changed.connect(self._on_browser_changed)
        self.browser.signed_in.connect(self._on_accepted)
        self.browser.failed.connect(self._on_failed)
        self.browser.stopped.connect(self._on_stopped)

    # What is shown

    @property
    def name(self) -> str:
        """The name of the app; its key until it is loaded."""
        return self.app.name if self.app else self.app_key

    @property
    def fields(self) -> tuple[AuthField, ...]:
        """All fields, in the app's order; empty while loading."""
        ready = self.state is not FormState.LOADING
        return self.app.auth.fields if ready and self.app and self.app.auth else ()

    @property
    def shown(self) -> tuple[AuthField, ...]:
        """Fields that apply to the current values; the trusted certificate if there is one."""
        return tuple(
            field
            for field in self.fields
            if is_visible(field, self.values)
            and not (field.key == TRUSTED_CERTIFICATE and is_empty(self.values.get(field.key)))
        )

    @property
    def destination_changes(self) -> tuple[AuthField, ...]:
        """Changed fields that set where credentials go; saved ones aren't sent to a new address."""
        return changed_destinations(self.fields, self._preset, self.values) if self.existing else ()

    @property
    def uses_browser(self) -> bool:
        """Whether submitting starts a browser sign-in."""
        return bool(self.app and self.app.auth and self.app.auth.needs_browser(self.values))

    @property
    def busy(self) -> bool:
        """Whether a response is awaited."""
        return self.state in (FormState.CHECKING, FormState.WAITING)

    @property
    def other_account(self) -> DifferentAccount | None:
        """Both accounts, while confirmation of the change is needed."""
        asks = self.state is FormState.CONFIRMING_ACCOUNT
        return self.error if asks and isinstance(self.error, DifferentAccount) else None

    @property
    def dirty(self) -> bool:
        """Whether closing would lose input."""
        preset = self._preset
        return any(
            not is_empty(value) and value != preset.get(key)
            for key, value in self.values.items()
            if self.state is not FormState.DONE
        )

    # Commands

    def load(self) -> None:
        """Load the app's fields and where secrets are stored."""
        self.services.apps.detail(self.app_key, self._on_loaded, self._on_load_failed, owner=self)
        self.load_storage()

    def load_storage(self) -> None:
        """Load where secrets are stored, or why they can't be."""
        self._storage_request.run(self._backend.info(), done=self._on_info_loaded, failed=lambda _: None)

    def set_value(self, key: str, value: Json) -> None:
        """Update a value and clear its message; other fields may appear or disappear."""
        before = self.shown, self.uses_browser, self.destination_changes
        self.values[key] = value
        if self.destination_changes and not before[2] and key not in TRUST_FIELDS:
            self._clear_trust()
        message = self.messages.pop(key, None)
        if message is not None or (self.shown, self.uses_browser, self.destination_changes) != before:
            self.changed.emit()

    def check(self, key: str) -> None:
        """Validate a field when it loses the focus, never while typing."""
        found = self._problems().get(key)
        if found and self.messages.get(key) != found:
            self.messages[key] = found
            self.changed.emit()

    def set_message(self, key: str, words: str) -> None:
        """Show an error at a field."""
        self.messages[key] = words
        self.changed.emit()

    def submit(self) -> None:
        """Verify the values, or start the browser sign-in; store the connection on success."""
        if self.busy or not self.fields:
            return
        self.messages, self.error = self._problems(), None
        if self.messages:
            self._set(FormState.EDITING)
            self._focus_first_message()
        elif self.uses_browser:
            self._set(FormState.CHECKING)
            self.browser.begin(self.app_key, self._entered(), self.existing.id if self.existing else None)
        else:
            self._verify(accept=False)

    def accept_other_account(self) -> None:
        """Confirm that the connection switches to the new account."""
        if self.state is not FormState.CONFIRMING_ACCOUNT:
            return
        self.error = None
        if self.browser.pending_sign_in is not None:
            self._set(FormState.WAITING)
            self.browser.accept_other_account()
        else:
            self._verify(accept=True)

    def trust_certificate(self) -> None:
        """Trust exactly the rejected certificate and try again."""
        if self.state is not FormState.REJECTED or not isinstance(self.error, UntrustedCertificate):
            return
        host, others = self.error.host, str(self.values.get(TRUSTED_CERTIFICATE) or "").split("; ")
        kept = [pin for pin in others if pin and pin.rpartition(" ")[0] != host]
        self._fill_field(
            TRUSTED_CERTIFICATE, "; ".join([*kept, f"{host} {self.error.certificate.fingerprint}"])
        )
        self.submit()

    def cancel(self) -> None:
        """Cancel a running check; nothing is stored."""
        if self._task is not None:
            self._task.cancel()
        elif self.state in (FormState.CHECKING, FormState.WAITING, FormState.CONFIRMING_ACCOUNT):
            self.browser.cancel()

    # How it is kept

    def _clear_trust(self) -> None:
        """Remove the trusted certificate, which was for the previous address."""
        for key in TRUST_FIELDS:
            if not is_empty(self.values.get(key)):
                self._fill_field(key, "")

    def _fill_field(self, key: str, value: Json) -> None:
        self.values[key] = value
        self.value_set.emit(key, value)
        self.changed.emit()

    @property
    def _preset(self) -> JsonObject:
        known = self.existing.formatted_data if self.existing else {}
        return {field.key: known.get(field.key, field.value) for field in self.fields}

    def _problems(self) -> dict[str, str]:
        found = validate_auth_values(self.fields, self.values)
        keeps_stored = self.existing is not None and not self.destination_changes
        kept = {field.key for field in self.fields if keeps_stored and field.is_secret}
        return {key: messages[0] for key, messages in found.items() if key not in kept}

    def _entered(self) -> JsonObject:
        """Return the values to send.

        When reconnecting, an empty secret keeps the saved one, unless a changed field sets where it is sent.
        """
        secrets = {field.key for field in self.shown if field.is_secret and not field.read_only}
        values: JsonObject = dict.fromkeys(secrets, "") if self.destination_changes else {}
        values |= {
            field.key: self.values[field.key]
            for field in self.fields
            if is_visible(field, self.values) and field.key in self.values
        }
        empty = bool(self.destination_changes), self.existing is not None
        return {
            key: value for key, value in values.items() if not is_empty(value) or empty[key not in secrets]
        }

    def _verify(self, *, accept: bool) -> None:
        self._set(FormState.CHECKING)
        work = self._work(accept=accept)
        self._task = task = self.services.tasks.run(
            self, work, done=self._on_accepted, failed=self._on_failed
        )
        task.cancelled.connect(self._on_stopped)
        task.ended.connect(self._clear_task)

    def _work(self, *, accept: bool) -> Coroutine[Any, Any, Connection]:
        if self.existing is None:
            return self._backend.add_connection(self.app_key, self._entered())
        return self._backend.reconnect(self.existing.id, self._entered(), accept_other_account=accept)

    def _clear_task(self) -> None:
        self._task = None

    def _on_loaded(self, app: AppInfo) -> None:
        self.app = app
        self.state = FormState.EDITING
        self.values = {key: value for key, value in self._preset.items() if value is not None}
        self.changed.emit()

    def _on_load_failed(self, error: AppError) -> None:
        self.error = error
        self._set(FormState.REJECTED)

    def _on_change(self, change: Change) -> None:
        if change.noun is ResourceType.WORKSPACE:
            self.load_storage()

    def _on_info_loaded(self, info: WorkspaceInfo) -> None:
        had_problem = self.where is not None and self.where.secrets_problem is not None
        self.where = info
        if info.secrets_problem and self.services.vault is not None:
            self._storage_request.run(
                self.services.vault.state(), done=self._on_vault_read, failed=lambda _: None
            )
        is_solved = had_problem and not info.secrets_problem
        if is_solved and self.state is FormState.REJECTED and isinstance(self.error, SecretsUnavailable):
            self.error = None
            self._set(FormState.EDITING)
        else:
            self.changed.emit()

    def _on_vault_read(self, vault: VaultState) -> None:
        self.vault = vault
        self.changed.emit()

    def _on_browser_changed(self) -> None:
        self._set(FormState.WAITING if self.browser.pending_sign_in is not None else self.state)

    def _on_stopped(self) -> None:
        self.error = None
        self._set(FormState.EDITING)

    def _on_accepted(self, made: Connection) -> None:
        self._set(FormState.DONE)
        self.finished.emit(made)

    def _on_failed(self, error: AppError) -> None:
        self.error = error
        if isinstance(error, DifferentAccount):
            self._set(FormState.CONFIRMING_ACCOUNT)
            return
        if isinstance(error, SecretsUnavailable):
            self.load_storage()
        self.messages = self._messages_of(error)
        self._set(FormState.REJECTED)
        self._focus_first_message()

    def _messages_of(self, error: AppError) -> dict[str, str]:
        """Return errors by field; rejected credentials are shown at the only secret, if there is just one."""
        if isinstance(error, ValidationFailed):
            keys = {field.key for field in self.shown}
            return {key: words[0] for key, words in error.by_field.items() if key in keys and words}
        secrets = [field.key for field in self.shown if field.is_secret and not field.read_only]
        is_rejected = isinstance(error, ThirdPartyError) and error.rejects_credentials
        if not is_rejected or len(secrets) != 1 or self.uses_browser:
            return {}
        if is_empty(self.values.get(secrets[0])):
            advice = tr("Enter the current value.")
        else:
            advice = tr("Reveal it to check what you entered.")
        return {secrets[0]: f"{error.happened} {advice}"}

    def _focus_first_message(self) -> None:
        first = next((field.key for field in self.shown if field.key in self.messages), None)
        if first is not None:
            self.focus_requested.emit(first)

    def _set(self, state: FormState) -> None:
        self.state = state
        self.keyring.watch(state is FormState.CHECKING)
        self.changed.emit()
