"""Executions: history, statistics and engine health; cancel, resume, retry and replay; bulk retries."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from uuid import uuid4

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import ConnectionId, EpochMs, ExecutionId, FlowId, Json, UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import WEEK_MS
from patchbay.domain.connections import Connection
from patchbay.domain.engine import EngineHealth
from patchbay.domain.errors import AppError, Conflict, NotFound, StorageFault, Unreachable, ValidationFailed
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionCounts,
    ExecutionFilter,
    ExecutionStep,
    FlowActivity,
    Histogram,
    HistoryCopy,
    ReplayOn,
    SearchPage,
)
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, is_event
from patchbay.domain.flows import FlowVersion, StepType
from patchbay.domain.folders import FolderStats
from patchbay.domain.paging import Page, PageRequest
from patchbay.service.attention import AttentionFinder, FlowState, uses_desktop
from patchbay.service.service_context import Engine, ServiceContext
from patchbay.storage import executions, run_queries, statistics
from patchbay.storage.database import Database
from patchbay.storage.flow_directory import callable_flows
from patchbay.storage.repositories import connections, flow_versions, flows, steps
from patchbay.storage.repositories.owners import foreign_connections_by_flow
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.search import search
from patchbay.storage.storage_probe import StorageProbe

log = logging.getLogger(__name__)

MAX_REASONS = 10
BATCH_SIZE = 20
"""Retries between two pauses, in which runs that start meanwhile get their turn."""
BATCH_PAUSE_SECONDS = 0.2
MAX_FINISHED_JOBS = 20
"""Finished jobs whose result can still be read."""
MAX_BARS = 1000
STORAGE_CHECK_TTL_SECONDS = 2.0
"""How long the result of the storage check is reused: short, because people free space and check again."""


class BulkRetries:
    """The bulk retries of one workspace, one at a time, in memory.

    A restart ends the job, not the retries it started.
    """

    def __init__(
        self, db: Database, engine: Engine, clock: Callable[[], EpochMs], pause: float = BATCH_PAUSE_SECONDS
    ) -> None:
        self._db = db
        self._engine = engine
        self._clock = clock
        self._pause = pause
        self._jobs: dict[str, BulkRetry] = {}
        self._task: asyncio.Task[None] | None = None
        self._start_lock = asyncio.Lock()
        self._stop_requested = asyncio.Event()

    async def start(self, where: ExecutionFilter, *, full_rights: bool = False) -> BulkRetry:
        """Find the executions to retry and start with the oldest. Raises `Conflict` while another job runs.

        `full_rights` are those of the user who started the job, for each retry.
        """
        async with self._start_lock:
            running = next((job for job in self._jobs.values() if not job.finished), None)
            if running is not None:
                processed = running.done + running.refused
                raise Conflict(
                    f"Another bulk retry is running: {processed:,} of {running.total:,} done.",
                    todo="Wait until it's done, or cancel it.",
                )
            now = self._clock()
            ids = await self._db.read(lambda tx: run_queries.find_executions_to_retry(tx, where, now))
            job = BulkRetry(id=str(uuid4()), total=len(ids), finished=not ids)
            self._jobs[job.id] = job
            for expired in list(self._jobs)[:-MAX_FINISHED_JOBS]:
                del self._jobs[expired]
            if ids:
                self._stop_requested.clear()
                self._task = asyncio.create_task(
                    self._run_job(job.id, ids[::-1], full_rights), name="bulk-retry"
                )
            return job

    def get(self, job_id: str) -> BulkRetry:
        """Return the progress of a job. Raises `NotFound`."""
        if job_id not in self._jobs:
            raise NotFound(
                "This bulk retry is no longer available.",
                meaning="It ended a while ago, or Patchbay was restarted. The retries it started continue.",
                todo="Check the list of executions and retry those that are still failed.",
            )
        return self._jobs[job_id]

    async def cancel(self, job_id: str) -> BulkRetry:
        """Cancel a job unless it is finished. Raises `NotFound`."""
        if not self.get(job_id).finished and self._task is not None:
            self._update(job_id, cancelled=True)
            self._stop_requested.set()
            await asyncio.wait([self._task])
        return self._jobs[job_id]

    def close(self) -> None:
        """Cancel the running job, as the workspace closes."""
        if self._task is not None:
            self._task.cancel()

    async def _run_job(self, job_id: str, ids: Sequence[ExecutionId], full_rights: bool) -> None:
        try:
            for number, execution_id in enumerate(ids, 1):
                await self._retry(job_id, execution_id, full_rights)
                if number % BATCH_SIZE == 0:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._stop_requested.wait(), self._pause)
                if self._stop_requested.is_set():
                    break
        except (
            StorageFault,
            Unreachable,
        ) as problem:  # not specific to this execution: the next one would fail as well
            self._add_reason(job_id, problem)
            self._update(job_id, cancelled=True)
        except Exception:  # an unexpected error must not leave a job that never ends
            log.exception("a bulk retry failed")
            self._update(job_id, cancelled=True)
        finally:
            self._update(job_id, finished=True)

    async def _retry(self, job_id: str, execution_id: ExecutionId, full_rights: bool) -> None:
        job = self._jobs[job_id]
        if await self._db.read(lambda tx: run_queries.is_settled_by_retry(tx, execution_id)):
            self._update(job_id, total=job.total - 1)  # retried by someone else meanwhile
            return
        try:
            await self._engine.retry(execution_id, full_rights=full_rights)
        except (StorageFault, Unreachable):
            raise
        except AppError as error:
            self._add_reason(job_id, error)
            self._update(job_id, refused=job.refused + 1)
        else:
            self._update(job_id, done=job.done + 1)

    def _add_reason(self, job_id: str, problem: AppError) -> None:
        reasons = self._jobs[job_id].reasons
        text = problem.text()
        if text not in reasons and len(reasons) < MAX_REASONS:
            self._update(job_id, reasons=(*reasons, text))

    def _update(self, job_id: str, **changes: object) -> BulkRetry:
        job = self._jobs[job_id] = self._jobs[job_id].model_copy(update=changes)
        return job


class ExecutionHistory:
    """Reads executions, statistics and the health of the engine."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._storage = StorageProbe(context.db, writes=False, max_age_seconds=STORAGE_CHECK_TTL_SECONDS)

    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        """Newest first."""
        return await self._context.db.read(lambda tx: executions.list_executions(tx, where, page))

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        """Search one batch of executions for text in data, errors and notes, on a reader thread."""
        return await self._context.db.read(lambda tx: search(tx, text, where, cursor))

    async def history_copy(self) -> HistoryCopy:
        """Return an empty copy: a local workspace has the whole history."""
        return HistoryCopy()

    async def start_history_download(self) -> HistoryCopy:
        return await self.history_copy()

    async def stop_history_download(self) -> HistoryCopy:
        return await self.history_copy()

    async def get_execution(self, execution_id: ExecutionId) -> Execution:
        return await self._context.db.read(lambda tx: executions.get_execution(tx, execution_id))

    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        """Return every attempt of every step, in the order they ran."""
        return await self._context.db.read(lambda tx: executions.execution_steps(tx, execution_id))

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        """Return counts over [start, end) in `bars` equal intervals."""
        if end <= start:
            raise ValidationFailed({"end": ["The end must be after the start."]})
        if not 1 <= bars <= MAX_BARS:
            raise ValidationFailed({"bars": [f"Use 1 to {MAX_BARS} bars."]})
        return await self._context.db.read(lambda tx: statistics.histogram(tx, where, start, end, bars))

    async def count_executions(self, where: ExecutionFilter) -> ExecutionCounts:
        return await self._context.db.read(lambda tx: statistics.count_executions(tx, where))

    async def flow_activity(self, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
        """Return activity in the order of `flow_ids`; for unknown flows, an empty one."""
        found = await self._context.db.read(lambda tx: _read_activity(tx, flow_ids))
        # Here and not in the thread that reads: the engine's plans belong to the event loop.
        finder = AttentionFinder(self._context, found.connections)
        return tuple(self._complete_activity(item, found, finder) for item in found.activities)

    def _complete_activity(
        self, item: FlowActivity, found: "_FoundActivity", finder: AttentionFinder
    ) -> FlowActivity:
        if (reason := found.paused.get(item.flow_id)) is not None:
            return item.model_copy(update={"attention": reason.removesuffix(".")})
        flow = found.flows[item.flow_id]
        attention = finder.find(flow)
        trigger = next((step for step in flow.steps if step.type is StepType.TRIGGER), None)
        on_event = trigger is not None and uses_desktop(self._context, trigger)
        more = {
            "next_run_at": None if on_event else found.next_starts.get(item.flow_id),
            "starts_on_event": on_event,
            "attention": attention and attention.reason,
            "attention_todo": attention.todo if attention else "",
        }
        return item.model_copy(update=more)

    async def folder_stats(self, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
        """Return flow counts and the results of the last seven days per folder."""
        since = self._context.clock() - WEEK_MS
        return await self._context.db.read(lambda tx: statistics.folder_stats(tx, since, user_id))

    async def health(self) -> EngineHealth:
        """Return the state of the engine, and whether data can be stored."""
        health = await self._context.engine.health()
        try:
            await self._storage()
        except StorageFault as fault:
            return health.model_copy(update={"storage_problem": fault.text()})
        return health


class _FoundActivity(NamedTuple):
    """What the database says about the activity of flows, and about why they need attention."""

    activities: Sequence[FlowActivity]
    flows: Mapping[FlowId, FlowState]
    paused: Mapping[FlowId, str]
    """Why flows are paused, as sentences."""
    next_starts: Mapping[FlowId, EpochMs]
    connections: Mapping[ConnectionId, Connection]


def _read_activity(tx: Tx, flow_ids: Sequence[FlowId]) -> _FoundActivity:
    published = flow_versions.published_versions(tx, flow_ids)
    drafts = steps.steps_by_flow(tx, flow_ids)
    calling_unpublished = _flows_calling_unpublished(tx, published)
    used = {
        flow_id: {step.connection_id for step in version.steps if step.connection_id is not None}
        for flow_id, version in published.items()
        if not version.approved
    }
    foreign = foreign_connections_by_flow(tx, used)
    states = {
        flow_id: FlowState(
            drafts[flow_id],
            published.get(flow_id),
            foreign.get(flow_id, frozenset()),
            flow_id in calling_unpublished,
        )
        for flow_id in flow_ids
    }
    return _FoundActivity(
        activities=statistics.flow_activity(tx, flow_ids),
        flows=states,
        paused=flows.pause_reasons(tx, flow_ids),
        next_starts=flow_versions.next_start_times(tx, flow_ids),
        connections={item.id: item for item in connections.find(tx)},
    )


def _flows_calling_unpublished(tx: Tx, published: Mapping[FlowId, FlowVersion]) -> set[FlowId]:
    """The flows among these that call a flow which can't be called now."""
    called = {
        flow_id: {
            str(step.parameters.get("flow")) for step in version.steps if is_event(step, CALL_FLOW_ACTION)
        }
        for flow_id, version in published.items()
    }
    if not any(called.values()):
        return set()
    callable_ids = {choice.id for choice in callable_flows(tx)}
    return {flow_id for flow_id, wanted in called.items() if wanted - callable_ids}


class ExecutionControl:
    """Cancels, resumes, retries and replays executions, one at a time or in bulk."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._bulk_retries = BulkRetries(context.db, context.engine, context.clock)

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        """Cancel an unfinished run. Raises `NotFound`, `Conflict` when it is finished."""
        await self._context.engine.cancel(execution_id)
        await self._context.record_audit_entry(AuditAction.CANCELLED, ResourceType.EXECUTION, execution_id)
        return await self._context.db.read(lambda tx: executions.get_execution(tx, execution_id))

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        """End a wait for a retry or rate limit.

        Raises `NotFound`, `Conflict` when it isn't waiting for one.
        """
        await self._context.engine.resume_run(execution_id)
        await self._context.record_audit_entry(AuditAction.RESUMED, ResourceType.EXECUTION, execution_id)
        return await self._context.db.read(lambda tx: executions.get_execution(tx, execution_id))

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """Start a new execution at the failed step. Raises `NotFound`, `Conflict`."""
        new_id = await self._context.engine.retry(execution_id, full_rights=self._context.full_rights)
        await self._context.record_audit_entry(AuditAction.RETRIED, ResourceType.EXECUTION, execution_id)
        return new_id

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """Start a new execution after the interrupted step. Raises `NotFound`, `Conflict`."""
        new_id = await self._context.engine.continue_after(
            execution_id, full_rights=self._context.full_rights
        )
        await self._context.record_audit_entry(AuditAction.RETRIED, ResourceType.EXECUTION, execution_id)
        return new_id

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        """Start a new execution from the beginning. Raises `NotFound`, `Conflict`."""
        new_id = await self._context.engine.replay(
            execution_id, item, on, full_rights=self._context.full_rights
        )
        await self._context.record_audit_entry(AuditAction.REPLAYED, ResourceType.EXECUTION, execution_id)
        return new_id

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        """Start to retry every failed execution that matches, oldest first.

        Raises `Conflict` while another bulk retry of this workspace is running.
        """
        job = await self._bulk_retries.start(where, full_rights=self._context.full_rights)
        if job.total:
            await self._context.record_audit_entry(
                AuditAction.RETRIED, ResourceType.EXECUTION, name=f"{job.total:,} failed executions"
            )
        return job

    async def bulk_retry(self, job_id: str) -> BulkRetry:
        """Return the progress of a bulk retry. Raises `NotFound` for unknown and long finished ones."""
        return self._bulk_retries.get(job_id)

    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        """Cancel a bulk retry; the retries it started go on."""
        job = await self._bulk_retries.cancel(job_id)
        await self._context.record_audit_entry(
            AuditAction.CANCELLED, ResourceType.EXECUTION, name=f"Retry of {job.total:,} executions"
        )
        return job

    def close(self) -> None:
        """Stop bulk retries, as the workspace closes."""
        self._bulk_retries.close()
