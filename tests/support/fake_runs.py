"""Run control and the engine of the fake backend."""

from tests.support.fake_queries import found, matches
from tests.support.fake_state import FakeState
from tests.support.fake_workspace import MINUTE, NOW

from patchbay.domain.base import ExecutionId, Json
from patchbay.domain.changes import ResourceType
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, EngineState, StorageUsage
from patchbay.domain.errors import Conflict
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionFilter,
    ExecutionState,
    Origin,
    ReplayOn,
    WaitsFor,
)


class FakeRuns(FakeState):
    """Part of `FakeBackend`: run control and the engine.

    A bulk retry advances by `bulk_pace` whenever its progress is read, up to `bulk_limit` (None: to the end).
    Retries of flows in `unretriable` fail.
    """

    bulk_pace = 2
    bulk_limit: int | None = None

    def prepare_engine(self) -> None:
        self.engine = EngineHealth(
            state=EngineState.RUNNING,
            running=1,
            waiting=2,
            failures_today=7,
            next_run_at=NOW + 4 * MINUTE,
            next_flow="Inventory check",
            started_at=NOW - 3_600_000,
            last_tick_at=NOW - 4_000,
        )
        self.settings = EngineSettings()
        self.storage = StorageUsage(
            bytes=241_172_480, free_bytes=12_582_912, executions=366, oldest_at=NOW - 90 * 86_400_000
        )
        self.unretriable: set[str] = set()
        self._bulk: dict[str, tuple[BulkRetry, list[Execution]]] = {}

    async def health(self) -> EngineHealth:
        await self._enter("health")
        return self.engine

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        await self._enter("cancel_execution", execution_id)
        run = self._run(execution_id)
        if run.state.finished:
            raise Conflict("This execution is already finished.")
        done = run.model_copy(
            update={"state": ExecutionState.CANCELLED, "note": "Cancelled by you.", "finished_at": NOW}
        )
        self.executions[self.executions.index(run)] = done
        self.announce(ResourceType.EXECUTION, run.id)
        return done

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        await self._enter("resume_execution", execution_id)
        run = self._run(execution_id)
        if run.waits_for not in (WaitsFor.RETRY, WaitsFor.LIMIT):
            raise Conflict("This execution isn't waiting for a retry or a rate limit.")
        done = run.model_copy(update={"wake_at": NOW})
        self.executions[self.executions.index(run)] = done
        self.announce(ResourceType.EXECUTION, run.id)
        return done

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        await self._enter("retry_execution", execution_id)
        run = self._run(execution_id)
        if run.state is not ExecutionState.FAILURE:
            raise Conflict("Only executions that failed can be retried.")
        return self._follow(run, Origin.RETRY).id

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        await self._enter("continue_execution", execution_id)
        return self._follow(self._run(execution_id), Origin.RETRY).id

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        await self._enter("replay_execution", execution_id, item, on)
        return self._follow(self._run(execution_id), Origin.REPLAY).id

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        await self._enter("retry_executions", where)
        failed = [
            item
            for item in self.executions
            if item.state is ExecutionState.FAILURE and matches(item, where, self.executions)
        ]
        job = BulkRetry(id=self._new_id("bulk"), total=len(failed), finished=not failed)
        self._bulk[job.id] = (job, failed)
        return job

    async def bulk_retry(self, job_id: str) -> BulkRetry:
        await self._enter("bulk_retry", job_id)
        job, left = self._bulk[job_id]
        if job.finished:
            return job
        pace = self.bulk_pace
        if self.bulk_limit is not None:
            pace = min(pace, self.bulk_limit - job.done)
        now, later = left[:pace], left[pace:]
        refused = [item for item in now if item.flow.id in self.unretriable]
        for item in now:
            if item not in refused:
                self._follow(item, Origin.RETRY)
        reasons = (*job.reasons, *(f"“{item.flow.name}” was deleted." for item in refused))
        job = job.model_copy(
            update={
                "done": job.done + len(now) - len(refused),
                "refused": job.refused + len(refused),
                "reasons": tuple(dict.fromkeys(reasons)),
                "finished": not later,
            }
        )
        self._bulk[job_id] = (job, later)
        return job

    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        await self._enter("cancel_bulk_retry", job_id)
        job, _ = self._bulk[job_id]
        job = job.model_copy(update={"finished": True, "cancelled": True})
        self._bulk[job_id] = (job, [])
        return job

    async def pause_runs(self) -> EngineHealth:
        await self._enter("pause_runs")
        return self._engine(state=EngineState.PAUSED, running=0)

    async def resume_runs(self) -> EngineHealth:
        await self._enter("resume_runs")
        return self._engine(state=EngineState.RUNNING)

    async def engine_settings(self) -> EngineSettings:
        await self._enter("engine_settings")
        return self.settings

    async def change_engine_settings(self, settings: EngineSettings, fields=None) -> EngineSettings:
        await self._enter("change_engine_settings", settings, fields)
        names = EngineSettings.model_fields if fields is None else fields
        self.settings = self.settings.model_copy(update={name: getattr(settings, name) for name in names})
        self.announce(ResourceType.WORKSPACE)
        return self.settings

    async def storage_usage(self) -> StorageUsage:
        await self._enter("storage_usage")
        return self.storage

    async def clean_up_history(self) -> CleanupResult:
        await self._enter("clean_up_history")
        freed = self.storage.free_bytes
        self.storage = self.storage.model_copy(
            update={"bytes": self.storage.bytes - freed, "free_bytes": 0, "executions": 300}
        )
        return CleanupResult(removed=66, freed_bytes=freed)

    def _engine(self, **update: object) -> EngineHealth:
        self.engine = self.engine.model_copy(update=update)
        self.announce(ResourceType.WORKSPACE)
        return self.engine

    def _run(self, execution_id: ExecutionId) -> Execution:
        run: Execution = found({item.id: item for item in self.executions}, execution_id, "execution")
        return run

    def _follow(self, run: Execution, kind: Origin) -> Execution:
        made = run.model_copy(
            update={
                "id": self._new_id("exec"),
                "origin_id": run.id,
                "origin_kind": kind,
                "created_at": NOW,
                "state": ExecutionState.QUEUED,
                "note": None,
                "started_at": None,
                "finished_at": None,
            }
        )
        self.executions.insert(0, made)
        self.announce(ResourceType.EXECUTION, made.id, action="created")
        return made
