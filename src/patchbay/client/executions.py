"""Executions over HTTP."""

import asyncio
from typing import Any

from patchbay.client.compat import compatible_execution_query, normalize_execution
from patchbay.client.history import LocalHistory
from patchbay.client.responses import ApiResponse
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.backend import Feature
from patchbay.domain.base import EpochMs, ExecutionId, Json
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionCounts,
    ExecutionFilter,
    ExecutionState,
    ExecutionStep,
    Histogram,
    ReplayOn,
    SearchPage,
)
from patchbay.domain.paging import Page, PageRequest

_ALL = "/v1/executions"
_ONE = "/v1/executions/{id}"
_BULK_RETRIES = "/v1/execution-retries"


class ExecutionCalls:
    """The list of executions, one of them with its steps, and counts over time."""

    _adapter: ServiceAdapter
    _history: LocalHistory

    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        if await self._adapter.is_patchbay():
            return await self._adapter.page(Execution, _ALL, _query(where), page)

        async def fetch() -> Page[Execution]:
            return await self._adapter.page(Execution, _ALL, compatible_execution_query(where), page)

        return await self._history.executions(fetch, where, page)

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        service = await self._adapter.require(Feature.SEARCH)
        query = {**_query(where), "text": text, "cursor": cursor}
        return (await service.get(_ALL + "/search", query)).one(SearchPage)

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        response = await self._adapter.get(build_path(_ONE, id=execution_id))
        return self._adapter.service.read(Execution, normalize_execution(response.data))

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        service = await self._adapter.require(Feature.STEP_RESULTS)
        return (await service.get(build_path(_ONE + "/execution-steps", id=execution_id))).many(ExecutionStep)

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        counted = await self._history.histogram(where, start, end, bars)
        if counted is not None:
            return counted
        service = await self._adapter.require(Feature.STATISTICS)
        query = {**_query(where), "start": start, "end": end, "bars": bars}
        return (await service.get(_ALL + "/histogram", query)).one(Histogram)

    async def count_executions(self, where: ExecutionFilter) -> ExecutionCounts:
        """In one request; in four for an Automatisch server, which only counts what it lists."""
        if not await self._adapter.is_patchbay():
            return await self._count_by_listing(where)
        return (await self._adapter.get(_ALL + "/counts", _query(where))).one(ExecutionCounts)

    async def _count_by_listing(self, where: ExecutionFilter) -> ExecutionCounts:
        async def total(where: ExecutionFilter) -> int:
            return (await self.list_executions(where, PageRequest(limit=1))).total

        async def total_ended(state: ExecutionState) -> int:
            if where.states and state not in where.states:
                return 0
            return await total(where.model_copy(update={"states": (state,)}))

        matching, everything, success, failure = await asyncio.gather(
            total(where),
            total(ExecutionFilter(user_id=where.user_id)),
            total_ended(ExecutionState.SUCCESS),
            total_ended(ExecutionState.FAILURE),
        )
        other = max(0, matching - success - failure)
        return ExecutionCounts(success=success, failure=failure, other=other, all=everything)


def _query(where: ExecutionFilter) -> dict[str, Any]:
    query = where.wire()
    for name, value in (("testRun", where.test_run), ("retried", where.retried)):
        if value is not None:
            query[name] = "true" if value else "false"
    return query


class RunCalls:
    """Cancelling, resuming, retrying, and replaying executions, one or many."""

    _adapter: ServiceAdapter

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        return (await self._control("POST", build_path(_ONE + "/cancel", id=execution_id))).one(Execution)

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        return (await self._control("POST", build_path(_ONE + "/resume", id=execution_id))).one(Execution)

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        response = await self._control("POST", build_path(_ONE + "/retry", id=execution_id))
        return ExecutionId(str(response.data["id"]))

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        response = await self._control("POST", build_path(_ONE + "/continue", id=execution_id))
        return ExecutionId(str(response.data["id"]))

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        body = {"item": item, "on": on}
        response = await self._control("POST", build_path(_ONE + "/replay", id=execution_id), body)
        return ExecutionId(str(response.data["id"]))

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        return (await self._control("POST", _BULK_RETRIES, where.wire())).one(BulkRetry)

    async def bulk_retry(self, job_id: str) -> BulkRetry:
        service = await self._adapter.require(Feature.RUN_CONTROL)
        return (await service.get(build_path(_BULK_RETRIES + "/{id}", id=job_id))).one(BulkRetry)

    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        return (await self._control("DELETE", build_path(_BULK_RETRIES + "/{id}", id=job_id))).one(BulkRetry)

    async def _control(self, method: str, path: str, body: object = None) -> ApiResponse:
        service = await self._adapter.require(Feature.RUN_CONTROL)
        return await service.send(method, path, body, long_timeout=True)
