"""Agents: what the model is sent, what its tools are given, and where an agent stops."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.support.app_calls import built_in_app

from patchbay.apps.agents.agent import find_agent, find_tools, read_agent
from patchbay.apps.agents.conversation import MAX_RESPONSE_BYTES, MAX_TOOL_OUTPUT, Conversation
from patchbay.domain.base import AppKey, ExecutionId, FlowId, StepId
from patchbay.domain.errors import ComputationStopped, Conflict, NotFound, ValidationFailed
from patchbay.domain.flow_calls import PublishedStep
from patchbay.domain.tools import Tool, ToolResult
from patchbay.integration.context import Context, CurrentAuth, CurrentStep
from patchbay.integration.masking import MASK
from patchbay.integration.third_party_errors import SHAPE_ERRORS

KEY = "sk-0123456789abcdef"
OWN = {"agentId": "own", "model": "small", "prompt": "Help"}
WEATHER = Tool(
    flow_id=FlowId("f1"),
    name="weather",
    description="Weather.",
    input_schema={"type": "object", "properties": {}},
)


class Response:
    def __init__(self, body: Any) -> None:
        self.body = body

    @property
    def content(self) -> bytes:
        return json.dumps(self.body).encode()

    def json(self) -> Any:
        return self.body


class Server:
    """A model server with prepared messages; the last one is repeated."""

    def __init__(self, *messages: dict[str, Any], tokens: Any = None) -> None:
        self.messages = list(messages)
        self.tokens = tokens
        self.sent: list[Any] = []

    async def post(self, url: str, *, json: Any, seconds: float) -> Response:
        self.sent.append((url, {**json, "messages": list(json["messages"])}))
        message = self.messages.pop(0) if len(self.messages) > 1 else self.messages[0]
        return Response({"choices": [{"message": message}], "usage": {"total_tokens": self.tokens}})


class Talk(Context):
    """A context whose server and tools are the test's."""

    def __init__(self, server: Server, tool: Any = None) -> None:
        auth = CurrentAuth(data={"apiUrl": "http://llm:1/v1/", "apiKey": KEY})
        super().__init__(app=built_in_app("agents"), auth=auth)
        self.server = server
        self.called: list[tuple[FlowId, Any]] = []
        self.tool_caller = self._call
        self._result = tool

    @property
    def http(self) -> Any:
        return self.server

    async def _call(self, flow_id: FlowId, arguments: Any) -> ToolResult:
        self.called.append((flow_id, arguments))
        if isinstance(self._result, Exception):
            raise self._result
        return self._result or ToolResult(output="Sunny", execution_id=ExecutionId("e1"))


WRONG_ARGUMENTS = "Error: The arguments aren't a JSON object, or are nested too deeply."


def asks(name: str, arguments: Any = "{}", call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def says(content: Any = None, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **({"tool_calls": list(calls)} if calls else {})}


def conversation(ctx: Talk, **parameters: Any) -> Conversation:
    return Conversation(ctx, read_agent({**OWN, **parameters}), {"weather": WEATHER})


async def test_the_text_of_the_model_is_the_output():
    server = Server(says("Hello!"), tokens=12)
    talk = conversation(Talk(server), instructions=" Be brief. ")

    assert await talk.run("Help") == "Hello!"

    [(url, body)] = server.sent
    assert url == "http://llm:1/v1/chat/completions"
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Help"},
    ]
    assert (body["model"], body["max_tokens"], talk.used_tokens) == ("small", 8192, 12)


async def test_the_model_gets_the_output_of_each_tool_it_asks_for():
    server = Server(says("Wait", asks("weather", '{"city": "Vienna"}')), says("It's sunny."))
    ctx = Talk(server)
    talk = conversation(ctx)

    assert await talk.run("Weather?") == "It's sunny."

    assert ctx.called == [("f1", {"city": "Vienna"})]
    assert server.sent[1][1]["messages"][1:] == [
        {"role": "assistant", "content": "Wait", "tool_calls": [asks("weather", '{"city": "Vienna"}')]},
        {"role": "tool", "tool_call_id": "c1", "content": "Sunny"},
    ]
    assert talk.calls == [
        {"tool": "weather", "arguments": {"city": "Vienna"}, "output": "Sunny", "isError": False}
    ]


@pytest.mark.parametrize(
    ("call", "result", "told"),
    [
        (asks("nothing"), None, "Error: There is no such tool."),
        (asks("weather", "{"), None, WRONG_ARGUMENTS),
        (asks("weather", "[1]"), None, WRONG_ARGUMENTS),
        (asks("weather", "[" * 100_000), None, WRONG_ARGUMENTS),
        (asks("weather", f'{{"city": {"[" * 101}{"]" * 101}}}'), None, WRONG_ARGUMENTS),
        ({"id": 5}, None, WRONG_ARGUMENTS),
        (asks("weather"), Conflict("The flow is paused."), "Error: The flow is paused."),
        (
            asks("weather"),
            ToolResult(output="Broken", is_error=True, execution_id=ExecutionId("e")),
            "Error: Broken",
        ),
        (
            asks("weather"),
            ToolResult(output="", execution_id=ExecutionId("e")),
            "The flow finished without an output.",
        ),
    ],
)
async def test_what_goes_wrong_with_a_tool_is_told_to_the_model(call, result, told):
    server = Server(says(None, call), says("I see."))

    assert await conversation(Talk(server, result)).run("Weather?") == "I see."

    assert server.sent[1][1]["messages"][-1]["content"] == told


async def test_arguments_that_are_no_text_are_used_as_they_are():
    ctx = Talk(Server(says(None, asks("weather", {"city": "Graz"}), asks("weather", None)), says("Done")))

    await conversation(ctx).run("Weather?")

    assert ctx.called == [("f1", {"city": "Graz"}), ("f1", {})]


async def test_long_outputs_are_cut():
    long = ToolResult(output="x" * 100_000, execution_id=ExecutionId("e"))
    server = Server(says(None, asks("weather")), says("Done"))

    await conversation(Talk(server, long)).run("Weather?")

    assert MAX_TOOL_OUTPUT < len(server.sent[1][1]["messages"][-1]["content"]) < MAX_TOOL_OUTPUT + 100


async def test_only_so_many_tools_are_called_at_once():
    calls = [asks("weather", call_id=f"c{number}") for number in range(100)]
    server = Server(says(None, *calls), says("Done"))
    ctx = Talk(server)

    await conversation(ctx).run("Weather?")

    request, *results = server.sent[1][1]["messages"][1:]
    assert len(ctx.called) == 20
    assert request["tool_calls"] == calls[:20]
    assert [one["tool_call_id"] for one in results] == [call["id"] for call in calls[:20]]


async def test_tools_do_not_get_the_key_of_the_model_s_server():
    server = Server(says(None, asks("weather", json.dumps({"city": KEY, KEY: [f"x {KEY}"]}))), says("Done"))
    ctx = Talk(server)

    await conversation(ctx).run("Weather?")

    assert ctx.called == [("f1", {"city": MASK, MASK: [f"x {MASK}"]})]


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        (says("x" * MAX_RESPONSE_BYTES), "4 MB"),
        ({"content": None, "tool_calls": [json.loads("[" * 150 + "]" * 150)]}, "100 levels"),
    ],
)
async def test_a_response_that_is_too_large_or_too_deep_ends_the_agent(message, limit):
    ctx = Talk(Server(message))

    with pytest.raises(ComputationStopped, match=limit):
        await conversation(ctx).run("Weather?")

    assert ctx.called == []


async def test_an_agent_that_does_not_finish_stops_after_its_rounds():
    server = Server(says(None, asks("weather")))

    with pytest.raises(ComputationStopped, match="3 rounds"):
        await conversation(Talk(server), maxRounds="3").run("Weather?")

    assert len(server.sent) == 3


@pytest.mark.parametrize("tokens", [400, None, "many", True, -1])
async def test_an_agent_stops_at_its_limit_of_tokens_even_if_the_server_reports_none(tokens):
    server = Server(says("x" * 2000, asks("weather")), tokens=tokens)
    talk = conversation(Talk(server), maxTokens="1000", maxRounds="50")

    with pytest.raises(ComputationStopped, match="1,000 tokens"):
        await talk.run("Weather?")

    asked = [body["max_tokens"] for _, body in server.sent]
    assert asked == sorted(asked, reverse=True)
    assert asked[0] == 1000
    assert len(server.sent) <= 3


async def test_a_conversation_that_grows_too_large_is_stopped():
    long = ToolResult(output="x" * 100_000, execution_id=ExecutionId("e"))
    server = Server(says(None, *[asks("weather", call_id=f"c{number}") for number in range(20)]), tokens=1)

    with pytest.raises(ComputationStopped, match="1,000,000 characters"):
        await conversation(Talk(server, long), maxRounds="50").run("Weather?")

    assert len(server.sent) <= 4


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": [{}]}, [], {"choices": [{"message": None}]}]
)
async def test_a_response_of_another_shape_is_an_error_about_the_server(body):
    class Odd(Server):
        async def post(self, url: str, *, json: Any, seconds: float) -> Response:
            return Response(body)

    # Errors of this kind become one about the service.
    with pytest.raises(SHAPE_ERRORS):
        await conversation(Talk(Odd(says()))).run("Help")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"model": " "}, "model"),
        ({"maxRounds": "0"}, "maxRounds"),
        ({"maxRounds": "51"}, "maxRounds"),
        ({"maxRounds": "1.5"}, "maxRounds"),
        ({"maxTokens": "a lot"}, "maxTokens"),
        ({"tools": [{"flow": f"f{number}"} for number in range(51)]}, "tools"),
    ],
)
def test_an_agent_that_is_not_valid_is_not_run(changes, field):
    with pytest.raises(ValidationFailed) as rejected:
        read_agent({**OWN, **changes})

    assert list(rejected.value.by_field) == [field]


class Directory:
    """A published flow with an agent, and a tool."""

    async def published_steps(self, app_key, key, flow_id=None):
        def step(step_id, parameters):
            return PublishedStep(
                flow_id=FlowId("f1"), flow_name="Clerks", step_id=StepId(step_id), parameters=parameters
            )

        steps = {
            ("agents", "runAgent"): (
                step("s1", {**OWN, "agentName": "Clerk"}),
                step("s2", {"agentId": "f1/s1", "prompt": "Hi"}),
                step("s3", OWN),
            ),
            ("mcp", "mcpTool"): (
                step("t1", {"toolName": "weather"}),
                step("t2", {"toolName": "broken", "inputSchema": "{"}),
            ),
        }
        return steps[app_key, key] if flow_id in (None, "f1") else ()


def at_step(agent_id: str, **more: Any) -> Context:
    return Context(
        app=built_in_app("agents"),
        flows=cast(Any, Directory()),
        step=CurrentStep(id=StepId("s9"), app_key=AppKey("agents"), parameters={"agentId": agent_id, **more}),
    )


async def test_an_agent_of_another_flow_is_used():
    assert (await find_agent(at_step("f1/s1"))).model == "small"
    for unknown in ("f1/s2", "f1/s9", "f9/s1", "", "3f1c9a7e-55b2-4d68-83c1-000000000000"):
        with pytest.raises(NotFound):
            await find_agent(at_step(unknown))


class DirectoryOfAdmin(Directory):
    """Sees one tool, which the flow f1 sees as well if `is_shared`."""

    def __init__(self, *, is_shared: bool) -> None:
        self.is_shared = is_shared

    def visible_to(self, flow_id: FlowId) -> "DirectoryOfAdmin | DirectoryWithoutTools":
        return self if self.is_shared else DirectoryWithoutTools()

    async def published_steps(self, app_key, key, flow_id=None):
        return (await super().published_steps(app_key, key, flow_id))[:1]


class DirectoryWithoutTools:
    async def published_steps(self, app_key, key, flow_id=None):
        return ()


async def test_an_agent_of_another_flow_has_only_tools_that_flow_may_call():
    ctx = at_step("f1/s1")
    ctx.flows = cast(Any, DirectoryOfAdmin(is_shared=True))
    defined_elsewhere = replace(await find_agent(ctx), tool_flows=(FlowId("f1"),))
    assert defined_elsewhere.defined_in == "f1"
    assert list(await find_tools(ctx, defined_elsewhere)) == ["weather"]

    ctx.flows = cast(Any, DirectoryOfAdmin(is_shared=False))

    with pytest.raises(NotFound, match="A tool of the agent"):
        await find_tools(ctx, defined_elsewhere)
    assert list(await find_tools(ctx, replace(defined_elsewhere, defined_in=None))) == ["weather"]


async def test_the_lists_have_what_can_be_chosen():
    agents, _, tools = built_in_app("agents").dynamic_data

    found = await agents.load(at_step("own"))
    assert [(one.value, one.label) for one in found] == [
        ("own", "Defined in this step"),
        ("f1/s1", "Clerk (Clerks)"),
        ("f1/s3", "Clerks"),
    ]
    assert [(one.value, one.label) for one in await tools.load(at_step("own"))] == [
        ("f1", "weather (Clerks)")
    ]


async def test_an_agent_whose_tool_is_gone_does_not_run():
    (action,) = built_in_app("agents").actions
    ctx = at_step("own", model="small", prompt="Hi", tools=[{"flow": "gone"}])

    with pytest.raises(NotFound, match="A tool of the agent"):
        await action.run(ctx)

    assert json.dumps(ctx.action_output) == "null"
