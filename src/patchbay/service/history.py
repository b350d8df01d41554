"""What ran and how it went: executions, figures, health."""

from collections.abc import Mapping, Sequence

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, ExecutionId, FlowId, UserId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.engine import EngineHealth
from patchbay.domain.errors import AppError, StorageFault, ValidationFailed
from patchbay.domain.executions import (
    Execution,
    ExecutionFilter,
    ExecutionStep,
    FlowActivity,
    Histogram,
)
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, is_event
from patchbay.domain.flows import Step
from patchbay.domain.history import HistoryCopy, SearchPage
from patchbay.domain.organise import FolderStats
from patchbay.domain.paging import Page, PageRequest
from patchbay.service.parts import Operations, ServiceContext
from patchbay.storage import executions, statistics
from patchbay.storage.flow_directory import callable_flows
from patchbay.storage.repositories import connections, flows, steps, versions
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.search import search
from patchbay.storage.storage_probe import StorageProbe

CALLS_UNPUBLISHED_FLOW = "Calls a flow that is not published"
WEEK_MS = 7 * 24 * 3600 * 1000
MAX_BARS = 1000
STORAGE_CHECK_TTL_SECONDS = 2.0
"""How long the answer whether anything can be stored is taken as fresh: people free space and look again."""


class ExecutionHistoryOperations(Operations):
    """Reads only."""

    def __init__(self, context: ServiceContext) -> None:
        super().__init__(context)
        self._storage = StorageProbe(context.db, writes=False, fresh=STORAGE_CHECK_TTL_SECONDS)

    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        """Newest first."""
        return await self._db.read(lambda tx: executions.list_executions(tx, where, page))

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        """One stretch of a search in data, errors and notes, on a thread that only reads."""
        return await self._db.read(lambda tx: search(tx, text, where, cursor))

    async def history_copy(self) -> HistoryCopy:
        """None is needed: the whole history is here."""
        return HistoryCopy()

    async def start_history_download(self) -> HistoryCopy:
        return await self.history_copy()

    async def stop_history_download(self) -> HistoryCopy:
        return await self.history_copy()

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        return await self._db.read(lambda tx: executions.get_execution(tx, execution_id))

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        """Every attempt of every step, in the order they ran."""
        return await self._db.read(lambda tx: executions.execution_steps(tx, execution_id))

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        """Counts over [start, end) in `bars` equal spans."""
        if end <= start:
            raise ValidationFailed({"end": ["The end must be after the start."]})
        if not 1 <= bars <= MAX_BARS:
            raise ValidationFailed({"bars": [f"Ask for 1 to {MAX_BARS} bars."]})
        return await self._db.read(lambda tx: statistics.histogram(tx, where, start, end, bars))

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """In the given order; for a flow that is not there, an empty one."""

        def work(tx: Tx) -> tuple[FlowActivity, ...]:
            due, known = (
                versions.next_start_times(tx, flow_ids),
                {item.id: item for item in connections.find(tx)},
            )
            running, drafts = versions.published_steps(tx, flow_ids), steps.steps_by_flow(tx, flow_ids)
            paused, calling_unpublished = (
                flows.pause_reasons(tx, flow_ids),
                _flows_calling_unpublished(tx, running),
            )

            def complete(item: FlowActivity) -> FlowActivity:
                if item.flow_id in paused:
                    return item.model_copy(update={"attention": paused[item.flow_id].rstrip(".")})
                used = (*running.get(item.flow_id, ()), *drafts[item.flow_id])
                attention = self._attention(used, known) or (
                    CALLS_UNPUBLISHED_FLOW if item.flow_id in calling_unpublished else None
                )
                more = {"next_run_at": due.get(item.flow_id), "attention": attention}
                return item.model_copy(update=more)

            return tuple(map(complete, statistics.flow_activity(tx, flow_ids)))

        return await self._db.read(work)

    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        """What each folder holds and how its flows did in the last seven days."""
        since = self._clock() - WEEK_MS
        return await self._db.read(lambda tx: statistics.folder_stats(tx, since, user_id))

    async def health(self) -> EngineHealth:
        """How the engine does, and whether anything can be stored."""
        health = await self._engine.health()
        try:
            await self._storage()
        except StorageFault as fault:
            return health.model_copy(update={"storage_problem": fault.text()})
        return health

    def _attention(self, used: Sequence[Step], known: dict[ConnectionId, Connection]) -> str | None:
        """Why a flow with these steps cannot work now, in words."""
        for step in used:
            if not step.connection_id or not step.app_key:
                continue
            connection = known.get(step.connection_id)
            if connection is None:
                return f"Its {self._app_name(step.app_key)} connection was deleted"
            if connection.health is ConnectionHealth.NEEDS_ATTENTION:
                return f"{self._app_name(step.app_key)} needs reconnecting"
        return None

    def _app_name(self, app_key: AppKey) -> str:
        try:
            return self._apps.info(app_key, detail=False).name
        except AppError:
            return app_key


def _flows_calling_unpublished(tx: Tx, running: Mapping[FlowId, Sequence[Step]]) -> set[FlowId]:
    """The flows among these in which a step calls one that cannot be called now."""
    called = {
        flow_id: {str(step.parameters.get("flow")) for step in held if is_event(step, CALL_FLOW_ACTION)}
        for flow_id, held in running.items()
    }
    if not any(called.values()):
        return set()
    callable_ids = {choice.id for choice in callable_flows(tx)}
    return {flow_id for flow_id, wanted in called.items() if wanted - callable_ids}
