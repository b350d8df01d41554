"""The part of the `Backend` protocol that is about executions and the engine that runs them."""

from typing import Protocol

from patchbay.domain.base import EpochMs, ExecutionId, Json
from patchbay.domain.engine import EngineHealth, EngineSettings, StorageUse, Tidied
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionFilter,
    ExecutionStep,
    Histogram,
    ReplayOn,
)
from patchbay.domain.history import HistoryCopy, SearchPage
from patchbay.domain.paging import Page, PageRequest


class RunBackend(Protocol):
    """What ran, and what is to become of it."""

    # Executions
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        """Newest first."""
        ...

    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        """One bounded stretch of a search for text in what steps took in and put out, and in errors.

        Upper and lower case are the same. From the newest execution or from `cursor` on backwards.
        """
        ...

    async def history_copy(self) -> HistoryCopy:
        """How the copy of a remote history stands."""
        ...

    async def read_history(self) -> HistoryCopy:
        """Go on reading it in the background. Nothing happens where none is needed."""
        ...

    async def stop_reading_history(self) -> HistoryCopy:
        """Keep what is there and read no more."""
        ...

    async def get_execution(self, execution_id: ExecutionId) -> Execution: ...
    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        """Every attempt of every step, in the order they ran."""
        ...

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        """End an unfinished run now. A step on its way is cut off: its outcome is unknown.

        Flows it called and waits for are cancelled with it. Raises `Conflict` when it is finished.
        """
        ...

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """A new execution that goes on from the failed step, with what the steps before it put out.

        Raises `Conflict` for executions that did not fail.
        """
        ...

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        """A new execution from the start, on what the trigger put out then, or on `item` in its place."""
        ...

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        """Begin to retry every failed execution that matches; `bulk_retry` tells how far it is."""
        ...

    async def bulk_retry(self, job_id: str) -> BulkRetry: ...
    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        """Retry no more of them; what was begun goes on."""
        ...

    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        """Counts over [start, end) in `bars` equal spans; the time conditions of `where` do not apply."""
        ...

    # The engine
    async def pause_runs(self) -> EngineHealth:
        """Start no run, poll or schedule, also after a restart, until `resume_runs`; webhooks are kept."""
        ...

    async def resume_runs(self) -> EngineHealth: ...
    async def engine_settings(self) -> EngineSettings: ...
    async def change_engine_settings(self, settings: EngineSettings) -> EngineSettings: ...
    async def storage_use(self) -> StorageUse: ...
    async def tidy_history(self) -> Tidied:
        """Remove now what the retention does not keep, and give the space back to the disk."""
        ...
