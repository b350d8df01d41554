"""Agents through the real service: a model on another server calls a flow, and its response is the output."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.forms import long_form
from tests.support.processes import Interface, Service
from tests.support.third_party import Reply, Seen, ThirdParty, party_in_thread

pytestmark = pytest.mark.timeout(300)

SCHEMA = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}
KEY = "sk-0123456789abcdef"


class Model:
    """A model that looks up an order with its only tool, corrects its arguments, and then responds."""

    def __call__(self, seen: Seen) -> Reply:
        if seen.path == "/v1/models":
            return Reply(body={"data": [{"id": "small"}, {"id": "large"}]})
        results = [one["content"] for one in seen.json["messages"] if one["role"] == "tool"]
        if len(results) < 2:
            arguments = json.dumps({"order": 7 if results else "seven"})
            name = seen.json["tools"][0]["function"]["name"]
            call = {
                "id": f"c{len(results)}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            return self._reply({"content": None, "tool_calls": [call]})
        return self._reply({"content": f"I found this: {results[1]}"})

    @staticmethod
    def _reply(message: dict[str, Any]) -> Reply:
        choice = {"index": 0, "message": {"role": "assistant", **message}}
        return Reply(body={"choices": [choice], "usage": {"total_tokens": 100}})


@pytest.fixture(scope="module")
def party() -> Iterator[ThirdParty]:
    with party_in_thread(Model()) as running:
        yield running


@pytest.fixture(scope="module")
def interface(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interface]:
    folder = tmp_path_factory.mktemp("served")
    passphrase = folder / "passphrase"
    passphrase.write_text("correct horse battery staple")
    passphrase.chmod(0o600)
    with Service(folder / "data", "--passphrase-file", str(passphrase)) as running:
        made = Interface(running)
        yield made
        made.close()


def published(interface: Interface, document: files.Document, connection: str | None = None) -> Any:
    """The flow, published; its second step uses the connection."""
    answer = interface.http.post("/v1/flows/import", json=document)
    assert answer.status_code == 201, answer.text
    flow = answer.json()["data"]
    if connection is not None:
        change = {"connectionId": connection}
        interface.http.patch(f"/v1/steps/{flow['steps'][1]['id']}", json=change).raise_for_status()
    for each in flow["steps"]:
        interface.http.post(f"/v1/steps/{each['id']}/skip-test").raise_for_status()
    switched = interface.http.patch(f"/v1/flows/{flow['id']}/status", json={"active": True})
    assert switched.status_code == 200, switched.text
    return switched.json()["data"]


@pytest.fixture(scope="module")
def connection(interface: Interface, party: ThirdParty) -> str:
    form = {"screenName": "Models", "apiUrl": f"{party.url}/v1", "apiKey": KEY}
    answer = interface.http.post("/v1/connections", json={"key": "self-hosted-llm", "formattedData": form})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["data"]["id"])


@pytest.fixture(scope="module")
def tool(interface: Interface) -> Any:
    trigger = files.step(
        "mcp", "mcpTool", toolName="find order", toolDescription="Finds.", inputSchema=json.dumps(SCHEMA)
    )
    respond = files.step("mcp", "respondWith", output="Order {{step.#1.order}} is paid.")
    return published(interface, files.flow("Find an order", trigger, respond))


@pytest.fixture(scope="module")
def agent_flow(interface: Interface, connection: str, tool: Any) -> Any:
    agent = files.step(
        "agents",
        "runAgent",
        agentId="own",
        agentName="Clerk",
        prompt="{{step.#1.body.question}}",
        model="small",
        instructions="Help with orders.",
        tools=[{"flow": tool["id"]}],
    )
    return published(interface, files.flow("Ask", files.catch(), agent), connection)


def test_an_agent_calls_a_flow_and_outputs_the_response_of_the_model(
    interface: Interface, party: ThirdParty, agent_flow: Any, tool: Any
):
    interface.http.post(
        f"/webhooks/flows/{agent_flow['id']}", json={"question": "Is 7 paid?"}
    ).raise_for_status()

    [execution] = interface.finished("Ask")
    assert execution["state"] == "success", execution["note"]
    output = interface.steps(execution["id"])[-1]["dataOut"]
    wrong, right = output["toolCalls"]
    assert output["output"] == "I found this: Order 7 is paid."
    assert (output["tokens"], wrong["isError"], right["isError"]) == (300, True, False)
    assert "“order” must be of type integer" in wrong["output"]
    [called] = interface.finished("Find an order")
    assert called["state"] == "success"
    assert called["originId"] == execution["id"]
    first = next(seen for seen in party.seen if seen.path == "/v1/chat/completions")
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert first.json["messages"] == [
        {"role": "system", "content": "Help with orders."},
        {"role": "user", "content": "Is 7 paid?"},
    ]
    assert first.json["tools"][0]["function"] == {
        "name": "find_order",
        "description": "Finds.",
        "parameters": SCHEMA,
    }


@long_form
def test_another_flow_uses_the_agent_with_a_connection_of_its_own(
    interface: Interface, connection: str, agent_flow: Any, tool: Any
):
    step = agent_flow["steps"][1]
    chosen = f"{agent_flow['id']}/{step['id']}"
    agent = files.step("agents", "runAgent", agentId=chosen, prompt="Is 7 paid?")
    flow = published(interface, files.flow("Ask again", files.catch(), agent), connection)

    def options(loader: str) -> list[str]:
        address = f"/v1/steps/{flow['steps'][1]['id']}/dynamic-data"
        answer = interface.http.post(address, json={"dynamicDataKey": loader, "parameters": {}})
        assert answer.status_code == 200, answer.text
        return [one["value"] for one in answer.json()["data"]]

    interface.http.post(f"/webhooks/flows/{flow['id']}").raise_for_status()
    [execution] = interface.finished("Ask again")

    assert interface.steps(execution["id"])[-1]["dataOut"]["output"] == "I found this: Order 7 is paid."
    assert options("listAgents") == ["own", chosen]
    assert options("listModels") == ["small", "large"]
    assert options("listTools") == [tool["id"]]
