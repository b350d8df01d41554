"""The server page of the settings: addresses of the server, their test, outgoing addresses, and invitation
mail.
"""

import asyncio
import re
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.backend import Backend, Feature, WorkspaceInfo
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.hosting import AddressTest, ServiceSettings
from patchbay.domain.outgoing import OutgoingMode

MAIL_APP = AppKey("smtp")
INVALID_ADDRESS_MESSAGE = tr("Enter an address such as https://flows.example.org.")

HostingData = tuple[WorkspaceInfo, ServiceSettings | None, tuple[Connection, ...]]


class HostingViewModel(ScreenViewModel):
    """The settings of the server.

    `previous_settings` is what the last change replaced, for `undo`. `address_error` is the error of the
    address, and `allowed_addresses_error` that of the addresses that are never blocked.
    """

    changed = Signal()

    reloads_on = (ResourceType.WORKSPACE, ResourceType.CONNECTION)

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(services, parent)
        self.services = services
        self.info: WorkspaceInfo | None = None
        self.settings: ServiceSettings | None = None
        self.mail: tuple[Connection, ...] = ()
        self.previous_settings: ServiceSettings | None = None
        self.test: AddressTest | None = None
        self.testing = False
        self.busy = False
        self.address_error, self.allowed_addresses_error = "", ""
        self.test_error: AppError | None = None
        self._test_task: Task | None = None
        self._save_request = LatestRequest(services.tasks, self)
        self.failed.connect(self.changed)

    @property
    def unavailable_reason(self) -> str | None:
        """Why the public address can't be changed here; None if it can."""
        return self._backend.capabilities.reason(Feature.ADDRESS)

    @property
    def docs(self) -> str | None:
        """The URL of the API's documentation."""
        return self._interface_url("docs")

    @property
    def openapi(self) -> str | None:
        """The URL of the OpenAPI document."""
        return self._interface_url("openapi.json")

    @property
    def redirect_address(self) -> str | None:
        """The redirect URL of sign-ins, to enter at third parties."""
        return self._public_url("oauth/callback")

    @property
    def webhook_base(self) -> str | None:
        """The prefix of webhook addresses."""
        return self._public_url("webhooks/")

    def _read(self) -> None:
        self._load_request.run(
            _read(self._backend, self.unavailable_reason is None),
            done=self._on_loaded,
            failed=self._on_load_failed,
        )

    def save_address(self, text: str) -> None:
        """Set the public address; empty: the one that the server listens on."""
        address = normalize_address(text)
        if address is None:
            self._show_address_error(INVALID_ADDRESS_MESSAGE)
        elif self.settings is not None:
            self._change(self.settings.model_copy(update={"public_address": address or None}))

    def set_mail_connection(self, connection_id: ConnectionId | None) -> None:
        """Set the connection that invitations are mailed with; None: only show their links."""
        if self.settings is not None:
            self._change(self.settings.model_copy(update={"mail_connection_id": connection_id}))

    def set_outgoing_mode(self, mode: OutgoingMode) -> None:
        """Set whose flows can't connect to addresses inside the network."""
        if self.settings is not None:
            self._change(self.settings.model_copy(update={"outgoing_addresses": mode}))

    def set_allowed_addresses(self, text: str) -> None:
        """Set the addresses that are never blocked, separated by commas, spaces, or line breaks."""
        if self.settings is not None:
            entries = tuple(re.split(r"[\s,;]+", text.strip())) if text.strip() else ()
            self._change(self.settings.model_copy(update={"allowed_addresses": entries}))

    def undo(self) -> None:
        """Restore the settings from before the last change."""
        if self.previous_settings is not None:
            self._change(self.previous_settings, undo=True)

    def run_test(self, text: str) -> None:
        """Test whether requests to this address arrive; empty: the current address."""
        address = normalize_address(text)
        if address is None:
            self._show_address_error(INVALID_ADDRESS_MESSAGE)
            return
        self.testing = True
        self.test = None
        self.test_error = None
        self.address_error = ""
        self._test_task = self.services.tasks.run(
            self,
            self._backend.test_public_address(address or None),
            done=self._on_tested,
            failed=self._on_test_failed,
        )
        self._test_task.ended.connect(self._on_test_ended)
        self.changed.emit()

    def stop_test(self) -> None:
        """Cancel the test of the address."""
        if self._test_task is not None:
            self._test_task.cancel()

    def _interface_url(self, path: str) -> str | None:
        base = self.info.address if self.info else None
        return f"{base.rstrip('/')}/{path}" if base else None

    def _public_url(self, path: str) -> str | None:
        base = self.info.webhook_address if self.info else None
        return f"{base.rstrip('/')}/{path}" if base else None

    def _show_address_error(self, words: str) -> None:
        self.address_error = words
        self.changed.emit()

    def _change(self, settings: ServiceSettings, *, undo: bool = False) -> None:
        if settings == self.settings:
            return
        previous_settings = None if undo else self.settings

        def done(result: tuple[ServiceSettings, WorkspaceInfo]) -> None:
            self.settings, self.info = result
            self.previous_settings, self.busy = previous_settings, False
            self.changed.emit()

        self.busy = True
        self.error = None
        self.address_error = ""
        self.allowed_addresses_error = ""
        self.test = None
        self._save_request.run(_write(self._backend, settings), done=done, failed=self._on_write_failed)
        self.changed.emit()

    def _on_write_failed(self, error: AppError) -> None:
        field_errors = error.fields() if isinstance(error, ValidationFailed) else {}
        self.busy = False
        self.address_error = " ".join(field_errors.get("publicAddress", ()))
        self.allowed_addresses_error = " ".join(field_errors.get("allowedAddresses", ()))
        self.error = None if self.address_error or self.allowed_addresses_error else error
        self.changed.emit()

    def _on_tested(self, test: AddressTest) -> None:
        self.test = test

    def _on_test_failed(self, error: AppError) -> None:
        self.test_error = error

    def _on_test_ended(self) -> None:
        self.testing, self._test_task = False, None
        self.changed.emit()

    def _on_loaded(self, result: HostingData) -> None:
        self.info, self.settings, self.mail = result
        self.loaded, self.error = True, None
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        if not self.busy:
            super()._on_change(change)


def normalize_address(text: str) -> str | None:
    """Parse a base address, without a trailing slash; "" if empty, None if invalid."""
    typed = text.strip()
    if not typed:
        return ""
    typed = (typed if "://" in typed else f"https://{typed}").rstrip("/")
    try:
        parts = urlsplit(typed)
        is_valid_port = parts.port is None or parts.port > 0
    except ValueError:
        return None
    has_no_extras = not (
        parts.query or parts.fragment or parts.username or any(char.isspace() for char in typed)
    )
    return (
        typed
        if parts.scheme in ("http", "https") and parts.hostname and has_no_extras and is_valid_port
        else None
    )


async def _read(backend: Backend, can_change: bool) -> HostingData:
    if not can_change:
        return await backend.info(), None, ()
    info, settings, mail = await asyncio.gather(
        backend.info(), backend.service_settings(), backend.list_connections(MAIL_APP)
    )
    return info, settings, mail


async def _write(backend: Backend, settings: ServiceSettings) -> tuple[ServiceSettings, WorkspaceInfo]:
    """Apply the settings, and reload the addresses that result."""
    written = await backend.change_service_settings(settings)
    return written, await backend.info()
