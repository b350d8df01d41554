"""Executions: list, search, details, statistics, cancel, retry, and replay."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from fastapi import Query
from pydantic import WithJsonSchema
from starlette.responses import Response

from patchbay.domain.backend import Backend
from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.errors import NotFound
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionCounts,
    ExecutionStep,
    FlowRef,
    Histogram,
    SearchPage,
    StepRef,
)
from patchbay.domain.flows import Flow, FlowFilter, FlowStatus, Step, StepStatus
from patchbay.domain.paging import Page, PageRequest
from patchbay.server.authentication import RequestBackend
from patchbay.server.request_models import FailedExecutions, Replay
from patchbay.server.request_parameters import (
    BulkRetryPath,
    ExecutionFilterQuery,
    ExecutionPath,
    OptionalText,
    PageQuery,
)
from patchbay.server.responses import (
    Accepted,
    Many,
    One,
    Paged,
    describe_responses,
    many_shortened,
    one,
    paged,
)
from patchbay.server.routing import ResourceRouter


class StepShown(StepRef):
    """A step as of the run; the fields below are from the draft, if it still has the step."""

    status: StepStatus = StepStatus.COMPLETED
    parameters: JsonObject = {}
    webhook_url: str | None = None


class FlowShown(FlowRef):
    """The flow of an execution. Times and interval are null for a deleted flow."""

    status: FlowStatus = FlowStatus.DRAFT
    execution_interval: int | None = None
    created_at: EpochMs | None = None
    updated_at: EpochMs | None = None
    steps: tuple[StepShown, ...] = ()


class ExecutionShown(Execution):
    """An execution with its complete flow."""

    flow: FlowShown


async def with_listed_flows(backend: Backend, executions: Sequence[Execution]) -> tuple[ExecutionShown, ...]:
    """The executions with their flows as lists have them, which are read together."""
    ids = tuple({item.flow.id for item in executions})
    if not ids:
        return ()
    found = await backend.list_flows(FlowFilter(ids=ids), PageRequest(limit=len(ids)))
    flows = {flow.id: flow for flow in found.items}
    return tuple(_with_full_flow(item, flows.get(item.flow.id)) for item in executions)


async def with_complete_flow(backend: Backend, execution: Execution) -> ExecutionShown:
    """The execution with its complete flow."""
    try:
        return _with_full_flow(execution, await backend.get_flow(execution.flow.id))
    except NotFound:
        return _with_full_flow(execution, None)


def with_items(page: Page[Execution], items: tuple[ExecutionShown, ...]) -> Page[ExecutionShown]:
    """The page with these items instead."""
    return Page(items=items, total=page.total, page=page.page, limit=page.limit, next_cursor=page.next_cursor)


def _with_full_flow(item: Execution, flow: Flow | None) -> ExecutionShown:
    draft_steps = {step.id: step for step in flow.steps} if flow else {}
    steps = tuple(_full_step(ref, draft_steps.get(ref.id)) for ref in item.flow.steps)
    known = {name: getattr(item.flow, name) for name in FlowRef.model_fields} | {"steps": steps}
    if flow is not None:
        named = ("status", "execution_interval", "created_at", "updated_at")
        known |= {name: getattr(flow, name) for name in named}
    values = {name: getattr(item, name) for name in Execution.model_fields}
    return ExecutionShown.model_construct(**values | {"flow": FlowShown.model_construct(**known)})


def _full_step(ref: StepRef, step: Step | None) -> StepShown:
    known = {name: getattr(ref, name) for name in StepRef.model_fields}
    if step is not None:
        named = ("status", "parameters", "webhook_url")
        known |= {name: getattr(step, name) for name in named}
    return StepShown.model_construct(**known)


router = ResourceRouter(prefix="/executions", tags=["executions"])


@router.get("", responses=describe_responses(Paged[ExecutionShown]))
async def list_executions(backend: RequestBackend, where: ExecutionFilterQuery, page: PageQuery) -> Response:
    """List executions that match all conditions, newest first. Times are inclusive milliseconds.

    Long parameters are shortened: texts to 200 characters if a flow's parameters exceed 16 KB in total.
    """
    found = await backend.list_executions(where, page)
    shown = with_items(found, await with_listed_flows(backend, found.items))
    return await asyncio.to_thread(paged, shown)


@router.get("/histogram", responses=describe_responses(One[Histogram], invalid=True))
async def histogram(
    backend: RequestBackend,
    where: ExecutionFilterQuery,
    start: EpochMs,
    end: EpochMs,
    bars: Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 1000})] = 60,
) -> Response:
    """Count executions over [start, end) in equal intervals. All conditions but the times apply."""
    return one(await backend.histogram(where, start, end, bars))


@router.get("/counts", responses=describe_responses(One[ExecutionCounts]))
async def count_executions(backend: RequestBackend, where: ExecutionFilterQuery) -> Response:
    """Count the executions that match all conditions, by outcome, and all executions."""
    return one(await backend.count_executions(where))


@router.get("/search", responses=describe_responses(One[SearchPage], invalid=True))
async def search_executions(
    backend: RequestBackend,
    where: ExecutionFilterQuery,
    text: Annotated[
        str,
        WithJsonSchema({"type": "string", "pattern": r"\S"}),
        Query(description="Text in the input, output, or error of a step, or in the note."),
    ],
    cursor: Annotated[OptionalText, Query(description="`nextCursor` of the previous part.")] = None,
) -> Response:
    """Search the data of steps, newest executions first; all conditions apply.

    Each request searches for a limited time, so it may find nothing and still return a `nextCursor`.
    """
    return one(await backend.search_executions(text, where, cursor))


@router.get("/{executionId}", responses=describe_responses(One[ExecutionShown], not_found=True))
async def get_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Get an execution with its flow."""
    shown = await with_complete_flow(backend, await backend.get_execution(execution_id))
    return await asyncio.to_thread(one, shown)


@router.get(
    "/{executionId}/execution-steps", responses=describe_responses(Many[ExecutionStep], not_found=True)
)
async def execution_steps(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """List every attempt of every step with input, output, and error, in the order they ran.

    Data over 5 MB in total is shortened, the largest first; the affected steps are marked `shortened`.
    """
    return await asyncio.to_thread(many_shortened, await backend.execution_steps(execution_id))


@router.post(
    "/{executionId}/cancel", responses=describe_responses(One[Execution], not_found=True, conflict=True)
)
async def cancel_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Cancel an unfinished run; its running step is interrupted."""
    return one(await backend.cancel_execution(execution_id))


@router.post(
    "/{executionId}/resume", responses=describe_responses(One[Execution], not_found=True, conflict=True)
)
async def resume_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Stop waiting for a retry or a rate limit, and continue now."""
    return one(await backend.resume_execution(execution_id))


@router.post(
    "/{executionId}/retry",
    status_code=202,
    responses=describe_responses(One[Accepted], 202, not_found=True, conflict=True),
)
async def retry_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Continue from the failed step in a new execution; returns its ID as soon as it's accepted."""
    return one(Accepted(id=await backend.retry_execution(execution_id)), 202)


@router.post(
    "/{executionId}/continue",
    status_code=202,
    responses=describe_responses(One[Accepted], 202, not_found=True, conflict=True),
)
async def continue_execution(backend: RequestBackend, execution_id: ExecutionPath) -> Response:
    """Continue after the interrupted step, treating it as done, in a new execution; returns its ID."""
    return one(Accepted(id=await backend.continue_execution(execution_id)), 202)


@router.post(
    "/{executionId}/replay",
    status_code=202,
    responses=describe_responses(One[Accepted], 202, not_found=True, invalid=True, conflict=True),
)
async def replay_execution(
    backend: RequestBackend, execution_id: ExecutionPath, body: Replay | None = None
) -> Response:
    """Run again from the start in a new execution; returns its ID as soon as it's accepted."""
    replay = body or Replay()
    begun = await backend.replay_execution(execution_id, item=replay.item, on=replay.on)
    return one(Accepted(id=begun), 202)


bulk_retry_router = ResourceRouter(prefix="/execution-retries", tags=["executions"])


@bulk_retry_router.post(
    "", status_code=202, responses=describe_responses(One[BulkRetry], 202, invalid=True, conflict=True)
)
async def retry_executions(backend: RequestBackend, body: FailedExecutions | None = None) -> Response:
    """Start retrying all matching failed executions, one after the other, oldest first."""
    return one(await backend.retry_executions(body or FailedExecutions()), 202)


@bulk_retry_router.get("/{retryId}", responses=describe_responses(One[BulkRetry], not_found=True))
async def bulk_retry(backend: RequestBackend, retry_id: BulkRetryPath) -> Response:
    """Get the progress of a bulk retry. It's discarded some time after it ends, and at a restart."""
    return one(await backend.bulk_retry(retry_id))


@bulk_retry_router.delete("/{retryId}", responses=describe_responses(One[BulkRetry], not_found=True))
async def cancel_bulk_retry(backend: RequestBackend, retry_id: BulkRetryPath) -> Response:
    """Cancel a bulk retry; retries already started continue."""
    return one(await backend.cancel_bulk_retry(retry_id))
