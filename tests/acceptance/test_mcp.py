"""The MCP server through real processes: over HTTP, and over standard input and output."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.processes import Interface, Service, program, run

pytestmark = pytest.mark.timeout(300)

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("served")
    passphrase = folder / "passphrase"
    passphrase.write_text("correct horse battery staple")
    passphrase.chmod(0o600)
    with Service(folder / "data", "--passphrase-file", str(passphrase)) as running:
        yield running


@pytest.fixture(scope="module")
def interface(service: Service) -> Iterator[Interface]:
    made = Interface(service)
    trigger = files.step(
        "mcp", "mcpTool", toolName="greet", toolDescription="Greets.", inputSchema=json.dumps(SCHEMA)
    )
    respond = files.step("mcp", "respondWith", output="Hello, {{step.#2.output}}!")
    flow = files.flow("Greeting", trigger, files.trimmed("{{step.#1.name}}"), respond)
    answer = made.http.post("/v1/flows/import", params={"publish": True}, json=flow)
    assert answer.status_code == 201, answer.text
    assert answer.json()["data"]["active"], answer.text
    yield made
    made.close()


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


CALL = request(3, "tools/call", name="greet", arguments={"name": " Ada — 名前 "})


def test_a_client_calls_a_flow_over_http(interface: Interface):
    began = interface.http.post("/mcp", json=request(1, "initialize", protocolVersion="2025-11-25"))
    listed = interface.http.post("/mcp", json=request(2, "tools/list"))
    called = interface.http.post("/mcp", json=CALL)
    wrong = interface.http.post("/mcp", json=request(4, "tools/call", name="greet", arguments={}))

    assert began.json()["result"]["serverInfo"]["name"] == "patchbay"
    (tool,) = listed.json()["result"]["tools"]
    assert tool == {"name": "greet", "description": "Greets.", "inputSchema": SCHEMA}
    assert called.json()["result"] == {
        "content": [{"type": "text", "text": "Hello, Ada — 名前!"}],
        "isError": False,
    }
    assert wrong.json()["result"]["isError"] is True
    assert "“name” is missing" in wrong.json()["result"]["content"][0]["text"]


def test_a_client_calls_a_flow_over_standard_input_and_output(service: Service, interface: Interface):
    began = request(1, "initialize", protocolVersion="2025-06-18", capabilities={})
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    sent = [json.dumps(one) for one in (began, noted, request(2, "tools/list"), CALL)]

    done = run(
        program("mcp", data=service.data), stdin="\n".join([*sent, "", "{", "x" * (5 << 20), sent[2]]) + "\n"
    )

    replies = [json.loads(line) for line in done.out.splitlines()]
    by_id = {reply["id"]: reply for reply in replies if reply["id"] is not None}
    assert done.code == 0, done.err
    assert by_id[1]["result"]["protocolVersion"] == "2025-06-18"
    assert [tool["name"] for tool in by_id[2]["result"]["tools"]] == ["greet"]
    assert by_id[3]["result"]["content"][0]["text"] == "Hello, Ada — 名前!"
    failures = sorted(reply["error"]["code"] for reply in replies if "error" in reply)
    assert failures == [-32700, -32600]
    assert len(replies) == 6


@long_form
def test_a_client_gets_replies_while_it_keeps_standard_input_open(service: Service, interface: Interface):
    with subprocess.Popen(
        program("mcp", data=service.data), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request(1, "ping")) + "\n")
        process.stdin.flush()
        reply = json.loads(process.stdout.readline())
        process.stdin.close()

        assert reply == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert process.wait(PATIENCE) == 0
