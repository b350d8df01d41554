"""Flows that are called as tools: what the caller gets, and when."""

import asyncio
from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, EngineRuntime
from tests.support.toy_apps import flow, late

from patchbay.domain.base import FlowId
from patchbay.domain.errors import Conflict, NotFound, RateLimited, ValidationFailed
from patchbay.domain.executions import ExecutionState
from patchbay.domain.tools import MCP_TRIGGER
from patchbay.engine.triggers.tool_calls import MAX_CONCURRENT_CALLS

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


async def test_only_so_many_callers_wait_at_once(runtime: EngineRuntime):
    await publish(runtime, "slow")
    waiting = [
        asyncio.create_task(runtime.engine.call_tool(FLOW_1, {"n": number}))
        for number in range(MAX_CONCURRENT_CALLS)
    ]
    await runtime.until_all(MAX_CONCURRENT_CALLS, ExecutionState.QUEUED, ExecutionState.RUNNING)

    with pytest.raises(RateLimited):
        await runtime.engine.call_tool(FLOW_1, {"n": 0})

    runtime.toy.gate.set()
    results = await asyncio.gather(*waiting)
    assert [result.is_error for result in results] == [False] * MAX_CONCURRENT_CALLS
    assert not (await runtime.engine.call_tool(FLOW_1, {"n": 0})).is_error
