"""Flows that are called as tools: what the caller gets, and when."""

import asyncio
from contextvars import Context, copy_context
from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime, Seen
from tests.support.toy_apps import flow, late

from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import FlowId, UserId
from patchbay.domain.errors import Conflict, NotFound, RateLimited, ValidationFailed
from patchbay.domain.executions import ExecutionState
from patchbay.domain.tools import MCP_TRIGGER
from patchbay.engine.triggers.tool_calls import (
    MAX_CONCURRENT_CALLS,
    MAX_CONCURRENT_CALLS_PER_PERSON,
    MAX_NESTED_CALLS,
)

SCHEMA = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'
GREET = {"toolName": "greet", "toolDescription": "Greets.", "inputSchema": SCHEMA}


async def publish(runtime: EngineRuntime, *actions: Any, **changes: str) -> None:
    await runtime.publish(flow(MCP_TRIGGER, *actions, parameters={**GREET, **changes}))


async def test_the_arguments_start_the_flow_and_its_response_is_the_output(runtime: EngineRuntime):
    await publish(runtime, ("respond", {"body": "hello"}), "slow")

    result = await runtime.engine.call_tool(FLOW_1, {"n": 1})

    assert (result.output, result.is_error) == ("hello", False)
    runtime.toy.gate.set()
    run = await runtime.one()
    assert (run.id, run.state) == (result.execution_id, ExecutionState.SUCCESS)


async def test_a_flow_without_a_response_has_an_empty_output(runtime: EngineRuntime):
    await publish(runtime, "echo")

    result = await runtime.engine.call_tool(FLOW_1, {"n": 1})

    assert (result.output, result.is_error) == ("", False)
    assert (await runtime.one()).state is ExecutionState.SUCCESS


@pytest.mark.parametrize(
    ("action", "said"), [("refuse", "A step of the flow failed."), ("filter", "didn't match")]
)
async def test_a_run_that_fails_is_an_error_for_the_caller(runtime: EngineRuntime, action: str, said: str):
    runtime.toy.refusal = late()
    await publish(runtime, action)

    result = await runtime.engine.call_tool(FLOW_1, {"n": 1})

    assert result.is_error
    assert said in result.output


async def test_a_run_that_takes_too_long_continues_without_the_caller(runtime: EngineRuntime):
    await runtime.engine.stop()
    runtime.new_engine(max_tool_seconds=0.05)
    await runtime.engine.start()
    await publish(runtime, "slow")

    result = await runtime.engine.call_tool(FLOW_1, {"n": 1})

    assert result.is_error
    assert "keeps running" in result.output
    runtime.toy.gate.set()
    assert (await runtime.one()).state is ExecutionState.SUCCESS


@pytest.mark.parametrize("arguments", [{}, {"n": "1"}, {"n": True}, {"n": 1.5}])
async def test_arguments_that_do_not_match_the_schema_start_nothing(runtime: EngineRuntime, arguments):
    await publish(runtime, "echo")

    with pytest.raises(ValidationFailed):
        await runtime.engine.call_tool(FLOW_1, arguments)

    assert await runtime.all() == []


async def test_what_is_not_a_tool_is_not_called(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "echo"))
    await runtime.publish(
        flow(MCP_TRIGGER, "echo", flow_id="f2", parameters={**GREET, "inputSchema": "no JSON"})
    )

    with pytest.raises(Conflict, match="isn't a tool"):
        await runtime.engine.call_tool(FLOW_1, {})
    with pytest.raises(Conflict, match="isn't valid JSON"):
        await runtime.engine.call_tool(FlowId("f2"), {})
    with pytest.raises(NotFound):
        await runtime.engine.call_tool(FlowId("f3"), {})
    assert await runtime.all() == []


async def test_a_paused_engine_starts_nothing(runtime: EngineRuntime):
    await publish(runtime, "echo")
    runtime.engine.pause()

    with pytest.raises(Conflict, match="is paused"):
        await runtime.engine.call_tool(FLOW_1, {"n": 1})

    assert await runtime.all() == []


def as_person(user_id: str) -> Context:
    """A context in which this person acts."""
    context = copy_context()
    context.run(current_actor.set, Actor(kind=ActorKind.KEY, id="k", name="", user_id=UserId(user_id)))
    return context


async def test_one_person_does_not_take_all_places_of_callers(runtime: EngineRuntime):
    await publish(runtime, "slow")
    waiting = [
        asyncio.create_task(runtime.engine.call_tool(FLOW_1, {"n": 1}), context=as_person("eve"))
        for _ in range(MAX_CONCURRENT_CALLS_PER_PERSON)
    ]
    await runtime.until_all(len(waiting), ExecutionState.QUEUED, ExecutionState.RUNNING)

    with pytest.raises(RateLimited, match="You are calling"):
        await asyncio.create_task(runtime.engine.call_tool(FLOW_1, {"n": 1}), context=as_person("eve"))
    waiting.append(asyncio.create_task(runtime.engine.call_tool(FLOW_1, {"n": 1}), context=as_person("ada")))

    runtime.toy.gate.set()
    assert not any(result.is_error for result in await asyncio.gather(*waiting))
    again = runtime.engine.call_tool(FLOW_1, {"n": 1})
    assert not (await asyncio.create_task(again, context=as_person("eve"))).is_error


async def test_only_so_many_callers_wait_at_once(runtime: EngineRuntime):
    await publish(runtime, "slow")
    people = [as_person(f"p{number % 3}") for number in range(MAX_CONCURRENT_CALLS)]
    waiting = [
        asyncio.create_task(runtime.engine.call_tool(FLOW_1, {"n": 1}), context=person) for person in people
    ]
    await runtime.until_all(MAX_CONCURRENT_CALLS, ExecutionState.QUEUED, ExecutionState.RUNNING)

    with pytest.raises(RateLimited):
        await runtime.engine.call_tool(FLOW_1, {"n": 0})

    runtime.toy.gate.set()
    results = await asyncio.gather(*waiting)
    assert [result.is_error for result in results] == [False] * MAX_CONCURRENT_CALLS
    assert not (await runtime.engine.call_tool(FLOW_1, {"n": 0})).is_error


# Called by steps

HELLO = {"output": "hello", "isError": False}


def uses(flow_id: str = "f2", **more: Any) -> tuple[str, dict[str, Any]]:
    """A step that calls a flow as a tool."""
    return "useTool", {"flow": flow_id, **more}


async def publish_tool(runtime: EngineRuntime, *actions: Any, flow_id: str = "f2") -> None:
    await runtime.publish(flow(MCP_TRIGGER, *actions, flow_id=flow_id, parameters=GREET))


async def runs_by_flow(runtime: EngineRuntime, count: int) -> dict[str, Seen]:
    """The executions once so many have finished, by flow; of several, the newest."""
    finished = await runtime.until_all(count)
    return {(await runtime.execution(run.id)).flow.id: run for run in finished}


async def test_a_step_calls_a_tool_and_continues_with_its_output(runtime: EngineRuntime):
    await publish_tool(runtime, ("respond", {"body": "hello"}))
    await runtime.publish(flow("hook", uses(), "echo"))

    await runtime.post(body="x")

    runs = await runs_by_flow(runtime, 2)
    assert [run.state for run in runs.values()] == [ExecutionState.SUCCESS] * 2
    assert runs["f1"].step(1).data_out == [HELLO]
    assert runs["f2"].step(0).data_out == {"n": 1}
    assert (await runtime.execution(runs["f2"].id)).origin_id == runs["f1"].id


@pytest.mark.parametrize("limit", [1, 2])
async def test_a_step_that_waits_for_tools_lends_its_slot(runtime: EngineRuntime, limit: int):
    await runtime.engine.stop()
    runtime.new_engine(limit=limit)
    await runtime.engine.start()
    await publish_tool(runtime, ("respond", {"body": "hello"}))
    await runtime.publish(flow("hook", uses(times=3)))

    for number in range(4):
        await runtime.post(body=number)

    runs = await runtime.until_all(16)
    assert {run.state for run in runs} == {ExecutionState.SUCCESS}
    callers = [run for run in runs if len(run.steps) == 2 and run.step(1).data_out == [HELLO] * 3]
    assert len(callers) == 4


async def test_an_error_of_a_tool_fails_the_step_that_called_it(runtime: EngineRuntime):
    await runtime.publish(flow("hook", uses("f9")))

    await runtime.post(body="x")

    run = await runtime.one()
    assert (run.state, run.note) == (ExecutionState.FAILURE, "There is no such tool.")


async def test_tools_that_call_each_other_are_stopped(runtime: EngineRuntime):
    await publish_tool(runtime, uses("f3"), ("respond", {"body": "2"}))
    await publish_tool(runtime, uses("f2"), ("respond", {"body": "3"}), flow_id="f3")
    await runtime.publish(flow("hook", uses("f2")))

    await runtime.post(body="x")

    runs = await runtime.until_all(MAX_NESTED_CALLS + 1)
    notes = [run.note or "" for run in runs]
    assert len([note for note in notes if "can be nested up to" in note]) == 1
    assert len(runs) == MAX_NESTED_CALLS + 1


async def test_runs_of_tools_count_in_the_tree_of_their_caller(runtime: EngineRuntime):
    runtime.engine.settings_changed(runtime.engine.settings.model_copy(update={"max_runs_per_root": 2}))
    await publish_tool(runtime, ("respond", {"body": "hello"}))
    await runtime.publish(flow("hook", uses(), uses()))

    await runtime.post(body="x")

    runs = await runs_by_flow(runtime, 2)
    assert runs["f1"].state is ExecutionState.FAILURE
    assert "2 runs" in (runs["f1"].note or "")


async def test_the_test_of_a_step_calls_the_tool(runtime: EngineRuntime):
    await publish_tool(runtime, ("respond", {"body": "hello"}))
    version = flow("hook", uses(), number=0)
    await runtime.shelf.draft(version)

    _, outcome = await runtime.engine.test_step(version, version.steps[1].id, {})

    assert outcome.data_out == [HELLO]


async def cancel_caller(runtime: EngineRuntime) -> None:
    """Cancel the run that no other one called."""
    runs = [await runtime.execution(run.id) for run in await runtime.all()]
    await runtime.engine.cancel(next(run.id for run in runs if run.origin_id is None))


async def test_cancelling_a_step_that_waits_for_a_tool_cancels_it(runtime: EngineRuntime):
    await publish_tool(runtime, "slow", "echo")
    await runtime.publish(flow("hook", uses(), "echo"))
    await runtime.post(body="x")
    await runtime.until_all(2, ExecutionState.RUNNING)
    await runtime.until(lambda: "slow" in runtime.toy.calls)

    await cancel_caller(runtime)

    assert {run.state for run in await runtime.until_all(2)} == {ExecutionState.CANCELLED}
    assert runtime.toy.calls == ["slow"]


async def test_cancelling_a_step_also_cancels_a_tool_that_has_not_started(runtime: EngineRuntime):
    await publish_tool(runtime, "slow")
    await runtime.set(FlowId("f2"), max_concurrent=1)
    await runtime.publish(flow("hook", uses()))
    for number in range(2):
        await runtime.post(body=number)

    async def waits() -> bool:
        states = await runtime.shelf.states()
        return sorted(states) == [ExecutionState.QUEUED, *[ExecutionState.RUNNING] * 3]

    await runtime.until_true(waits)
    queued = next(run for run in await runtime.all() if run.state is ExecutionState.QUEUED)
    caller = (await runtime.execution(queued.id)).origin_id
    assert caller is not None

    await runtime.engine.cancel(caller)

    assert (await runtime.execution(queued.id)).state is ExecutionState.CANCELLED
    runtime.toy.gate.set()
    states = [run.state for run in await runtime.until_all(4)]
    assert sorted(states) == [*[ExecutionState.CANCELLED] * 2, *[ExecutionState.SUCCESS] * 2]


async def test_cancelling_a_step_cancels_the_tools_of_its_tools(runtime: EngineRuntime):
    await publish_tool(runtime, "slow", flow_id="f3")
    await publish_tool(runtime, uses("f3"))
    await runtime.publish(flow("hook", uses()))
    await runtime.post(body="x")
    await runtime.until_all(3, ExecutionState.RUNNING)
    await runtime.until(lambda: "slow" in runtime.toy.calls)

    await cancel_caller(runtime)

    assert {run.state for run in await runtime.until_all(3)} == {ExecutionState.CANCELLED}


async def test_a_tool_whose_caller_no_longer_waits_is_not_cancelled_with_it(runtime: EngineRuntime):
    await runtime.engine.stop()
    runtime.new_engine(max_tool_seconds=0.05)
    await runtime.engine.start()
    await publish_tool(runtime, "slow")
    await runtime.publish(flow("hook", uses(), "delay", "echo"))
    await runtime.post(body="x")

    async def waits() -> bool:
        return ExecutionState.WAITING in await runtime.shelf.states()

    await runtime.until_true(waits)

    await cancel_caller(runtime)

    runtime.toy.gate.set()
    runs = await runs_by_flow(runtime, 2)
    assert (runs["f1"].state, runs["f2"].state) == (ExecutionState.CANCELLED, ExecutionState.SUCCESS)


async def test_stopping_the_engine_cancels_no_tools(runtime: EngineRuntime):
    await publish_tool(runtime, "slow")
    await runtime.publish(flow("hook", uses()))
    await runtime.post(body="x")
    await runtime.until_all(2, ExecutionState.RUNNING)
    await runtime.until(lambda: "slow" in runtime.toy.calls)

    await runtime.engine.stop(grace=0)

    assert ExecutionState.CANCELLED not in await runtime.shelf.states()


async def test_a_tool_continues_when_the_time_of_the_step_that_called_it_is_up(runtime: EngineRuntime):
    await publish_tool(runtime, "slow")
    await runtime.publish(flow("hook", uses(), policy={"timeout_seconds": 1}))
    await runtime.post(body="x")

    async def is_up() -> bool:
        return ExecutionState.FAILURE in await runtime.shelf.states()

    await runtime.until_true(is_up)

    runtime.toy.gate.set()
    runs = await runs_by_flow(runtime, 2)
    assert (runs["f1"].state, runs["f2"].state) == (ExecutionState.FAILURE, ExecutionState.SUCCESS)
