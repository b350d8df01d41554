"""The part of the `Backend` protocol that is about executions and the engine that runs them."""

from collections.abc import Collection
from typing import Protocol

from patchbay.domain.access import Scope
from patchbay.domain.base import EpochMs, ExecutionId, Json
from patchbay.domain.engine import CleanupResult, EngineHealth, EngineSettings, StorageUsage
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionFilter,
    ExecutionStep,
    Histogram,
    ReplayOn,
)
from patchbay.domain.history import HistoryCopy, SearchPage
from patchbay.domain.operation_rules import Audience, requires_scope
from patchbay.domain.paging import Page, PageRequest


class RunBackend(Protocol):
    """What ran, and what is to become of it."""

    # Executions
    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_executions(self, where: ExecutionFilter, page: PageRequest) -> Page[Execution]:
        """Newest first."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def search_executions(
        self, text: str, where: ExecutionFilter, cursor: str | None = None
    ) -> SearchPage:
        """One bounded stretch of a search for text in what steps took in and put out, and in errors.

        Upper and lower case are the same. From the newest execution or from `cursor` on backwards.
        """
        ...

    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def history_copy(self) -> HistoryCopy:
        """How the copy of a remote history stands."""
        ...

    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def start_history_download(self) -> HistoryCopy:
        """Go on reading it in the background. Nothing happens where none is needed."""
        ...

    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def stop_history_download(self) -> HistoryCopy:
        """Keep what is there and read no more."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def get_execution(self, execution_id: ExecutionId) -> Execution: ...
    @requires_scope(Scope.READ, Audience.OWNED)
    async def execution_steps(self, execution_id: ExecutionId) -> tuple[ExecutionStep, ...]:
        """Every attempt of every step, in the order they ran."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED)
    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        """End an unfinished run now. A step on its way is cut off: its outcome is unknown.

        Flows it called and waits for are cancelled with it. Raises `Conflict` when it is finished.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        """Stop waiting for a retry, or for a host or connection that asked to wait (429), and go on now.

        All runs that wait for the same host or connection go on. Raises `Conflict` for other waits.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """A new execution that goes on from the failed step, with what the steps before it put out.

        Raises `Conflict` for executions that did not fail.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """A new execution that goes on after the interrupted step that ended this one, which counts as done.

        Raises `Conflict` for executions that ended otherwise.
        """
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        """A new execution from the start, on what the trigger put out then, or on `item` in its place."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        """Begin to retry every failed execution that matches; `bulk_retry` tells how far it is."""
        ...

    @requires_scope(Scope.READ, Audience.PUBLIC)
    async def bulk_retry(self, job_id: str) -> BulkRetry: ...
    @requires_scope(Scope.OPERATE, Audience.PUBLIC)
    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        """Retry no more of them; what was begun goes on."""
        ...

    @requires_scope(Scope.READ, Audience.OWNED)
    async def histogram(self, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
        """Counts over [start, end) in `bars` equal spans; the time conditions of `where` do not apply."""
        ...

    # The engine
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def pause_runs(self) -> EngineHealth:
        """Start no run, poll or schedule, also after a restart, until `resume_runs`; webhooks are kept."""
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY, starts_runs=True)
    async def resume_runs(self) -> EngineHealth: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def engine_settings(self) -> EngineSettings: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def change_engine_settings(
        self, settings: EngineSettings, fields: Collection[str] | None = None
    ) -> EngineSettings:
        """Store these fields of `settings`, or all of them; the others keep their stored values.

        Name only the fields that changed, so that nobody else's change is overwritten.
        """
        ...

    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def storage_usage(self) -> StorageUsage: ...
    @requires_scope(Scope.ADMIN, Audience.ADMIN_ONLY)
    async def clean_up_history(self) -> CleanupResult:
        """Remove now what the retention does not keep, and give the space back to the disk."""
        ...
