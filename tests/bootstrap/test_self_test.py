"""The test of the public address: whether requests arrive here, and the message if they don't."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from tests.support import patient
from tests.support.certificates import write_certificates
from tests.support.desk import desk, tools
from tests.support.patience import PATIENCE

from patchbay.bootstrap.listen_options import ListenOptions
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime, open_runtime
from patchbay.domain.audit_log import AuditAction, AuditFilter
from patchbay.domain.clock import now_ms
from patchbay.domain.errors import Conflict, Unreachable
from patchbay.domain.hosting import SELF_TEST_PATH, ServiceSettings
from patchbay.domain.paging import PageRequest
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import AppRegistry
from patchbay.service import service_settings
from patchbay.service.addresses import checked_public_address, describe_result
from patchbay.service.key_stores import MemoryKeyStore


@pytest.fixture
async def runtime(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    apps = AppRegistry([desk, tools], base_url="http://here", docs_url="http://docs")
    opened = await open_runtime(tmp_path / "patchbay.db", apps, MemoryKeyStore(), now_ms)
    yield opened
    await opened.close(grace=0)


def respond(body: bytes, path: str) -> bytes:
    return body


@asynccontextmanager
async def somebody(answer: Callable[[str], bytes]) -> AsyncIterator[str]:
    """Another program; `answer` makes what it sends out of the path it was asked for."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(await asyncio.to_thread(answer, head.split()[1].decode()))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def http(status: str, body: str = "", *lines: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close", *lines]
    return "\r\n".join([*head, "", body]).encode()


async def words_of(runtime: WorkspaceRuntime, address: str) -> str:
    """What is said of an address at which nothing arrives."""
    found = await runtime.backend.test_public_address(address)
    assert not found.ok
    assert len(found.checks) == 2
    return found.checks[0].words


async def test_calls_to_the_address_it_listens_on_arrive(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0))

    found = await runtime.backend.test_public_address()

    assert found.ok
    assert [(check.name, check.words) for check in found.checks] == [
        ("Webhooks", "The request reached Patchbay."),
        ("Sign-ins", "The request reached Patchbay."),
    ]
    assert found.checks[0].url == http_listeners.webhooks + SELF_TEST_PATH  # without what made the call ours
    entries = (await runtime.backend.audit_log(AuditFilter(), PageRequest())).items
    assert entries[0].deed is AuditAction.TESTED


@pytest.mark.parametrize(
    "listen_options",
    [ListenOptions(port=0, webhook_port=0), ListenOptions(port=0, base_path="/api")],
    ids=["two", "base"],
)
async def test_calls_arrive_at_a_port_of_their_own_and_beside_a_base_path(runtime, listen_options):
    await runtime.listen(listen_options)

    assert (await runtime.backend.test_public_address()).ok


async def test_calls_through_a_proxy_with_a_name_and_a_path_of_its_own_arrive(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0))

    def passed_on(path: str) -> bytes:
        assert path.startswith("/flows/")
        answer = patient.get(http_listeners.webhooks + path.removeprefix("/flows"))
        return http("200 OK", answer.text, "content-type: application/json")

    async with somebody(passed_on) as address:
        assert (await runtime.backend.test_public_address(f"{address}/flows/")).ok


async def test_a_name_is_let_in_while_it_is_tested_and_not_after(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0))
    port = urlsplit(http_listeners.address).port

    found = await runtime.backend.test_public_address(f"http://127.1:{port}")

    assert found.ok
    async with patient.AsyncClient(base_url=http_listeners.address) as client:
        after = await client.get("/healthcheck", headers={"host": f"127.1:{port}"})
    assert after.status_code == 403


async def test_a_name_that_is_tested_changes_nothing_about_outgoing_addresses(runtime):
    network = runtime.http.network
    runtime.prepare_to_listen(ListenOptions())
    before, meanwhile = network.effective_mode, []

    def note(path: str) -> bytes:
        meanwhile.append((network.effective_mode, tuple(network.own_hosts())))
        return http("404 Not Found")

    await runtime.listen(ListenOptions(port=0))
    async with somebody(note) as address:
        await runtime.backend.test_public_address(f"http://127.1:{urlsplit(address).port}")

    assert set(meanwhile) == {(before, ())}


async def test_another_server_at_the_address_is_reported(runtime):
    await runtime.listen(ListenOptions(port=0))
    ours = json.dumps({"errors": {"general": ["No test is waiting."]}, "meta": {"type": "NotFound"}})
    told = {
        http("200 OK", "<h1>Welcome</h1>"): "Another program responded (200)",
        http("404 Not Found", "{}"): "Another program responded (404)",
        http("401 Unauthorized"): "Another program responded (401)",
        http("404 Not Found", ours): "Another Patchbay server responded (404)",
        http("502 Bad Gateway"): "A proxy responded, but can't reach the server behind it (502)",
        http(
            "308 Permanent Redirect", "", "location: https://elsewhere.example/x"
        ): "redirected to https://elsewhere.example/x",
        b"\x00\x01nonsense\r\n\r\n": "malformed response",
    }
    for answer, words in told.items():
        async with somebody(partial(respond, answer)) as address:
            assert words in await words_of(runtime, address)


async def test_an_answer_that_never_ends_is_given_up(runtime, monkeypatch):
    monkeypatch.setattr(service_settings, "ADDRESS_TEST_TIMEOUT_SECONDS", 0.3)
    await runtime.listen(ListenOptions(port=0))

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not writer.is_closing():
            writer.write(b" ")
            await asyncio.sleep(0.02)

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server, asyncio.timeout(PATIENCE):
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert "timed out after" in await words_of(runtime, address)


async def test_an_echo_is_not_taken_for_us(runtime):
    await runtime.listen(ListenOptions(port=0))
    async with somebody(
        lambda path: http("200 OK", json.dumps({"data": {"proof": path.rpartition("/")[2]}}))
    ) as echo:
        assert "Another program" in await words_of(runtime, echo)


def test_a_port_left_out_is_reported():
    nobody = Unreachable("flows.example.org cannot be reached.", meaning="It refused the connection.")

    words = describe_result(nobody, "https://flows.example.org/x", "http://127.0.0.1:8787")

    assert words.startswith("flows.example.org cannot be reached.")
    assert "uses port 443" in words
    assert "Add :8787" in words
    assert "8787" not in describe_result(nobody, "https://flows.example.org:8787/x", "http://127.0.0.1:8787")


async def test_an_untrusted_certificate_is_reported(runtime, tmp_path: Path):
    write_certificates(tmp_path)
    http_listeners = await runtime.listen(
        ListenOptions(port=0, tls_cert=tmp_path / "server.pem", tls_key=tmp_path / "server.key")
    )

    assert "certificate" in (await words_of(runtime, http_listeners.address)).lower()


async def test_the_self_test_fails_without_a_listener(runtime):
    with pytest.raises(Conflict, match="isn't listening"):
        await runtime.backend.test_public_address("https://flows.example.org")


async def test_the_demo_says_that_it_sends_no_requests(tmp_path):
    offline = HttpFactory(httpx.MockTransport(lambda request: httpx.Response(200, json={"demo": "yes"})))
    place = tmp_path / "demo.db"
    demo = await open_runtime(place, AppRegistry(), MemoryKeyStore(), now_ms, kind="demo", http=offline)
    await demo.listen(ListenOptions(port=0))

    assert (await words_of(demo, "https://flows.example.org")).startswith("The demo sends no requests")
    await demo.close(grace=0)


async def test_strangers_learn_nothing_from_the_addresses_of_the_test(runtime):
    http_listeners = await runtime.listen(ListenOptions(port=0))
    await runtime.backend.test_public_address()
    async with patient.AsyncClient(base_url=http_listeners.address) as client:
        webhook = await client.get(f"{SELF_TEST_PATH}/guess")
        redirect = await client.get("/oauth/callback", params={"self-test": "guess"})
        browser = await client.get("/oauth/callback", params={"state": "x", "self-test": "guess"})

    assert [webhook.status_code, redirect.status_code, browser.status_code] == [404, 404, 400]
    assert "No sign-in in progress" in browser.text


async def test_the_public_address_is_known_after_a_restart(runtime, tmp_path):
    await runtime.backend.change_service_settings(
        ServiceSettings(public_address="https://flows.example.org/p")
    )
    await runtime.close(grace=0)
    apps = AppRegistry([desk, tools], base_url="http://here", docs_url="http://docs")
    again = await open_runtime(tmp_path / "patchbay.db", apps, MemoryKeyStore(), now_ms)

    assert (await again.backend.info()).webhook_address is None  # nothing listens yet
    await again.listen(ListenOptions(port=0))
    assert (await again.backend.info()).webhook_address == "https://flows.example.org/p"
    assert again.workspace.redirect_url() == "https://flows.example.org/p/oauth/callback"
    await again.close(grace=0)


@pytest.mark.parametrize(
    ("entered", "kept"),
    [
        (" https://Flows.Example.ORG/ ", "https://flows.example.org"),
        ("", None),
        (None, None),
        ("https://a.org:443/p/q/", "https://a.org/p/q"),
        ("http://[::1]:80", "http://[::1]"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("http://box:8080", "http://box:8080"),
    ],
)
def test_an_address_is_kept_in_one_spelling(entered, kept):
    assert checked_public_address(entered) == kept
