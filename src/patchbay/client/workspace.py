"""The workspace and its apps, over HTTP."""

from patchbay.client.history import LocalHistory
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.apps import AppInfo
from patchbay.domain.backend import Capabilities, WorkspaceInfo
from patchbay.domain.base import AppKey
from patchbay.domain.engine import EngineHealth, EngineState


class WorkspaceCalls:
    """Info, health and apps."""

    _history: LocalHistory

    def __init__(self, adapter: ServiceAdapter) -> None:
        self._adapter = adapter

    @property
    def capabilities(self) -> Capabilities:
        """Operations that the server doesn't support; complete after the first request."""
        return self._history.with_local_features(self._adapter.capabilities)

    async def info(self) -> WorkspaceInfo:
        service = self._adapter.service
        base_info = WorkspaceInfo(kind="remote", name=service.host, address=service.base_url)
        if not await self._adapter.is_patchbay():
            since = service.connectivity.offline_since
            return base_info.model_copy(update={"secrets_kept": "With the service.", "offline_since": since})
        reported = (await service.get("/v1/info")).one(WorkspaceInfo)
        overrides = {"kind": base_info.kind, "name": base_info.name, "address": base_info.address}
        return reported.model_copy(update={**overrides, "offline_since": service.connectivity.offline_since})

    async def health(self) -> EngineHealth:
        if not await self._adapter.is_patchbay():
            return EngineHealth(state=EngineState.RUNNING)
        return (await self._adapter.service.get("/v1/health")).one(EngineHealth)

    async def list_apps(self) -> tuple[AppInfo, ...]:
        return (await self._adapter.get("/v1/apps")).many(AppInfo)

    async def get_app(self, key: AppKey) -> AppInfo:
        return (await self._adapter.get(build_path("/v1/apps/{key}", key=key))).one(AppInfo)
