"""Control over what ran: cancelled, retried, run anew, and many retried at once."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from sqlalchemy import update
from tests.support.stories import story
from tests.support.stories.flows import ready_flow
from tests.support.teller import Teller
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


async def _live(tell: Teller, text: str = "hello") -> Flow:
    flow = await ready_flow(tell)
    return await _now_with(tell, flow, text)


async def _now_with(tell: Teller, flow: Flow, text: str) -> Flow:
    """The flow, published anew with this text in its action; “crash” makes it fail."""
    await tell("update_step", flow.steps[1].id, StepChange(parameters={"text": text}))
    await tell("skip_step_test", flow.steps[1].id)
    return await tell("publish_flow", flow.id)


async def _ran(tell: Teller, flow: Flow, **item: str) -> Execution:
    return await tell.finished(await tell("run_flow", flow.id, item))


async def _not_there(tell: Teller, operation: str) -> None:
    assert isinstance(await tell.refused(operation, str(uuid4())), NotFound)
    assert isinstance(await tell.refused(operation, "not-an-id"), NotFound)


async def _waiting(tell: Teller, execution_id: ExecutionId) -> Execution:
    while True:
        run = await tell.home.runtime.backend.get_execution(execution_id)
        if run.state is ExecutionState.WAITING:
            return run
        await asyncio.sleep(0)


@story(*_MAKES, "pause_runs", "resume_runs", "cancel_execution", "get_execution")
async def an_unfinished_run_is_cancelled(tell: Teller) -> None:
    flow = await _live(tell)
    await tell("pause_runs")
    queued = await tell("run_flow", flow.id, {"n": 1})

    ended = await tell("cancel_execution", queued)

    assert (ended.state, ended.status) == (ExecutionState.CANCELLED, None)
    assert ended.note
    assert isinstance(await tell.refused("cancel_execution", queued), Conflict)
    await tell("resume_runs")
    assert (await _ran(tell, flow)).state is ExecutionState.SUCCESS
    assert (await tell("get_execution", queued)).state is ExecutionState.CANCELLED
    await _not_there(tell, "cancel_execution")


@story(*_MAKES, "pause_runs", "resume_runs", "resume_execution", "cancel_execution")
async def a_run_that_a_busy_service_refused_goes_on_at_once(tell: Teller) -> None:
    flow = await _live(tell, "busy")
    waiting = await _waiting(tell, await tell("run_flow", flow.id, {"n": 1}))
    await tell("pause_runs")

    resumed = await tell("resume_execution", waiting.id)

    assert (waiting.waits_for, resumed.waits_for) == (WaitsFor.LIMIT, WaitsFor.LIMIT)
    assert resumed.wake_at < waiting.wake_at
    await tell("cancel_execution", waiting.id)
    await tell("resume_runs")
    fine = await _ran(tell, await _live(tell))
    assert isinstance(await tell.refused("resume_execution", fine.id), Conflict)
    await _not_there(tell, "resume_execution")


@story(*_MAKES, "retry_execution", "get_execution", "execution_steps", "list_executions")
async def a_failed_run_goes_on_in_a_new_execution(tell: Teller) -> None:
    flow = await _live(tell, "crash")
    failed = await _ran(tell, flow, name="Ada")

    again = await tell("retry_execution", failed.id)

    await tell.finished(again)
    seen = await tell("get_execution", again)
    assert (seen.state, seen.origin_id, seen.origin_kind) == (
        ExecutionState.FAILURE,
        failed.id,
        Origin.RETRY,
    )
    caught, crashed = await tell("execution_steps", again)
    assert (caught.status, caught.data_out) == (StepState.SUCCESS, {"name": "Ada"})
    assert crashed.status is StepState.FAILURE
    came_of_it = await tell("list_executions", ExecutionFilter(origin_id=failed.id), PageRequest())
    assert [run.id for run in came_of_it.items] == [again]
    none = await tell("list_executions", ExecutionFilter(origin_id=str(uuid4())), PageRequest())
    assert none.items == ()
    await _not_there(tell, "retry_execution")


@story(*_MAKES, "continue_execution", "get_execution", "execution_steps")
async def only_what_an_interruption_ended_is_continued(tell: Teller) -> None:
    failed = await _ran(tell, await _live(tell, "crash"))
    assert isinstance(await tell.refused("continue_execution", failed.id), Conflict)
    await _not_there(tell, "continue_execution")
    await _interrupted(tell.home.runtime, failed.id)

    again = await tell("continue_execution", failed.id)

    await tell.finished(again)
    assert (await tell("get_execution", again)).state is ExecutionState.SUCCESS
    _, done = await tell("execution_steps", again)
    assert (done.status, done.data_out, len(done.warnings)) == (StepState.SUCCESS, None, 1)


async def _interrupted(runtime: WorkspaceRuntime, execution_id: ExecutionId) -> None:
    """Let the failed step look as if the program had been killed while it ran."""
    error = json.dumps({"kind": "OutcomeUnknown", "happened": "Stopped.", "meaning": "", "todo": ""})
    failed = update(execution_step).where(execution_step.c.execution_id == execution_id)
    failed = failed.where(execution_step.c.status == StepState.FAILURE).values(error=error)
    await runtime.db.write(lambda tx: tx.execute(failed))


@story(*_MAKES, "retry_execution")
async def only_what_failed_is_retried(tell: Teller) -> None:
    fine = await _ran(tell, await _live(tell))

    assert isinstance(await tell.refused("retry_execution", fine.id), Conflict)


@story(*_MAKES, "replay_execution", "get_execution", "execution_steps")
async def a_run_is_done_anew_on_other_data_and_other_steps(tell: Teller) -> None:
    flow = await _live(tell, "first")
    first = await _ran(tell, flow, name="Ada")
    await _now_with(tell, flow, "second")

    async def replayed(item: object, on: ReplayOn) -> tuple[object, object]:
        made = await tell("replay_execution", first.id, item=item, on=on)
        await tell.finished(made)
        seen = await tell("get_execution", made)
        assert (seen.origin_id, seen.origin_kind) == (first.id, Origin.REPLAY)
        caught, passed_on = await tell("execution_steps", made)
        return caught.data_out, passed_on.data_out

    ada, bob = {"name": "Ada"}, {"name": "Bob"}
    assert await replayed(None, ReplayOn.ORIGINAL) == (ada, {"text": "first"})
    assert await replayed(bob, ReplayOn.ORIGINAL) == (bob, {"text": "first"})
    assert await replayed(None, ReplayOn.NEWEST) == (ada, {"text": "second"})
    assert await replayed(bob, ReplayOn.NEWEST) == (bob, {"text": "second"})
    await _not_there(tell, "replay_execution")


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


async def _reached(tell: Teller, job: BulkRetry, what: str) -> None:
    while True:
        if getattr(await tell.home.runtime.backend.bulk_retry(job.id), what):
            return
        await asyncio.sleep(0)


@story(*_MAKES, "retry_executions", "bulk_retry", "cancel_bulk_retry", "list_executions")
async def many_failed_runs_are_retried_at_once(tell: Teller) -> None:
    flow, other = await _live(tell, "crash"), await _live(tell, "crash")
    failed = {(await _ran(tell, flow, n=n)).id for n in "abc"}
    await _ran(tell, other)

    job = await tell("retry_executions", ExecutionFilter(flow_id=flow.id))

    assert job.total == 3
    await _reached(tell, job, "finished")
    done = await tell("bulk_retry", job.id)
    assert (done.done, done.refused, done.cancelled) == (3, 0, False)
    everything = await tell.home.runtime.backend.list_executions(
        ExecutionFilter(flow_id=flow.id), PageRequest()
    )
    assert {run.origin_id for run in everything.items if run.origin_id} == failed
    assert await tell("cancel_bulk_retry", job.id) == done
    await _not_there(tell, "bulk_retry")
    await _not_there(tell, "cancel_bulk_retry")

    nothing = await tell("retry_executions", ExecutionFilter(states=(ExecutionState.SUCCESS,)))
    assert (nothing.total, nothing.finished) == (0, True)


@story(*_MAKES, "retry_executions", "bulk_retry", "cancel_bulk_retry")
async def one_bulk_retry_at_a_time_and_it_can_be_cancelled(tell: Teller) -> None:
    flow = await _live(tell, "crash")
    for n in "ab":
        await _ran(tell, flow, n=n)

    async with _held_retries(tell.home.runtime) as go:
        job = await tell("retry_executions", ExecutionFilter())
        assert not (await tell("bulk_retry", job.id)).finished
        assert isinstance(await tell.refused("retry_executions", ExecutionFilter()), Conflict)
        cancelling = asyncio.ensure_future(tell("cancel_bulk_retry", job.id))
        await _reached(tell, job, "cancelled")
        go.set()

        ended = await cancelling

    assert (ended.total, ended.done, ended.cancelled, ended.finished) == (2, 1, True, True)
