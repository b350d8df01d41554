"""Control over executions and over the engine, over HTTP."""

from collections.abc import Collection

from patchbay.client.answers import ApiResponse
from patchbay.client.peer import ServiceAdapter
from patchbay.client.service import build_path
from patchbay.domain.backend import Feature
from patchbay.domain.base import ExecutionId, Json
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, StorageUsage
from patchbay.domain.executions import BulkRetry, Execution, ExecutionFilter, ReplayOn

_ONE = "/v1/executions/{id}"
_BULK = "/v1/execution-retries"
_ENGINE = "/v1/engine"
_STORAGE = "/v1/storage"


class RunCalls:
    """Executions cancelled, retried and run anew; alone, or many at once."""

    _adapter: ServiceAdapter

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        return (await self._control("POST", build_path(_ONE + "/cancel", id=execution_id))).one(Execution)

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        return (await self._control("POST", build_path(_ONE + "/resume", id=execution_id))).one(Execution)

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        response = await self._control("POST", build_path(_ONE + "/retry", id=execution_id))
        return str(response.data["id"])

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        response = await self._control("POST", build_path(_ONE + "/continue", id=execution_id))
        return str(response.data["id"])

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        body = {"item": item, "on": on}
        response = await self._control("POST", build_path(_ONE + "/replay", id=execution_id), body)
        return str(response.data["id"])

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        return (await self._control("POST", _BULK, where.wire())).one(BulkRetry)

    async def bulk_retry(self, job_id: str) -> BulkRetry:
        service = await self._adapter.require(Feature.RUN_CONTROL)
        return (await service.get(build_path(_BULK + "/{id}", id=job_id))).one(BulkRetry)

    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        return (await self._control("DELETE", build_path(_BULK + "/{id}", id=job_id))).one(BulkRetry)

    async def _control(self, method: str, path: str, body: object = None) -> ApiResponse:
        service = await self._adapter.require(Feature.RUN_CONTROL)
        return await service.send(method, path, body, long_timeout=True)


class EngineCalls:
    """The engine held and let go, its settings, and what its history takes up."""

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
