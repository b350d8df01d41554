"""`patchbay serve` as a process: how it is reached, what it says, and what it stands."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.support import flow_files as files
from tests.support import patient
from tests.support.certificates import write_certificates
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.ports import free_port
from tests.support.processes import Interface, Service, program, run
from tests.support.raw_http import request

from patchbay.platform.process_limits import raise_open_files_limit


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pem")
    write_certificates(folder)
    return folder


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, pem: Path) -> Iterator[Service]:
    """Encrypted, below a path, webhooks at a port of their own, with a public address."""
    folder = tmp_path_factory.mktemp("served")
    webhooks = free_port()
    wanted = (
        "--webhook-port",
        webhooks,
        "--base-path",
        "/api",
        "--tls-cert",
        pem / "server.pem",
        "--tls-key",
        pem / "server.key",
        "--public-address",
        f"https://127.0.0.1:{webhooks}",
    )
    with Service(folder / "data", serve=wanted) as running:
        yield running


@pytest.fixture
def trusted(pem: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=pem / "authority.pem")


@long_form
def test_commands_work_beside_an_encrypted_service_and_its_webhooks_start_flows(service, trusted, tmp_path):
    flow = files.write(tmp_path / "flow.json", files.flow("Called", files.catch(), files.trimmed("x")))
    [made] = service.command("flow", "import", flow, "--publish", "--json").json
    shown = service.command("flow", "show", made["id"], "--json").json
    key = service.command("api-key", "create", "--scope", "read", "--json").json["key"]

    hook = shown["steps"][0]["webhookUrl"]
    with patient.Client(verify=trusted, headers={"x-api-token": key}) as client:
        called = client.post(hook, json={})
        inside = client.get(f"{service.address}/v1/info").json()["data"]
        numbers = client.get(service.address.removesuffix("/api") + "/metrics")
        elsewhere = client.post(service.address.removesuffix("/api") + urlsplit(hook).path, json={})

    assert service.address.startswith("https://127.0.0.1:")
    assert service.address.endswith("/api")
    assert hook.startswith(inside["webhookAddress"])
    assert urlsplit(hook).port != urlsplit(service.address).port
    assert called.status_code == 204
    assert 'patchbay_webhook_deliveries_total{outcome="accepted"} 1.0' in numbers.text
    assert elsewhere.status_code == 404


def test_an_invalid_certificate_ends_the_command_with_a_clear_error(tmp_path, pem):
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    done = run(program("serve", "--port", 0, "--tls-cert", nonsense, data=tmp_path / "data"))

    assert (done.code, done.out) == (1, "")
    assert "can't be used for TLS" in done.err
    assert "--tls-cert" in done.err
    assert "Traceback" not in done.err


def test_who_lets_others_in_without_encryption_is_warned(tmp_path):
    with Service(tmp_path / "data", "--debug", serve=("--host", "0.0.0.0")) as running:
        said = running.process.said
        answer = patient.get(running.address.replace("0.0.0.0", "127.0.0.1") + "/healthcheck")

    assert answer.status_code == 200
    assert "Warning: other computers can reach" in said
    assert "can read API keys and data" in said
    assert "--tls-cert" in said


def test_wrong_options_are_reported(tmp_path):
    wrong = (("--base-path", "/a b"), ("--tls-key", "x.pem"), ("--public-address", "nowhere"))
    for options in wrong:
        done = run(program("serve", "--port", 0, *options, data=tmp_path / "data"))

        assert (done.code, done.out) == (1, "")
        assert "Traceback" not in done.err
        assert done.err.strip()


def folder(*lines: str, body: bytes = b"{}") -> bytes:
    """A request for a new folder whose head says these things of its body."""
    return request("/v1/folders", "Content-Type: application/json", *lines, method="POST") + body


ATTACKS = (
    request("/v1/../v1/flows"),
    request("http://evil.example/v1/flows"),
    request("/v1/flows", host="evil.example"),
    request("/v1/flows", "X-Forwarded-For: 127.0.0.1", "X-Original-URL: /healthcheck"),
    request("/v1/flows", "X-Long: " + "x" * 100_000),
    folder("Content-Length: 2", "Content-Length: 3"),
    folder("Content-Length: 2", "Transfer-Encoding: chunked"),
    folder("Content-Length: 200000", body=b"[" * 200_000),
    folder("Content-Length: 99999999999", "Expect: 100-continue"),
    request("evil.example:443", method="CONNECT"),
    b"\x16\x03\x01" + b"\x00" * 1000 + b"\r\n\r\n",
)


def test_it_stands_attacks_and_continues(tmp_path):
    raise_open_files_limit()
    with Service(tmp_path / "data") as running, ExitStack() as held:
        limits = Path(f"/proc/{running.process.pid}/limits")
        if limits.exists():
            core = next(line for line in limits.read_text().splitlines() if "core file" in line)
            assert core.split()[-3:-1] == ["0", "0"]  # a crash writes no keys to the disk
        port = urlsplit(running.address).port
        for _ in range(700):  # more than it holds open, none of which ever asks for anything
            idle = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            idle.sendall(b"GET /v1/flows HTTP/1.1\r\nX-Slow: ")
        answers = [_said(port, attack) for attack in ATTACKS]
        interface = Interface(running)
        flows = interface.http.get("/v1/flows")
        interface.close()

    assert all(answer.startswith(b"HTTP/1.1 4") for answer in answers), answers
    assert all(b'"errors"' in answer and b'"meta"' in answer for answer in answers)
    assert flows.status_code == 200


def _said(port: int | None, data: bytes) -> bytes:
    """The first bytes of what comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        said = b""
        while b'"meta"' not in said and (part := connection.recv(65536)):
            said += part
    return said


def test_a_server_names_the_flows_that_need_the_desktop(tmp_path):
    data = tmp_path / "data"
    ask = files.step("desktop", "askMe", title="Who?", fields=[{"label": "Name", "type": "text"}])
    file = files.write(tmp_path / "flow.json", files.flow("Visitors", files.catch(), ask))
    [flow] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    with Service(data, "--debug") as service:
        said = service.process.said
        with Interface(service).http as http:
            activity = http.post("/v1/flows/activity", json={"flowIds": [flow["id"]]})

    assert "need the desktop of a window" in said
    assert "“Visitors”" in said
    [found] = activity.json()["data"]
    assert found["attention"].startswith("Step 2 can't run: “patchbay serve” runs the flows")
