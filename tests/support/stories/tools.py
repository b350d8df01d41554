"""Flows as tools."""

from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.flows import PASS, ready_flow

from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.errors import Conflict, NotFound, ValidationFailed
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.tools import MCP_APP, MCP_TRIGGER

SCHEMA = '{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}'
_MAKES = ("create_flow", "update_step", "skip_step_test", "publish_flow", "add_step")


async def _tool(
    call: OperationRecorder, *actions: StepChange, name: str = "greet", schema: str = SCHEMA
) -> Flow:
    flow = await call("create_flow", name)
    parameters: JsonObject = {"toolName": name, "toolDescription": "Greets.", "inputSchema": schema}
    await call(
        "update_step", flow.steps[0].id, StepChange(app_key=MCP_APP, key=MCP_TRIGGER, parameters=parameters)
    )
    flow = await call("skip_step_test", flow.steps[0].id)
    while len(flow.steps) <= len(actions):
        flow = await call("add_step", flow.id)
    for step, change in zip(flow.steps[1:], actions, strict=True):
        await call("update_step", step.id, change)
        await call("skip_step_test", step.id)
    return await call("publish_flow", flow.id)


@story(*_MAKES, "list_tools", "call_tool", "unpublish_flow", "pause_flow")
async def a_tool_is_listed_and_called(call: OperationRecorder) -> None:
    respond = StepChange(app_key=AppKey("mcp"), key="respondWith", parameters={"output": "Hello!"})
    flow = await _tool(call, respond, PASS)

    (tool,) = await call("list_tools")
    assert (tool.flow_id, tool.name, tool.description, tool.problem) == (flow.id, "greet", "Greets.", "")
    assert tool.input_schema["required"] == ["name"]
    result = await call("call_tool", flow.id, {"name": "Ada"})
    assert (result.output, result.is_error) == ("Hello!", False)
    assert (await call.finished(result.execution_id)).flow.id == flow.id

    missing = await call.refused("call_tool", flow.id, {})
    assert isinstance(missing, ValidationFailed)
    assert missing.fields()["arguments"] == ["“name” is missing."]
    await call("pause_flow", flow.id)
    assert isinstance(await call.refused("call_tool", flow.id, {"name": "Ada"}), Conflict)
    await call("unpublish_flow", flow.id)
    assert await call("list_tools") == ()
    assert isinstance(await call.refused("call_tool", flow.id, {"name": "Ada"}), NotFound)


@story(*_MAKES, "list_tools", "call_tool")
async def what_is_no_tool_or_a_wrong_one_is_not_called(call: OperationRecorder) -> None:
    other = await ready_flow(call)
    await call("publish_flow", other.id)
    wrong = await _tool(call, PASS, schema="[1]")

    (tool,) = await call("list_tools")
    assert (tool.flow_id, tool.problem.partition(".")[0]) == (
        wrong.id,
        "The input schema doesn't describe an object",
    )
    for flow_id in (other.id, wrong.id):
        assert isinstance(await call.refused("call_tool", flow_id, {}), Conflict)
    assert isinstance(await call.refused("call_tool", str(uuid4()), {}), NotFound)
