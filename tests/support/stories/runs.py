"""Control over what ran: cancelled, retried, run anew, and many retried at once."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from sqlalchemy import update
from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.flows import ready_flow
from tests.support.workspace import WorkspaceRuntime

from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import Conflict, NotFound
from patchbay.domain.executions import (
    BulkRetry,
    Execution,
    ExecutionFilter,
    ExecutionState,
    Origin,
    ReplayOn,
    StepState,
    WaitsFor,
)
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.storage.tables import execution_step

_MAKES = ("create_flow", "update_step", "skip_step_test", "publish_flow", "run_flow")


async def _live(call: OperationRecorder, text: str = "hello") -> Flow:
    flow = await ready_flow(call)
    return await _now_with(call, flow, text)


async def _now_with(call: OperationRecorder, flow: Flow, text: str) -> Flow:
    """The flow, published anew with this text in its action; “crash” makes it fail."""
    await call("update_step", flow.steps[1].id, StepChange(parameters={"text": text}))
    await call("skip_step_test", flow.steps[1].id)
    return await call("publish_flow", flow.id)


async def _ran(call: OperationRecorder, flow: Flow, **item: str) -> Execution:
    return await call.finished(await call("run_flow", flow.id, item))


async def _not_there(call: OperationRecorder, operation: str) -> None:
    assert isinstance(await call.refused(operation, str(uuid4())), NotFound)
    assert isinstance(await call.refused(operation, "not-an-id"), NotFound)


async def _waiting(call: OperationRecorder, execution_id: ExecutionId) -> Execution:
    while True:
        run = await call.workspace.runtime.backend.get_execution(execution_id)
        if run.state is ExecutionState.WAITING:
            return run
        await asyncio.sleep(0)


@story(*_MAKES, "pause_runs", "resume_runs", "cancel_execution", "get_execution")
async def an_unfinished_run_is_cancelled(call: OperationRecorder) -> None:
    flow = await _live(call)
    await call("pause_runs")
    queued = await call("run_flow", flow.id, {"n": 1})

    ended = await call("cancel_execution", queued)

    assert (ended.state, ended.status) == (ExecutionState.CANCELLED, None)
    assert ended.note
    assert isinstance(await call.refused("cancel_execution", queued), Conflict)
    await call("resume_runs")
    assert (await _ran(call, flow)).state is ExecutionState.SUCCESS
    assert (await call("get_execution", queued)).state is ExecutionState.CANCELLED
    await _not_there(call, "cancel_execution")


@story(*_MAKES, "pause_runs", "resume_runs", "resume_execution", "cancel_execution")
async def a_run_that_a_busy_service_refused_goes_on_at_once(call: OperationRecorder) -> None:
    flow = await _live(call, "busy")
    waiting = await _waiting(call, await call("run_flow", flow.id, {"n": 1}))
    await call("pause_runs")

    resumed = await call("resume_execution", waiting.id)

    assert (waiting.waits_for, resumed.waits_for) == (WaitsFor.LIMIT, WaitsFor.LIMIT)
    assert resumed.wake_at < waiting.wake_at
    await call("cancel_execution", waiting.id)
    await call("resume_runs")
    fine = await _ran(call, await _live(call))
    assert isinstance(await call.refused("resume_execution", fine.id), Conflict)
    await _not_there(call, "resume_execution")


@story(*_MAKES, "retry_execution", "get_execution", "execution_steps", "list_executions")
async def a_failed_run_goes_on_in_a_new_execution(call: OperationRecorder) -> None:
    flow = await _live(call, "crash")
    failed = await _ran(call, flow, name="Ada")

    again = await call("retry_execution", failed.id)

    await call.finished(again)
    seen = await call("get_execution", again)
    assert (seen.state, seen.origin_id, seen.origin_kind) == (
        ExecutionState.FAILURE,
        failed.id,
        Origin.RETRY,
    )
    caught, crashed = await call("execution_steps", again)
    assert (caught.status, caught.data_out) == (StepState.SUCCESS, {"name": "Ada"})
    assert crashed.status is StepState.FAILURE
    came_of_it = await call("list_executions", ExecutionFilter(origin_id=failed.id), PageRequest())
    assert [run.id for run in came_of_it.items] == [again]
    none = await call("list_executions", ExecutionFilter(origin_id=ExecutionId(str(uuid4()))), PageRequest())
    assert none.items == ()
    await _not_there(call, "retry_execution")


@story(*_MAKES, "continue_execution", "get_execution", "execution_steps")
async def only_what_an_interruption_ended_is_continued(call: OperationRecorder) -> None:
    failed = await _ran(call, await _live(call, "crash"))
    assert isinstance(await call.refused("continue_execution", failed.id), Conflict)
    await _not_there(call, "continue_execution")
    await _interrupted(call.workspace.runtime, failed.id)

    again = await call("continue_execution", failed.id)

    await call.finished(again)
    assert (await call("get_execution", again)).state is ExecutionState.SUCCESS
    _, done = await call("execution_steps", again)
    assert (done.status, done.data_out, len(done.warnings)) == (StepState.SUCCESS, None, 1)


async def _interrupted(runtime: WorkspaceRuntime, execution_id: ExecutionId) -> None:
    """Let the failed step look as if the program had been killed while it ran."""
    error = json.dumps({"kind": "OutcomeUnknown", "happened": "Stopped.", "meaning": "", "todo": ""})
    failed = update(execution_step).where(execution_step.c.execution_id == execution_id)
    failed = failed.where(execution_step.c.status == StepState.FAILURE).values(error=error)
    await runtime.db.write(lambda tx: tx.execute(failed))


@story(*_MAKES, "retry_execution")
async def only_what_failed_is_retried(call: OperationRecorder) -> None:
    fine = await _ran(call, await _live(call))

    assert isinstance(await call.refused("retry_execution", fine.id), Conflict)


@story(*_MAKES, "replay_execution", "get_execution", "execution_steps")
async def a_run_is_repeated_with_other_data_and_other_steps(call: OperationRecorder) -> None:
    flow = await _live(call, "first")
    first = await _ran(call, flow, name="Ada")
    await _now_with(call, flow, "second")

    async def replayed(item: object, on: ReplayOn) -> tuple[object, object]:
        made = await call("replay_execution", first.id, item=item, on=on)
        await call.finished(made)
        seen = await call("get_execution", made)
        assert (seen.origin_id, seen.origin_kind) == (first.id, Origin.REPLAY)
        caught, passed_on = await call("execution_steps", made)
        return caught.data_out, passed_on.data_out

    ada, bob = {"name": "Ada"}, {"name": "Bob"}
    assert await replayed(None, ReplayOn.ORIGINAL) == (ada, {"text": "first"})
    assert await replayed(bob, ReplayOn.ORIGINAL) == (bob, {"text": "first"})
    assert await replayed(None, ReplayOn.NEWEST) == (ada, {"text": "second"})
    assert await replayed(bob, ReplayOn.NEWEST) == (bob, {"text": "second"})
    await _not_there(call, "replay_execution")


@asynccontextmanager
async def _held_retries(runtime: WorkspaceRuntime) -> AsyncIterator[asyncio.Event]:
    """Single retries wait for the event, so that a bulk retry can be met under way."""
    go, retry = asyncio.Event(), runtime.engine.retry

    async def later(execution_id: ExecutionId, *, full_rights: bool = False) -> ExecutionId:
        await go.wait()
        return await retry(execution_id, full_rights=full_rights)

    runtime.engine.retry = later  # type: ignore[method-assign]
    yield go
    runtime.engine.retry = retry  # type: ignore[method-assign]


async def _reached(call: OperationRecorder, job: BulkRetry, what: str) -> None:
    while True:
        if getattr(await call.workspace.runtime.backend.bulk_retry(job.id), what):
            return
        await asyncio.sleep(0)


@story(*_MAKES, "retry_executions", "bulk_retry", "cancel_bulk_retry", "list_executions")
async def many_failed_runs_are_retried_at_once(call: OperationRecorder) -> None:
    flow, other = await _live(call, "crash"), await _live(call, "crash")
    failed = {(await _ran(call, flow, n=n)).id for n in "abc"}
    await _ran(call, other)

    job = await call("retry_executions", ExecutionFilter(flow_id=flow.id))

    assert job.total == 3
    await _reached(call, job, "finished")
    done = await call("bulk_retry", job.id)
    assert (done.done, done.refused, done.cancelled) == (3, 0, False)
    everything = await call.workspace.runtime.backend.list_executions(
        ExecutionFilter(flow_id=flow.id), PageRequest()
    )
    assert {run.origin_id for run in everything.items if run.origin_id} == failed
    assert await call("cancel_bulk_retry", job.id) == done
    await _not_there(call, "bulk_retry")
    await _not_there(call, "cancel_bulk_retry")

    nothing = await call("retry_executions", ExecutionFilter(states=(ExecutionState.SUCCESS,)))
    assert (nothing.total, nothing.finished) == (0, True)


@story(*_MAKES, "retry_executions", "bulk_retry", "cancel_bulk_retry")
async def one_bulk_retry_at_a_time_and_it_can_be_cancelled(call: OperationRecorder) -> None:
    flow = await _live(call, "crash")
    for n in "ab":
        await _ran(call, flow, n=n)

    async with _held_retries(call.workspace.runtime) as go:
        job = await call("retry_executions", ExecutionFilter())
        assert not (await call("bulk_retry", job.id)).finished
        assert isinstance(await call.refused("retry_executions", ExecutionFilter()), Conflict)
        cancelling = asyncio.ensure_future(call("cancel_bulk_retry", job.id))
        await _reached(call, job, "cancelled")
        go.set()

        ended = await cancelling

    assert (ended.total, ended.done, ended.cancelled, ended.finished) == (2, 1, True, True)
