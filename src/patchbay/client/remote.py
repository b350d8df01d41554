"""A workspace that lives in a service elsewhere."""

import hashlib
import hmac
from collections.abc import AsyncIterator

import httpx

from patchbay.client.access import AccessCalls
from patchbay.client.addresses import tidied
from patchbay.client.changes import ChangeFollower
from patchbay.client.connections import ConnectionCalls
from patchbay.client.dialect import DialectMemory, NotedDialect
from patchbay.client.executions import ExecutionCalls
from patchbay.client.flows import FlowCalls
from patchbay.client.history_copy import HistoryCalls, HistoryDesk
from patchbay.client.history_reader import HistoryReader
from patchbay.client.hosting import HostingCalls
from patchbay.client.organise import FolderCalls, TemplateCalls
from patchbay.client.peer import Peer
from patchbay.client.people import PeopleCalls
from patchbay.client.places import Places
from patchbay.client.runs import EngineCalls, RunCalls
from patchbay.client.secrets import SecretCalls
from patchbay.client.service import READ_SECONDS, Service
from patchbay.client.steps import StepCalls
from patchbay.client.workspace import WorkspaceCalls
from patchbay.domain.changes import Change, Noun
from patchbay.domain.keeping import RemoteMemory
from patchbay.domain.remote_options import RemoteOptions


class RemoteBackend(
    WorkspaceCalls,
    ConnectionCalls,
    SecretCalls,
    FlowCalls,
    StepCalls,
    ExecutionCalls,
    HistoryCalls,
    RunCalls,
    EngineCalls,
    FolderCalls,
    TemplateCalls,
    PeopleCalls,
    AccessCalls,
    HostingCalls,
):
    """The `Backend` over HTTP. Raises the same kinds with the same words as the service's own workspace.

    Against a service without our additions `capabilities` says what is missing and why; that is known once
    `open` or any other call was awaited. The key is sent in a header and never shown.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout: float = READ_SECONDS,
        options: RemoteOptions | None = None,
        memory: DialectMemory | None = None,
        keeping: RemoteMemory | None = None,
        find_places: bool = True,
    ) -> None:
        """`find_places`: find out the folder and owner of flows that another service doesn't tell."""
        service = Service(
            base_url, api_key, transport=transport, timeout=timeout, options=options,
            answers=keeping.answers if keeping else None,
        )  # fmt: skip
        self._keeping = keeping
        if keeping is not None:
            keeping.bind(_fingerprint(base_url, api_key))
        super().__init__(Peer(service, memory or (NotedDialect(keeping) if keeping else None)))
        self._places = Places(self._peer, find=find_places)
        copy = keeping.history if keeping else None
        self._reader = HistoryReader(self._peer, copy, self._tell) if copy else None
        self._history = HistoryDesk(self._peer, copy, self._reader)
        self._follower = ChangeFollower(self._peer, seen=self._lists_changed)
        self._peer.announce = self._follower.tell
        service.line.told = lambda: self._tell(Noun.WORKSPACE)

    def __repr__(self) -> str:
        return f"RemoteBackend({self._peer.service.base_url!r})"

    async def open(self) -> None:
        """Ask the service what it can do. Raises `AuthRequired` for a wrong key, `Unreachable`, …"""
        if not await self._peer.is_ours() and self._reader is not None:
            await self._reader.resume()

    def changes(self) -> AsyncIterator[Change]:
        return self._follower.follow()

    async def close(self) -> None:
        await self._follower.close()
        if self._reader is not None:
            await self._reader.close()
        await self._peer.service.close()
        if self._keeping is not None:
            await self._keeping.close()

    def _tell(self, noun: Noun) -> None:
        """Something changed on this side: the line to the service, or the copy of its history."""
        self._follower.tell(Change(noun=noun))

    def _lists_changed(self) -> None:
        self._places.forget()
        if self._reader is not None:
            self._reader.nudge()


def _fingerprint(base_url: str, api_key: str) -> str:
    """What tells the answers to one key from those to another; the key can't be found out from it."""
    return hmac.new(api_key.encode(), tidied(base_url).encode(), hashlib.sha256).hexdigest()
