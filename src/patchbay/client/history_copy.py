"""The copy of another service's history: asked for, told of, and answering what the service cannot."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from patchbay.client.history_reader import HistoryReader
from patchbay.client.peer import ServiceAdapter
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.errors import NotSupported, TimedOut, Unreachable
from patchbay.domain.executions import Execution, ExecutionFilter, FlowActivity, Histogram, RunMark
from patchbay.domain.flows import Flow
from patchbay.domain.history import HistoryCopy, HistoryCopyState
from patchbay.domain.keeping import HistoryStore
from patchbay.domain.organise import FolderStats
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

T = TypeVar("T")

NO_FOLDER = "null"
RECENT_RUNS = 20
WEEK_MS = 7 * 24 * 3_600_000
MAX_FLOWS = 5_000
"""How many flows of a folder or a person are asked for."""
_NO_STORE = "There is no place here to keep a copy of the history."
_READ_HISTORY_HINT = "Read the history of this service: then every filter works."


class LocalHistory:
    """Answers from the copy where the service has no answer. Without a store there is never a copy."""

    def __init__(
        self, adapter: ServiceAdapter, store: HistoryStore | None, reader: HistoryReader | None
    ) -> None:
        self._adapter, self._store, self._reader = adapter, store, reader

    def with_local_features(self, capabilities: Capabilities) -> Capabilities:
        """With what the copy makes possible: filters as soon as there is one, statistics once it is whole."""
        available = set()
        if self._reader is not None and self._reader.usable:
            available.add(Feature.FILTERS)
        if self._reader is not None and self._reader.complete:
            available.add(Feature.STATISTICS)
        if available.isdisjoint(capabilities.unavailable):
            return capabilities
        left = {key: reason for key, reason in capabilities.unavailable.items() if key not in available}
        return capabilities.model_copy(update={"unavailable": left})

    async def status(self) -> HistoryCopy:
        """How the copy stands."""
        if await self._adapter.is_patchbay():
            return HistoryCopy()
        if self._reader is None:
            return HistoryCopy(state=HistoryCopyState.ABSENT, problem=_NO_STORE)
        return await self._reader.status()

    async def read(self) -> HistoryCopy:
        """Begin to read, go on, or read all of it once more."""
        if self._reader is not None and not await self._adapter.is_patchbay():
            await self._reader.read()
        return await self.status()

    async def stop(self) -> HistoryCopy:
        """Read no more."""
        if self._reader is not None and not await self._adapter.is_patchbay():
            await self._reader.stop()
        return await self.status()

    async def executions(
        self, fetch: Callable[[], Awaitable[Page[Execution]]], where: ExecutionFilter, page: PageRequest
    ) -> Page[Execution]:
        """What the service answers, or the copy where it cannot or does not."""
        if page.cursor is not None and page.cursor.startswith("copy:") and self._store is not None:
            return await self._store.find(where, await self._matching_flow_ids(where), page)
        try:
            return await fetch()
        except (Unreachable, TimedOut):
            is_offline = self._adapter.service.line.offline_since is not None
            if not is_offline or self._store is None or self._reader is None or not self._reader.complete:
                raise
        except NotSupported as error:
            if self._store is None or self._reader is None:
                raise
            if not self._reader.usable:
                raise NotSupported(error.happened, feature=error.feature, todo=_READ_HISTORY_HINT) from error
        return await self._store.find(where, await self._matching_flow_ids(where), page)

    async def histogram(
        self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int
    ) -> Histogram | None:
        """Counts over the whole history; None while it is not whole."""
        if self._store is None or self._reader is None or not self._reader.complete:
            return None
        return await self._store.histogram(where, await self._matching_flow_ids(where), start, end, bars)

    async def activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """How these flows did last; nothing while the copy isn't whole. What they will do isn't in it."""
        if self._store is None or self._reader is None or not self._reader.complete:
            return ()
        found = []
        for flow_id in flow_ids:
            newest = await self._store.find(
                ExecutionFilter(flow_id=flow_id), None, PageRequest(limit=RECENT_RUNS)
            )  # fmt: skip
            marks = [RunMark(state=run.state, duration_ms=run.duration_ms) for run in newest.items]
            last = newest.items[0] if newest.items else None
            found.append(FlowActivity(flow_id=flow_id, last=last, recent=tuple(reversed(marks))))
        return tuple(found)

    async def with_run_counts(self, stats: Sequence[FolderStats]) -> tuple[FolderStats, ...]:
        """Folder statistics with the runs of the last seven days, once the copy is whole."""
        if self._store is None or self._reader is None or not self._reader.complete:
            return tuple(stats)
        return tuple([await self._with_run_counts(self._store, item) for item in stats])

    async def _with_run_counts(self, store: HistoryStore, stats: FolderStats) -> FolderStats:
        where = ExecutionFilter(folder_id=stats.folder_id or NO_FOLDER)
        flows = await self._matching_flow_ids(where)
        end = time.time_ns() // 1_000_000
        runs = await store.histogram(where, flows, end - WEEK_MS, end + 1, 1)
        newest = (await store.find(where, flows, PageRequest(limit=1))).items
        return stats.model_copy(
            update={
                "runs": runs.total,
                "failures": sum(bar.failure for bar in runs.bars),
                "last_run_at": newest[0].created_at if newest else None,
            }
        )

    async def _matching_flow_ids(self, where: ExecutionFilter) -> frozenset[FlowId] | None:
        """The flows that are in the folder and belong to the person now; executions do not say so."""
        if where.folder_id is None and where.user_id is None:
            return None
        query = {"folderId": where.folder_id, "userId": where.user_id}
        found: set[FlowId] = set()
        for number in range(1, MAX_FLOWS // MAX_PAGE_SIZE + 1):
            page = PageRequest(page=number, limit=MAX_PAGE_SIZE)
            part = await self._adapter.page(Flow, "/v1/flows", query, page)
            found.update(flow.id for flow in part.items)
            if part.next_cursor is None:
                break
        return frozenset(found)


class HistoryCalls:
    """The copy of a remote history."""

    _history: LocalHistory

    async def history_copy(self) -> HistoryCopy:
        return await self._history.status()

    async def start_history_download(self) -> HistoryCopy:
        return await self._history.read()

    async def stop_history_download(self) -> HistoryCopy:
        return await self._history.stop()
