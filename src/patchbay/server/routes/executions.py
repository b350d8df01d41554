"""Executions: the list, one of them, its steps, and counts over time."""

from fastapi import APIRouter
from starlette.responses import Response

from patchbay.domain.executions import Execution, ExecutionStep, Histogram
from patchbay.server.access import Home
from patchbay.server.docs import answers
from patchbay.server.envelope import Many, One, Paged, many, one, paged
from patchbay.server.params import ExecutionPath, Executions, Paging

router = APIRouter(prefix="/executions", tags=["executions"])


@router.get("", responses=answers(Paged[Execution]))
async def list_executions(home: Home, where: Executions, page: Paging) -> Response:
    """Executions that match all conditions, newest first. Times are inclusive milliseconds."""
    return paged(await home.list_executions(where, page))


@router.get("/histogram", responses=answers(One[Histogram], checked=True))
async def histogram(
    home: Home,
    where: Executions,
    start: int,
    end: int,
    bars: int = 60,
) -> Response:
    """Counts over [start, end) in equal spans; the conditions apply except for the times."""
    return one(await home.histogram(where, start, end, bars))


@router.get("/{executionId}", responses=answers(One[Execution], missing=True))
async def get_execution(home: Home, execution_id: ExecutionPath) -> Response:
    """One execution with its flow."""
    return one(await home.get_execution(execution_id))


@router.get("/{executionId}/execution-steps", responses=answers(Many[ExecutionStep], missing=True))
async def execution_steps(home: Home, execution_id: ExecutionPath) -> Response:
    """Every attempt of every step, with data in, data out and error, in the order they ran."""
    return many(await home.execution_steps(execution_id))
