"""Executions over HTTP."""

from typing import Any

from patchbay.client.foreign import execution, execution_query
from patchbay.client.history_copy import HistoryDesk
from patchbay.client.peer import Peer
from patchbay.client.service import at
from patchbay.domain.backend import Feature
from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionStep, Histogram
from patchbay.domain.history import SearchPage
from patchbay.domain.paging import Page, PageRequest

_ALL = "/v1/executions"
_ONE = "/v1/executions/{id}"


class ExecutionCalls:
    """The list of executions, one of them with its steps, and counts over time."""

    _peer: Peer
    _history: HistoryDesk

    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        if await self._peer.is_ours():
            return await self._peer.page(Execution, _ALL, _query(where), page)

        async def ask() -> Page[Execution]:
            return await self._peer.page(Execution, _ALL, execution_query(where), page)

        return await self._history.executions(ask, where, page)

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        service = await self._peer.require(Feature.SEARCH)
        query = {**_query(where), "text": text, "cursor": cursor}
        return (await service.get(_ALL + "/search", query)).one(SearchPage)

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        answer = await self._peer.get(at(_ONE, id=execution_id))
        return self._peer.service.read(Execution, execution(answer.data))

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        service = await self._peer.require(Feature.STEP_RESULTS)
        return (await service.get(at(_ONE + "/execution-steps", id=execution_id))).many(ExecutionStep)

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        counted = await self._history.histogram(where, start, end, bars)
        if counted is not None:
            return counted
        service = await self._peer.require(Feature.STATISTICS)
        query = {**_query(where), "start": start, "end": end, "bars": bars}
        return (await service.get(_ALL + "/histogram", query)).one(Histogram)


def _query(where: ExecutionFilter) -> dict[str, Any]:
    query = where.wire()
    for name, asked in (("testRun", where.test_run), ("retried", where.retried)):
        if asked is not None:
            query[name] = "true" if asked else "false"
    return query
