"""The engine of a server and its disk usage, over HTTP."""

from collections.abc import Collection

from patchbay.client.responses import ApiResponse
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.domain.backend import Feature
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, StorageUsage

_ENGINE = "/v1/engine"
_STORAGE = "/v1/storage"


class EngineCalls:
    """Pausing and resuming all runs, the engine's settings, and cleaning up the history."""

    _adapter: ServiceAdapter

    async def pause_runs(self) -> EngineHealth:
        return (await self._engine("POST", _ENGINE + "/pause")).one(EngineHealth)

    async def resume_runs(self) -> EngineHealth:
        return (await self._engine("POST", _ENGINE + "/resume")).one(EngineHealth)

    async def engine_settings(self) -> EngineSettings:
        service = await self._adapter.require(Feature.ENGINE)
        response = await service.get(_ENGINE)
        return service.read(EngineSettings, (response.data or {}).get("settings"))

    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        named = None if fields is None else set(fields)
        body = settings.model_dump(mode="json", by_alias=True, include=named)
        return (await self._engine("PATCH", _ENGINE, body)).one(EngineSettings)

    async def storage_usage(self) -> StorageUsage:
        service = await self._adapter.require(Feature.ENGINE)
        return (await service.get(_STORAGE)).one(StorageUsage)

    async def clean_up_history(self) -> CleanupResult:
        return (await self._engine("POST", _STORAGE + "/tidy")).one(CleanupResult)

    async def _engine(self, method: str, path: str, body: object = None) -> ApiResponse:
        service = await self._adapter.require(Feature.ENGINE)
        return await service.send(method, path, body, long_timeout=True)
