"""Executions over HTTP."""

from typing import Any

from patchbay.client.foreign import compatible_execution_query, normalize_execution
from patchbay.client.history_copy import LocalHistory
from patchbay.client.peer import ServiceAdapter
from patchbay.client.service import build_path
from patchbay.domain.backend import Feature
from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionStep, Histogram
from patchbay.domain.history import SearchPage
from patchbay.domain.paging import Page, PageRequest

_ALL = "/v1/executions"
_ONE = "/v1/executions/{id}"


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


def _query(where: ExecutionFilter) -> dict[str, Any]:
    query = where.wire()
    for name, value in (("testRun", where.test_run), ("retried", where.retried)):
        if value is not None:
            query[name] = "true" if value else "false"
    return query
