"""Retrying many failed executions: one job at a time, in memory, that can be watched and cancelled."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from uuid import uuid4

from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.errors import AppError, Conflict, NotFound, StorageFault, Unreachable
from patchbay.domain.executions import BulkRetry, ExecutionFilter
from patchbay.service.parts import Engine
from patchbay.storage import retriable
from patchbay.storage.database import Database

log = logging.getLogger(__name__)

MAX_REASONS = 10
BATCH_SIZE = 20
"""Retries between two pauses, so that the runs that come in meanwhile get their turn."""
BATCH_PAUSE_SECONDS = 0.2
MAX_FINISHED_JOBS = 20
"""Finished jobs that can still be asked about; the oldest is forgotten."""


class BulkRetries:
    """The jobs of one workspace. What a job began goes on without it; a restart forgets the job itself."""

    def __init__(
        self, db: Database, engine: Engine, clock: Callable[[], EpochMs], pause: float = BATCH_PAUSE_SECONDS
    ) -> None:
        self._db, self._engine, self._clock, self._pause = db, engine, clock, pause
        self._jobs: dict[str, BulkRetry] = {}
        self._task: asyncio.Task[None] | None = None
        self._start_lock = asyncio.Lock()
        self._stop_requested = asyncio.Event()

    async def start(self, where: ExecutionFilter, *, full_rights: bool = False) -> BulkRetry:
        """Take down what is to be retried and begin with the oldest. Raises `Conflict` while another runs.

        `full_rights`: those of whoever asked for it, for each retry.
        """
        async with self._start_lock:
            self._require_idle()
            now = self._clock()
            ids = await self._db.read(lambda tx: retriable.find_executions_to_retry(tx, where, now))
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
        """How far it is. Raises `NotFound`."""
        if job_id not in self._jobs:
            raise NotFound(
                "This bulk retry is not known any more.",
                meaning="It ended a while ago, or Patchbay was restarted since. What it began goes on.",
                todo="Look at the list of executions, and retry what is still failed.",
            )
        return self._jobs[job_id]

    async def cancel(self, job_id: str) -> BulkRetry:
        """Retry no more; nothing happens when it is finished. Raises `NotFound`."""
        if not self.get(job_id).finished and self._task is not None:
            self._update(job_id, cancelled=True)
            self._stop_requested.set()
            await asyncio.wait([self._task])
        return self._jobs[job_id]

    def close(self) -> None:
        """End what is under way, as the workspace closes."""
        if self._task is not None:
            self._task.cancel()

    def _require_idle(self) -> None:
        running = next((job for job in self._jobs.values() if not job.finished), None)
        if running is not None:
            processed = running.done + running.refused
            raise Conflict(
                f"Another bulk retry is under way: {processed:,} of {running.total:,} are through.",
                todo="Wait until it is through, or cancel it where it was begun.",
            )

    async def _run_job(self, job_id: str, ids: Sequence[ExecutionId], full_rights: bool) -> None:
        try:
            for number, execution_id in enumerate(ids, 1):
                await self._retry(job_id, execution_id, full_rights)
                if number % BATCH_SIZE == 0:
                    await self._pause_between_batches()
                if self._stop_requested.is_set():
                    break
        except (StorageFault, Unreachable) as problem:  # not about one execution: the next would meet it too
            self._add_reason(job_id, problem)
            self._update(job_id, cancelled=True)
        except Exception:  # a fault must not leave a job that never ends
            log.exception("a bulk retry stopped on a fault")
            self._update(job_id, cancelled=True)
        finally:
            self._update(job_id, finished=True)

    async def _pause_between_batches(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop_requested.wait(), self._pause)

    async def _retry(self, job_id: str, execution_id: ExecutionId, full_rights: bool) -> None:
        job = self._jobs[job_id]
        if await self._db.read(lambda tx: retriable.was_retried(tx, execution_id)):
            self._update(job_id, total=job.total - 1)  # somebody was quicker
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
