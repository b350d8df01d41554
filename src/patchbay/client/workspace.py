"""The workspace and its apps, over HTTP."""

from patchbay.client.history_copy import HistoryDesk
from patchbay.client.peer import Peer
from patchbay.client.service import at
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Capabilities, WorkspaceInfo
from patchbay.domain.base import AppKey
from patchbay.domain.engine import EngineHealth, EngineState


class WorkspaceCalls:
    """Info, health and apps."""

    _history: HistoryDesk

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    @property
    def capabilities(self) -> Capabilities:
        """What the service cannot do; complete once it was asked anything."""
        return self._history.widened(self._peer.capabilities)

    @capabilities.setter
    def capabilities(self, value: Capabilities) -> None:
        self._peer.capabilities = value

    async def info(self) -> WorkspaceInfo:
        service = self._peer.service
        seen = WorkspaceInfo(kind="remote", name=service.host, address=service.base_url)
        if not await self._peer.is_ours():
            since = service.line.offline_since
            return seen.model_copy(update={"secrets_kept": "With the service.", "offline_since": since})
        told = (await service.get("/v1/info")).one(WorkspaceInfo)
        own = {"kind": seen.kind, "name": seen.name, "address": seen.address}
        return told.model_copy(update={**own, "offline_since": service.line.offline_since})

    async def health(self) -> EngineHealth:
        if not await self._peer.is_ours():
            return EngineHealth(state=EngineState.RUNNING)
        return (await self._peer.service.get("/v1/health")).one(EngineHealth)

    async def list_apps(self) -> tuple[AppInfo, ...]:
        return (await self._peer.get("/v1/apps")).many(AppInfo)

    async def get_app(self, key: AppKey) -> AppInfo:
        return (await self._peer.get(at("/v1/apps/{key}", key=key))).one(AppInfo)
