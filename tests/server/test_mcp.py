"""The MCP server: every revision of the protocol, and what each key sees and may call."""

from typing import Any

import pytest
from tests.support import patient
from tests.support.app_calls import built_in_app
from tests.support.contract_workspaces import served
from tests.support.workspace import open_runtime

from patchbay.domain.access import Scope
from patchbay.domain.base import AppKey, ExecutionId, FlowId, JsonObject
from patchbay.domain.errors import Conflict, ValidationFailed
from patchbay.domain.flows import StepChange
from patchbay.domain.people import EDITOR
from patchbay.domain.tools import (
    MAX_SCHEMA_LENGTH,
    MCP_APP,
    MCP_TRIGGER,
    Tool,
    ToolResult,
    check_arguments,
    named_tools,
    read_tool,
)
from patchbay.server import mcp_protocol
from patchbay.server.mcp_protocol import HANDSHAKE_REVISIONS, McpServer

SCHEMA: JsonObject = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
STATELESS = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method: object, params: object = None, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": {} if params is None else params, **more}


def stateless(method: str, **params: Any) -> dict[str, Any]:
    return message(method, {**params, "_meta": META})


class Tools:
    """Two tools with the same name, and one that is broken."""

    def __init__(self) -> None:
        self.called: list[tuple[str, JsonObject]] = []
        self.result: ToolResult | Exception = ToolResult(output="Sunny", execution_id=ExecutionId("e1"))

    async def list_tools(self) -> tuple[Tool, ...]:
        def tool(flow_id: str, name: str, problem: str = "") -> Tool:
            return Tool(
                flow_id=FlowId(flow_id),
                name=name,
                description="Weather.",
                input_schema=SCHEMA,
                problem=problem,
            )

        return (
            tool("f1", "weather"),
            tool("aaaabbbbcccc", "x" * 64),
            tool("f3", "x" * 64),
            tool("f4", "y", "Bad"),
        )

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        self.called.append((flow_id, arguments))
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.fixture
def tools():
    return Tools()


@pytest.fixture
def mcp(tools):
    return McpServer(tools, "1.2")


@pytest.mark.parametrize("revision", HANDSHAKE_REVISIONS)
async def test_a_handshake_agrees_on_the_revision_of_the_client(mcp, revision):
    reply = await mcp.handle(message("initialize", {"protocolVersion": revision, "capabilities": {}}))

    assert reply.message["result"]["protocolVersion"] == revision
    assert reply.message["result"]["capabilities"] == {"tools": {}}
    assert reply.message["result"]["serverInfo"] == {
        "name": "patchbay",
        "title": "Patchbay",
        "version": "1.2",
    }


@pytest.mark.parametrize("revision", ["1999-01-01", STATELESS, None, 5])
async def test_a_handshake_offers_the_newest_revision_to_other_clients(mcp, revision):
    reply = await mcp.handle(message("initialize", {"protocolVersion": revision}))

    assert reply.message["result"]["protocolVersion"] == HANDSHAKE_REVISIONS[-1]


async def test_tools_are_listed_by_unique_names_without_those_that_are_broken(mcp, tools):
    reply = await mcp.handle(message("tools/list"))

    listed = reply.message["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["weather", f"{'x' * 55}-aaaabbbb", f"{'x' * 61}-f3"]
    assert listed[0] == {"name": "weather", "description": "Weather.", "inputSchema": SCHEMA}
    assert all(len(name) <= 64 for name in named_tools(await tools.list_tools()))


@pytest.mark.parametrize("names", [("a", "a", "a-f1"), ("a-f1", "a", "a"), ("a", "a-f3", "a", "a-f3-f2")])
def test_no_tool_takes_the_name_of_another_one(names):
    tools = [
        Tool(flow_id=FlowId(f"f{number}"), name=name, description="", input_schema={})
        for number, name in enumerate(names, 1)
    ]

    named = named_tools(tools)

    assert list(named.values()) == tools
    assert named[f"{names[1]}-f2" if names[0] != "a" else "a-f1"].name == "a"


async def test_long_lists_of_tools_have_pages(mcp, tools, monkeypatch):
    monkeypatch.setattr(mcp_protocol, "MAX_PAGE_LENGTH", 2)
    listed: list[str] = []
    cursor = None

    while not listed or cursor:
        reply = await mcp.handle(message("tools/list", {"cursor": cursor} if cursor else {}))
        [tool] = reply.message["result"]["tools"]
        listed.append(tool["name"])
        cursor = reply.message["result"].get("nextCursor")

    assert listed == list(named_tools(await tools.list_tools()))


@pytest.mark.parametrize("cursor", ["gone", 5, ["weather"]])
async def test_a_page_that_does_not_exist_is_an_error(mcp, cursor):
    reply = await mcp.handle(message("tools/list", {"cursor": cursor}))

    assert reply.message["error"]["code"] == -32602


def test_a_schema_that_is_no_text_has_the_same_limit():
    schema: JsonObject = {"type": "object", "description": "x" * MAX_SCHEMA_LENGTH}

    tool = read_tool(FlowId("f1"), {"toolName": "a", "inputSchema": schema})

    assert "more than 64,000 characters" in tool.problem
    assert len(str(tool.input_schema)) < 100


def test_an_error_names_only_some_of_many_unknown_arguments():
    with pytest.raises(ValidationFailed) as rejected:
        check_arguments({"additionalProperties": False}, {f"n{number}": 1 for number in range(1000)})

    assert len(rejected.value.fields()["arguments"]) == 10


async def test_a_call_returns_the_output(mcp, tools):
    reply = await mcp.handle(message("tools/call", {"name": "weather", "arguments": {"city": "Vienna"}}))

    assert reply.message == {
        "jsonrpc": "2.0",
        "id": 7,
        "result": {"content": [{"type": "text", "text": "Sunny"}], "isError": False},
    }
    assert tools.called == [("f1", {"city": "Vienna"})]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (ToolResult(output="Broken", is_error=True, execution_id=ExecutionId("e")), "Broken"),
        (Conflict("The flow is paused."), "The flow is paused."),
    ],
)
async def test_a_call_that_fails_is_a_result_that_the_model_sees(mcp, tools, result, text):
    tools.result = result

    reply = await mcp.handle(message("tools/call", {"name": "weather"}))

    assert reply.message["result"] == {"content": [{"type": "text", "text": text}], "isError": True}


@pytest.mark.parametrize(
    "params",
    [{}, {"name": "nothing"}, {"name": "y"}, {"name": ["weather"]}, {"name": "weather", "arguments": [1]}],
)
async def test_calls_that_make_no_sense_are_errors(mcp, tools, params):
    reply = await mcp.handle(message("tools/call", params))

    assert reply.message["error"]["code"] == -32602
    assert tools.called == []


@pytest.mark.parametrize(
    ("sent", "code", "status"),
    [
        ([], -32600, 400),
        ([message("ping")], -32600, 400),
        ("ping", -32600, 400),
        ({"id": 1, "method": "ping"}, -32600, 400),
        (message(5), -32600, 400),
        (message("ping", id=None), -32600, 400),
        (message("ping", id=True), -32600, 400),
        (message("ping", id=[1]), -32600, 400),
        (message("ping", [1]), -32602, 200),
        (message("prompts/list"), -32601, 200),
        (message("x" * 100_000), -32601, 200),
        (stateless("prompts/list"), -32601, 404),
        (stateless("initialize"), -32601, 404),
        (
            message("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "9"}}),
            -32022,
            400,
        ),
        (
            message("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": 9}}),
            -32602,
            400,
        ),
        (message("tools/list", {"_meta": {next(iter(META)): STATELESS}}), -32602, 400),
    ],
)
async def test_malformed_messages_are_errors_of_the_protocol(mcp, sent, code, status):
    reply = await mcp.handle(sent)

    assert (reply.message["error"]["code"], reply.status) == (code, status)
    assert len(str(reply.message)) < 500


@pytest.mark.parametrize(
    "sent",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
async def test_notifications_and_responses_get_no_reply(mcp, sent):
    reply = await mcp.handle(sent)

    assert (reply.message, reply.status) == (None, 202)


async def test_requests_of_the_stateless_revision_need_no_handshake(mcp):
    found = (await mcp.handle(stateless("server/discover"))).message["result"]
    listed = (await mcp.handle(stateless("tools/list"))).message["result"]
    called = (await mcp.handle(stateless("tools/call", name="weather", arguments={}))).message["result"]

    assert found["supportedVersions"] == [STATELESS]
    assert [one["resultType"] for one in (found, listed, called)] == ["complete"] * 3
    assert listed["cacheScope"] == found["cacheScope"] == "private"
    assert called["content"][0]["text"] == "Sunny"
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "patchbay"


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, -32020),
        ({"mcp-protocol-version": "2025-11-25"}, -32020),
        ({"mcp-protocol-version": STATELESS, "mcp-method": "tools/list"}, -32020),
        ({"mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": "other"}, -32020),
        ({"mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": "weather"}, None),
    ],
)
async def test_headers_of_the_stateless_revision_match_the_body(mcp, headers, code):
    reply = await mcp.handle(stateless("tools/call", name="weather"), headers)

    assert reply.message.get("error", {}).get("code") == code


async def test_a_header_with_an_unknown_revision_is_rejected(mcp):
    reply = await mcp.handle(message("ping"), {"mcp-protocol-version": "1999-01-01"})

    assert (reply.status, reply.message["error"]["code"]) == (400, -32022)
    assert STATELESS in reply.message["error"]["data"]["supported"]


# Over HTTP


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path, more_apps=[built_in_app("mcp")])
    await opened.engine.start()
    yield opened
    await opened.close()


async def publish(runtime, name: str, user_id=None):
    """A tool with this name that responds with it, of this person."""
    flow = await runtime.backend.create_flow(name, None, user_id)
    parameters: JsonObject = {"toolName": name, "toolDescription": "Says its name."}
    changes = (
        StepChange(app_key=MCP_APP, key=MCP_TRIGGER, parameters=parameters),
        StepChange(app_key=AppKey("mcp"), key="respondWith", parameters={"output": name}),
    )
    for step, change in zip(flow.steps, changes, strict=True):
        await runtime.backend.update_step(step.id, change)
        await runtime.backend.skip_step_test(step.id)
    return await runtime.backend.publish_flow(flow.id)


@pytest.fixture
async def client(runtime):
    async with served(runtime) as running, patient.AsyncClient(base_url=running.base_url) as opened:
        opened.headers["x-api-token"] = running.key
        yield opened


def tool_names(answer) -> list[str]:
    return [tool["name"] for tool in answer.json()["result"]["tools"]]


async def test_a_client_lists_and_calls_tools_over_http(runtime, client):
    await publish(runtime, "hello")

    listed = await client.post("/mcp", json=message("tools/list"))
    called = await client.post("/mcp", json=message("tools/call", {"name": "hello"}))
    noted = await client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert listed.headers["content-type"] == "application/json"
    assert tool_names(listed) == ["hello"]
    assert called.json()["result"]["content"] == [{"type": "text", "text": "hello"}]
    assert (noted.status_code, noted.content) == (202, b"")


async def test_the_key_can_be_a_bearer_token_there_only(runtime, client):
    key = client.headers.pop("x-api-token")

    allowed = await client.post("/mcp", json=message("ping"), headers={"authorization": f"Bearer {key}"})
    elsewhere = await client.get("/v1/flows", headers={"authorization": f"Bearer {key}"})
    refused = [
        await client.post("/mcp", json=message("ping"), headers=headers)
        for headers in ({}, {"authorization": "Bearer nothing"}, {"authorization": f"Basic {key}"})
    ]

    assert allowed.json()["result"] == {}
    assert elsewhere.status_code == 401
    assert [answer.status_code for answer in refused] == [401] * 3


async def test_other_methods_and_bodies_are_rejected(client):
    assert [(await client.request(method, "/mcp")).status_code for method in ("GET", "DELETE")] == [405, 405]
    assert (await client.post("/mcp", content=b"{")).status_code == 400
    empty = await client.post("/mcp")
    assert (empty.status_code, empty.json()["error"]["code"]) == (400, -32700)


async def test_a_read_only_key_lists_tools_but_calls_none(runtime, client):
    await publish(runtime, "hello")
    client.headers["x-api-token"] = (await runtime.backend.create_api_key("Reader", Scope.READ)).value

    listed = await client.post("/mcp", json=message("tools/list"))
    called = await client.post("/mcp", json=message("tools/call", {"name": "hello"}))

    assert tool_names(listed) == ["hello"]
    assert called.json()["result"]["isError"] is True
    assert "doesn't allow this" in called.json()["result"]["content"][0]["text"]


async def test_people_see_and_call_only_their_own_tools(runtime, client):
    editor = next(role for role in await runtime.backend.list_roles() if role.name == EDITOR.name)
    ada = await runtime.backend.create_user("Ada", "ada@example.com", editor.id)
    await publish(runtime, "hers", ada.id)
    theirs = await publish(runtime, "theirs")
    key = (await runtime.backend.create_api_key("Ada's", Scope.OPERATE, ada.id)).value
    client.headers["x-api-token"] = key

    listed = await client.post("/mcp", json=message("tools/list"))
    own = await client.post("/mcp", json=message("tools/call", {"name": "hers"}))
    other = await client.post("/mcp", json=message("tools/call", {"name": "theirs"}))
    directly = await client.post(f"/v1/tools/{theirs.id}/call", json={"arguments": {}})

    assert tool_names(listed) == ["hers"]
    assert own.json()["result"]["isError"] is False
    assert other.json()["error"]["message"] == "Unknown tool: theirs"
    assert directly.status_code == 404
