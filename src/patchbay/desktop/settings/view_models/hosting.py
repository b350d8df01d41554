"""How a workspace is reached: where it listens, its public address and the test of it, how mail is sent."""

import asyncio
import re
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Latest, Task
from patchbay.domain.backend import Backend, Feature, WorkspaceInfo
from patchbay.domain.base import ConnectionId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.hosting import AddressTest, ServiceSettings
from patchbay.domain.outgoing import OutgoingMode

MAIL_APP = "smtp"
WRONG_ADDRESS = "Enter an address such as https://flows.example.org."

Answer = tuple[WorkspaceInfo, ServiceSettings | None, tuple[Connection, ...]]


class HostingViewModel(QObject):
    """`before` is what the last change replaced, for `undo`; `wrong` is what is wrong with the address, and
    `wrong_allowed` with the list of addresses that are never blocked.
    """

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.services, self._backend = services, services.backend
        self.info: WorkspaceInfo | None = None
        self.settings: ServiceSettings | None = None
        self.mail: tuple[Connection, ...] = ()
        self.before: ServiceSettings | None = None
        self.test: AddressTest | None = None
        self.testing = False
        self.busy = False
        self.wrong, self.wrong_allowed = "", ""
        self.error: AppError | None = None
        self.test_error: AppError | None = None
        self._running: Task | None = None
        self._reading, self._writing = Latest(services.tasks, self), Latest(services.tasks, self)
        services.feed.changed.connect(self._on_change)

    @property
    def missing(self) -> str | None:
        """Why the public address cannot be set here; None when it can."""
        return self._backend.capabilities.reason(Feature.ADDRESS)

    @property
    def docs(self) -> str | None:
        """The page that describes the interface."""
        return self._under("docs")

    @property
    def openapi(self) -> str | None:
        return self._under("openapi.json")

    @property
    def redirect_address(self) -> str | None:
        """What app consoles are told as the place a sign-in comes back to."""
        return self._public("oauth/callback")

    @property
    def webhook_base(self) -> str | None:
        """What the addresses of webhooks begin with."""
        return self._public("webhooks/")

    def load(self) -> None:
        self._reading.ask(_read(self._backend, self.missing is None), done=self._read, failed=self._failed)

    def save_address(self, text: str) -> None:
        """Tell others this address from now on; empty: the one it listens on."""
        address = public_address(text)
        if address is None:
            self._refuse(WRONG_ADDRESS)
        elif self.settings is not None:
            self._change(self.settings.model_copy(update={"public_address": address or None}))

    def send_mail_with(self, connection_id: ConnectionId | None) -> None:
        """Mail invitations with this connection; None: only show their links."""
        if self.settings is not None:
            self._change(self.settings.model_copy(update={"mail_connection_id": connection_id}))

    def block_for(self, mode: OutgoingMode) -> None:
        """From now on these are kept from addresses inside the network."""
        if self.settings is not None:
            self._change(self.settings.model_copy(update={"outgoing_addresses": mode}))

    def allow_addresses(self, text: str) -> None:
        """Never block these: entries with commas, spaces or line ends between."""
        if self.settings is not None:
            entries = tuple(re.split(r"[\s,;]+", text.strip())) if text.strip() else ()
            self._change(self.settings.model_copy(update={"allowed_addresses": entries}))

    def undo(self) -> None:
        """As it was before the last change."""
        if self.before is not None:
            self._change(self.before, undo=True)

    def run_test(self, text: str) -> None:
        """Call the address as typed (empty: the one that holds now) and see whether the calls arrive."""
        address = public_address(text)
        if address is None:
            self._refuse(WRONG_ADDRESS)
            return
        self.testing, self.test, self.test_error, self.wrong = True, None, None, ""
        self._running = self.services.tasks.run(
            self, self._backend.test_public_address(address or None),
            done=self._tested, failed=self._not_tested,
        )  # fmt: skip
        self._running.ended.connect(self._test_ended)
        self.changed.emit()

    def stop_test(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def _under(self, path: str) -> str | None:
        base = self.info.address if self.info else None
        return f"{base.rstrip('/')}/{path}" if base else None

    def _public(self, path: str) -> str | None:
        base = self.info.webhook_address if self.info else None
        return f"{base.rstrip('/')}/{path}" if base else None

    def _refuse(self, words: str) -> None:
        self.wrong = words
        self.changed.emit()

    def _change(self, settings: ServiceSettings, *, undo: bool = False) -> None:
        if settings == self.settings:
            return
        before = None if undo else self.settings

        def done(answer: tuple[ServiceSettings, WorkspaceInfo]) -> None:
            self.settings, self.info = answer
            self.before, self.busy = before, False
            self.changed.emit()

        self.busy, self.error, self.wrong, self.wrong_allowed, self.test = True, None, "", "", None
        self._writing.ask(_write(self._backend, settings), done=done, failed=self._not_written)
        self.changed.emit()

    def _not_written(self, error: AppError) -> None:
        said = error.fields() if isinstance(error, ValidationFailed) else {}
        self.busy = False
        self.wrong = " ".join(said.get("publicAddress", ()))
        self.wrong_allowed = " ".join(said.get("allowedAddresses", ()))
        self.error = None if self.wrong or self.wrong_allowed else error
        self.changed.emit()

    def _tested(self, test: AddressTest) -> None:
        self.test = test

    def _not_tested(self, error: AppError) -> None:
        self.test_error = error

    def _test_ended(self) -> None:
        self.testing, self._running = False, None
        self.changed.emit()

    def _read(self, answer: Answer) -> None:
        self.info, self.settings, self.mail = answer
        self.error = None
        self.changed.emit()

    def _failed(self, error: AppError) -> None:
        self.error = error
        self.changed.emit()

    def _on_change(self, change: Change) -> None:
        """Somebody else changed it, or a connection came or went."""
        if (
            self.info is not None
            and not self.busy
            and change.noun in (ResourceType.WORKSPACE, ResourceType.CONNECTION)
        ):
            self.load()


def public_address(text: str) -> str | None:
    """A base address from what was typed, without a slash at its end; "" for none, None for nonsense."""
    typed = text.strip()
    if not typed:
        return ""
    typed = (typed if "://" in typed else f"https://{typed}").rstrip("/")
    try:
        parts = urlsplit(typed)
        port_is_one = parts.port is None or parts.port > 0
    except ValueError:
        return None
    plain = not (parts.query or parts.fragment or parts.username or any(sign.isspace() for sign in typed))
    return typed if parts.scheme in ("http", "https") and parts.hostname and plain and port_is_one else None


async def _read(backend: Backend, settable: bool) -> Answer:
    if not settable:
        return await backend.info(), None, ()
    info, settings, mail = await asyncio.gather(
        backend.info(), backend.service_settings(), backend.list_connections(MAIL_APP)
    )
    return info, settings, mail


async def _write(backend: Backend, settings: ServiceSettings) -> tuple[ServiceSettings, WorkspaceInfo]:
    """Put them into effect; the addresses that follow from them are told anew."""
    written = await backend.change_service_settings(settings)
    return written, await backend.info()
