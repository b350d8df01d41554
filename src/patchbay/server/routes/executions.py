"""Executions: the list, one of them, its steps, counts over time, and what is to become of one."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import WithJsonSchema
from starlette.responses import Response

from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionStep, Histogram
from patchbay.domain.history import SearchPage
from patchbay.domain.shortening import shorten_flow
from patchbay.server.access import RequestBackend
from patchbay.server.bodies import Replay
from patchbay.server.docs import describe_responses
from patchbay.server.envelope import Accepted, Many, One, Paged, many_shortened, one, paged
from patchbay.server.execution_flows import ExecutionShown, with_full_flows, with_items
from patchbay.server.params import ExecutionFilterQuery, ExecutionPath, OptionalText, PageQuery

router = APIRouter(prefix="/executions", tags=["executions"])


@router.get("", responses=describe_responses(Paged[ExecutionShown]))
async def list_executions(backend: RequestBackend, where: ExecutionFilterQuery, page: PageQuery) -> Response:
    """Executions that match all conditions, newest first. Times are inclusive milliseconds.

    Long parameters are cut: texts to 200 characters where those of a flow take more than 16 KB in all.
    """
    found = await backend.list_executions(where, page)
    shown = with_items(found, await with_full_flows(backend, found.items, shorten_flow))
    return await asyncio.to_thread(paged, shown)


@router.get("/histogram", responses=describe_responses(One[Histogram], invalid=True))
async def histogram(
    backend: RequestBackend,
    where: ExecutionFilterQuery,
    start: EpochMs,
    end: EpochMs,
    bars: Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 1000})] = 60,
) -> Response:
    """Counts over [start, end) in equal spans; the conditions apply except for the times."""
    return one(await backend.histogram(where, start, end, bars))


@router.get("/search", responses=describe_responses(One[SearchPage], invalid=True))
async def search_executions(
    backend: RequestBackend,
    where: ExecutionFilterQuery,
    text: Annotated[
        str,
        WithJsonSchema({"type": "string", "pattern": r"\S"}),
        Query(description="Part of data in, data out, an error or the note."),
    ],
    cursor: Annotated[OptionalText, Query(description="The nextCursor of the stretch before.")] = None,
) -> Response:
    """One short stretch of a search in the data of steps, newest first; all conditions apply.

    A stretch is bounded in time, so it may find nothing and still have a nextCursor to go on with.
    """
    return one(await backend.search_executions(text, where, cursor))


@router.get("/{executionId}", responses=describe_responses(One[ExecutionShown], not_found=True))
async def get_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """One execution with its flow."""
    [shown] = await with_full_flows(backend, [await backend.get_execution(execution_id)])
    return await asyncio.to_thread(one, shown)


@router.get(
    "/{executionId}/execution-steps", responses=describe_responses(Many[ExecutionStep], not_found=True)
)
async def execution_steps(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Every attempt of every step, with data in, data out and error, in the order they ran.

    Data of more than 5 MB in all is cut, the largest first; steps with cut data are `shortened`.
    """
    return await asyncio.to_thread(many_shortened, await backend.execution_steps(execution_id))


@router.post(
    "/{executionId}/cancel", responses=describe_responses(One[Execution], not_found=True, conflict=True)
)
async def cancel_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """End an unfinished run now; a step on its way is cut off."""
    return one(await backend.cancel_execution(execution_id))


@router.post(
    "/{executionId}/resume", responses=describe_responses(One[Execution], not_found=True, conflict=True)
)
async def resume_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Stop waiting for a retry or for a service that asked to wait, and go on now."""
    return one(await backend.resume_execution(execution_id))


@router.post("/{executionId}/retry", status_code=202,
             responses=describe_responses(One[Accepted], 202, not_found=True, conflict=True))  # fmt: skip
async def retry_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Go on from the failed step in a new execution; answers with its id as soon as it is accepted."""
    return one(Accepted(id=await backend.retry_execution(execution_id)), 202)


@router.post("/{executionId}/continue", status_code=202,
             responses=describe_responses(One[Accepted], 202, not_found=True, conflict=True))  # fmt: skip
async def continue_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Go on after the interrupted step, which was done, in a new execution; answers with its id."""
    return one(Accepted(id=await backend.continue_execution(execution_id)), 202)


@router.post("/{executionId}/replay", status_code=202,
             responses=describe_responses(One[Accepted], 202, not_found=True, invalid=True, conflict=True))  # fmt: skip
async def replay_execution(
    backend: RequestBackend, execution_id: ExecutionPath, body: Replay | None = None
) -> Response:
    """Run anew from the start; answers with the id of the new execution as soon as it is accepted."""
    replay = body or Replay()
    begun = await backend.replay_execution(execution_id, item=replay.item, on=replay.on)
    return one(Accepted(id=begun), 202)
