"""Retrying many failed executions at once: a job that is begun, looked at and cancelled."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.executions import BulkRetry
from patchbay.server.access import RequestBackend
from patchbay.server.bodies import FailedExecutions
from patchbay.server.docs import describe_responses
from patchbay.server.envelope import One, one
from patchbay.server.params import BulkRetryPath

bulk_retry_router = APIRouter(prefix="/execution-retries", tags=["executions"])


@bulk_retry_router.post(
    "", status_code=202, responses=describe_responses(One[BulkRetry], 202, invalid=True, conflict=True)
)
async def retry_executions(backend: RequestBackend, body: FailedExecutions | None = None) -> Response:
    """Begin to retry every failed execution that matches, one after the other, the oldest first."""
    return one(await backend.retry_executions(body or FailedExecutions()), 202)


@bulk_retry_router.get("/{retryId}", responses=describe_responses(One[BulkRetry], not_found=True))
async def bulk_retry(backend: RequestBackend, retry_id: BulkRetryPath) -> Response:
    """How far it is. A job is forgotten a while after its end, and when the service is restarted."""
    return one(await backend.bulk_retry(retry_id))


@bulk_retry_router.delete("/{retryId}", responses=describe_responses(One[BulkRetry], not_found=True))
async def cancel_bulk_retry(backend: RequestBackend, retry_id: BulkRetryPath) -> Response:
    """Retry no more of them; what was begun goes on."""
    return one(await backend.cancel_bulk_retry(retry_id))
