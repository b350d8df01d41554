"""Executions, their steps and their figures."""

from typing import Any
from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.flows import ready_flow
from tests.support.workspace import START

from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.executions import (
    ExecutionFilter,
    ExecutionState,
    ExecutionStatus,
    HistoryCopyState,
    StepState,
)
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.paging import PageRequest

_MAKES = ("create_flow", "update_step", "skip_step_test", "publish_flow", "run_flow")


async def _changed(call: OperationRecorder, flow: Flow, text: str) -> None:
    await call("update_step", flow.steps[1].id, StepChange(parameters={"text": text}))
    await call("skip_step_test", flow.steps[1].id)
    await call("publish_flow", flow.id)


async def _history(call: OperationRecorder) -> Flow:
    """Three runs of a flow: one that worked, one that a filter ended, one that failed."""
    flow = await ready_flow(call, "Orders")
    for text in ("fine", "nothing", "crash"):
        await _changed(call, flow, text)
        await call.finished(await call("run_flow", flow.id, {"order": text}))
    return flow


@story(*_MAKES, "list_executions", "get_execution", "execution_steps")
async def executions_are_found_by_every_condition(call: OperationRecorder) -> None:
    flow = await _history(call)

    async def found(**conditions: Any) -> list[ExecutionState]:
        page = await call("list_executions", ExecutionFilter(**conditions), PageRequest())
        return [run.state for run in page.items]

    failed = ExecutionState.FAILURE
    filtered = ExecutionState.FILTERED
    fine = ExecutionState.SUCCESS
    assert await found() == [failed, filtered, fine]
    assert await found(status=ExecutionStatus.FAILURE) == [failed]
    assert await found(status=ExecutionStatus.SUCCESS) == [filtered, fine]
    assert await found(states=(filtered, failed)) == [failed, filtered]
    assert await found(name="ORD") == [failed, filtered, fine]
    assert await found(name="nothing like it") == []
    assert await found(flow_id=flow.id, app_key="tools") == [failed, filtered, fine]
    assert await found(flow_id=str(uuid4())) == []
    assert await found(folder_id=str(uuid4())) == []
    assert await found(test_run=True) == []
    assert await found(test_run=False) == [failed, filtered, fine]
    assert await found(note="did not match") == [filtered]

    page = await call("list_executions", ExecutionFilter(), PageRequest())
    middle = page.items[1]
    assert await found(started_after=middle.created_at) == [failed, filtered]
    assert await found(ended_before=middle.created_at) == [filtered, fine]
    assert await found(started_after=middle.created_at, ended_before=middle.created_at) == [filtered]


@story(*_MAKES, "list_executions")
async def executions_come_in_pages_of_any_size(call: OperationRecorder) -> None:
    await _history(call)

    first = await call("list_executions", ExecutionFilter(), PageRequest(limit=2))
    assert (len(first.items), first.total, first.total_pages) == (2, 3, 2)
    rest = await call("list_executions", ExecutionFilter(), PageRequest(limit=2, cursor=first.next_cursor))
    assert (len(rest.items), rest.next_cursor) == (1, None)
    second = await call("list_executions", ExecutionFilter(), PageRequest(page=2, limit=2))
    assert second.items == rest.items
    assert (await call("list_executions", ExecutionFilter(), PageRequest(page=7, limit=2))).items == ()
    await call.refused("list_executions", ExecutionFilter(), PageRequest(cursor="no cursor at all"))


@story(*_MAKES, "list_executions", "get_execution", "execution_steps")
async def a_failed_execution_shows_what_each_step_did(call: OperationRecorder) -> None:
    await _history(call)
    newest = (await call("list_executions", ExecutionFilter(), PageRequest())).items[0]

    run = await call("get_execution", newest.id)
    caught, crashed = await call("execution_steps", newest.id)

    assert run.status is ExecutionStatus.FAILURE
    assert (caught.status, caught.data_out) == (StepState.SUCCESS, {"order": "crash"})
    assert (crashed.status, crashed.data_in) == (StepState.FAILURE, {"text": "crash"})
    assert crashed.error_details["happened"]
    for operation in ("get_execution", "execution_steps"):
        assert isinstance(await call.refused(operation, str(uuid4())), NotFound)
        assert isinstance(await call.refused(operation, "not-an-id"), NotFound)


@story(*_MAKES, "search_executions")
async def executions_are_found_by_what_their_steps_did(call: OperationRecorder) -> None:
    flow = await _history(call)

    async def found(text: str, **conditions: Any) -> list[ExecutionState]:
        page = await call("search_executions", text, ExecutionFilter(**conditions))
        assert page.next_cursor is None
        return [run.state for run in page.items]

    failed = ExecutionState.FAILURE
    filtered = ExecutionState.FILTERED
    fine = ExecutionState.SUCCESS
    assert await found('"order"') == [failed, filtered, fine]
    assert await found("CRASH", flow_id=flow.id) == [failed]
    assert await found("did not match") == [filtered]
    assert await found("order", status=ExecutionStatus.SUCCESS) == [filtered, fine]
    assert await found("order", name="nothing like it") == []
    assert await found("100%_[*]") == []
    assert isinstance(await call.refused("search_executions", " ", ExecutionFilter()), ValidationFailed)
    assert isinstance(await call.refused("search_executions", "x" * 501, ExecutionFilter()), ValidationFailed)
    wrong = await call.refused("search_executions", "x", ExecutionFilter(), "no cursor at all")
    assert isinstance(wrong, ValidationFailed)


@story("history_copy", "start_history_download", "stop_history_download")
async def a_history_that_is_all_here_is_not_copied(call: OperationRecorder) -> None:
    for operation in ("history_copy", "start_history_download", "stop_history_download"):
        assert (await call(operation)).state is HistoryCopyState.NOT_NEEDED


@story(*_MAKES, "count_executions")
async def executions_are_counted_by_outcome(call: OperationRecorder) -> None:
    flow = await _history(call)

    async def counted(**conditions: Any) -> tuple[int, int, int, int]:
        counts = await call("count_executions", ExecutionFilter(**conditions))
        return counts.success, counts.failure, counts.other, counts.all

    assert await counted() == (1, 1, 1, 3)
    assert await counted(status=ExecutionStatus.FAILURE) == (0, 1, 0, 3)
    assert await counted(flow_id=flow.id, states=(ExecutionState.FILTERED,)) == (0, 0, 1, 3)
    assert await counted(note="did not match") == (0, 0, 1, 3)
    assert await counted(flow_id=str(uuid4())) == (0, 0, 0, 3)
    assert await counted(ended_before=1) == (0, 0, 0, 3)
    assert await counted(started_after=1) == (1, 1, 1, 3)


@story(*_MAKES, "histogram")
async def executions_are_counted_over_time(call: OperationRecorder) -> None:
    await _history(call)

    start, end = START, START + 4_000_000
    counted = await call("histogram", ExecutionFilter(), start, end, 4)
    assert (len(counted.bars), counted.total) == (4, 3)
    failures = await call("histogram", ExecutionFilter(status=ExecutionStatus.FAILURE), start, end, 1)
    assert (failures.bars[0].success, failures.bars[0].failure) == (0, 1)
    assert isinstance(await call.refused("histogram", ExecutionFilter(), end, start, 4), ValidationFailed)
    assert isinstance(await call.refused("histogram", ExecutionFilter(), start, end, 0), ValidationFailed)
    assert isinstance(await call.refused("histogram", ExecutionFilter(), start, end, 5000), ValidationFailed)
