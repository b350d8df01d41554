"""Retrying many failed executions at once: a job that is begun, looked at and cancelled."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.executions import BulkRetry
from patchbay.server.access import Home
from patchbay.server.bodies import FailedExecutions
from patchbay.server.docs import answers
from patchbay.server.envelope import One, one
from patchbay.server.params import BulkRetryPath

router = APIRouter(prefix="/execution-retries", tags=["executions"])


@router.post("", status_code=202, responses=answers(One[BulkRetry], 202, checked=True, conflict=True))
async def retry_executions(home: Home, body: FailedExecutions | None = None) -> Response:
    """Begin to retry every failed execution that matches, one after the other, the oldest first."""
    return one(await home.retry_executions(body or FailedExecutions()), 202)


@router.get("/{retryId}", responses=answers(One[BulkRetry], missing=True))
async def bulk_retry(home: Home, retry_id: BulkRetryPath) -> Response:
    """How far it is. A job is forgotten a while after its end, and when the service is restarted."""
    return one(await home.bulk_retry(retry_id))


@router.delete("/{retryId}", responses=answers(One[BulkRetry], missing=True))
async def cancel_bulk_retry(home: Home, retry_id: BulkRetryPath) -> Response:
    """Retry no more of them; what was begun goes on."""
    return one(await home.cancel_bulk_retry(retry_id))
