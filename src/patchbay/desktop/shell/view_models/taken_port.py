"""Whether another program uses the port of webhooks, for the bar below the header."""

from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.taken_port import ListenAccess, TakenPort
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Backend
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.flows import Flow, FlowFilter, FlowStatus
from patchbay.domain.paging import read_all_pages


class TakenPortViewModel(QObject):
    """What the bar about the port says; nothing unless flows with webhooks or forms are published."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._request = LatestRequest(services.tasks, self)
        self._message = self._dismissed = ""

    def start(self) -> None:
        """Start following which flows are published, if this window listens for their webhooks."""
        if self._services.listening is not None:
            self._services.feed.changed.connect(self._on_change)
            self._refresh(self._services.listening)

    def dismiss(self) -> None:
        """Hide the bar until another port is used."""
        self._dismissed = self._message
        self.changed.emit()

    @property
    def warning(self) -> str:
        """What the bar says; empty if all is as usual, or the bar was dismissed."""
        return "" if self._message == self._dismissed else self._message

    def _on_change(self, change: Change) -> None:
        listening = self._services.listening
        if listening is not None and change.noun in (ResourceType.FLOW, ResourceType.WORKSPACE):
            self._refresh(listening)

    def _refresh(self, listening: ListenAccess) -> None:
        search = _describe_taken_port(listening, self._services.backend)
        self._request.run(search, done=self._on_described, failed=lambda _: None)

    def _on_described(self, message: str) -> None:
        self._message = message
        self.changed.emit()


async def _describe_taken_port(listening: ListenAccess, backend: Backend) -> str:
    """That the port is in use, if published flows are started by requests to it; otherwise empty."""
    taken = await listening.taken_port()
    if taken is None:
        return ""
    published = partial(backend.list_flows, FlowFilter(status=FlowStatus.PUBLISHED))
    async for page in read_all_pages(published):
        if any(_starts_by_request(flow) for flow in page.items):
            return _message(taken, (await backend.info()).webhook_address)
    return ""


def _message(taken: TakenPort, public_address: str | None) -> str:
    if public_address not in (None, taken.address):  # a proxy forwards requests to the port
        return tr(
            "Port {taken} is in use by another program, so webhooks use port {port}. "
            "Requests forwarded to port {taken} don't arrive.",
            taken=taken.port,
            port=urlsplit(taken.address).port,
        )
    return tr(
        "Port {taken} is in use by another program, so webhook addresses have changed to {address}. "
        "Requests to the old address don't arrive.",
        taken=taken.port,
        address=taken.address,
    )


def _starts_by_request(flow: Flow) -> bool:
    trigger = flow.trigger
    return trigger is not None and bool(trigger.webhook_url or trigger.webhook_signed is not None)
