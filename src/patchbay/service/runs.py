"""What is to become of executions: cancelled, taken up where they failed, run anew."""

from patchbay.domain.audit import AuditAction
from patchbay.domain.base import ExecutionId, Json
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import BulkRetry, Execution, ExecutionFilter, ReplayOn
from patchbay.service.bulk_retry import BulkRetries
from patchbay.service.parts import Operations, ServiceContext
from patchbay.storage import executions


class ExecutionControlOperations(Operations):
    """Control over single executions and over many at once."""

    def __init__(self, context: ServiceContext) -> None:
        super().__init__(context)
        self._bulk_retries = BulkRetries(context.db, context.engine, context.clock)

    async def cancel_execution(self, execution_id: ExecutionId) -> Execution:
        """End an unfinished run now. Raises `NotFound`, `Conflict` when it is finished."""
        await self._engine.cancel(execution_id)
        await self._record_audit_entry(AuditAction.CANCELLED, ResourceType.EXECUTION, execution_id)
        return await self._db.read(lambda tx: executions.get_execution(tx, execution_id))

    async def resume_execution(self, execution_id: ExecutionId) -> Execution:
        """End its wait for a retry or a rate limit. Raises `NotFound`, `Conflict` when it doesn't wait so."""
        await self._engine.resume_run(execution_id)
        await self._record_audit_entry(AuditAction.RESUMED, ResourceType.EXECUTION, execution_id)
        return await self._db.read(lambda tx: executions.get_execution(tx, execution_id))

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """A new execution that goes on from the failed step. Raises `NotFound`, `Conflict`."""
        new_id = await self._engine.retry(execution_id, full_rights=self._full_rights)
        await self._record_audit_entry(AuditAction.RETRIED, ResourceType.EXECUTION, execution_id)
        return new_id

    async def continue_execution(self, execution_id: ExecutionId) -> ExecutionId:
        """A new execution that goes on behind an interrupted step. Raises `NotFound`, `Conflict`."""
        new_id = await self._engine.continue_after(execution_id, full_rights=self._full_rights)
        await self._record_audit_entry(AuditAction.RETRIED, ResourceType.EXECUTION, execution_id)
        return new_id

    async def replay_execution(
        self, execution_id: ExecutionId, *, item: Json = None, on: ReplayOn = ReplayOn.ORIGINAL
    ) -> ExecutionId:
        """A new execution from the start. Raises `NotFound`, `Conflict`."""
        new_id = await self._engine.replay(execution_id, item, on, full_rights=self._full_rights)
        await self._record_audit_entry(AuditAction.REPLAYED, ResourceType.EXECUTION, execution_id)
        return new_id

    async def retry_executions(self, where: ExecutionFilter) -> BulkRetry:
        """Begin to retry every failed execution that matches, the oldest first.

        Raises `Conflict` while another bulk retry of this workspace is under way.
        """
        job = await self._bulk_retries.start(where, full_rights=self._full_rights)
        if job.total:
            await self._record_audit_entry(
                AuditAction.RETRIED, ResourceType.EXECUTION, name=f"{job.total:,} failed executions"
            )
        return job

    async def bulk_retry(self, job_id: str) -> BulkRetry:
        """How far it is. Raises `NotFound` for jobs that are forgotten."""
        return self._bulk_retries.get(job_id)

    async def cancel_bulk_retry(self, job_id: str) -> BulkRetry:
        """Retry no more of them; what was begun goes on."""
        job = await self._bulk_retries.cancel(job_id)
        await self._record_audit_entry(
            AuditAction.CANCELLED, ResourceType.EXECUTION, name=f"Retry of {job.total:,} executions"
        )
        return job

    def stop_bulk_retries(self) -> None:
        """Begin no more, as the workspace closes."""
        self._bulk_retries.close()
