"""The listening socket, its life, and the stream of changes."""

import asyncio
import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from tests.support import patient
from tests.support.contract_workspaces import served
from tests.support.patience import PATIENCE

from patchbay.domain.errors import Conflict, Unreachable
from patchbay.domain.ports import WebhookResponse
from patchbay.server.app import create_app
from patchbay.server.connection_limits import ConnectionLimits
from patchbay.server.http_protocol import HttpProtocol
from patchbay.server.listener import HttpListener


@pytest.fixture
def app(runtime):
    return create_app(runtime.backend, runtime.engine, runtime.backend.api_keys, version="1")


async def test_it_answers_once_started_and_not_after_stopping(app):
    listener = HttpListener(app, "127.0.0.1", 0)
    base_url = await listener.start()
    async with patient.AsyncClient() as client:
        assert (await client.get(f"{base_url}/healthcheck")).status_code == 200

        await listener.stop(grace=1)

        with pytest.raises(httpx.ConnectError):
            await client.get(f"{base_url}/healthcheck")


async def test_a_taken_port_is_named_with_a_way_out(app):
    first = HttpListener(app, "127.0.0.1", 0)
    port = int((await first.start()).rpartition(":")[2])

    with pytest.raises(Conflict) as refused:
        await HttpListener(app, "127.0.0.1", port).start()

    await first.stop(grace=1)
    assert str(port) in refused.value.happened
    assert "--port" in refused.value.todo


async def test_an_address_of_another_computer_cannot_be_listened_on(app):
    with pytest.raises(Unreachable, match=r"192\.0\.2\.1"):
        await HttpListener(app, "192.0.2.1", 0).start()


async def test_the_same_port_can_be_used_again_at_once(app):
    listener = HttpListener(app, "127.0.0.1", 0)
    base_url = await listener.start()
    await listener.stop(grace=1)

    again = HttpListener(app, "127.0.0.1", int(base_url.rpartition(":")[2]))

    assert await again.start() == base_url
    await again.stop(grace=1)


async def test_a_public_name_is_answered_when_it_is_set(app):
    listener = HttpListener(app, "127.0.0.1", 0, public_hosts=lambda: ["flows.example.org"])
    base_url = await listener.start()

    async with patient.AsyncClient() as client:
        answer = await client.get(f"{base_url}/healthcheck", headers={"host": "flows.example.org"})

    await listener.stop(grace=1)
    assert answer.status_code == 200


async def test_the_interface_can_live_below_a_path(runtime):
    app = create_app(runtime.backend, runtime.engine, runtime.backend.api_keys, version="1", base_path="/api")
    listener = HttpListener(app, "127.0.0.1", 0)
    base_url = await listener.start()

    async with patient.AsyncClient(base_url=base_url) as client:
        found = [
            (await client.get(path)).status_code for path in ("/api/v1/flows", "/v1/flows", "/healthcheck")
        ]

    await listener.stop(grace=1)
    assert found == [401, 404, 200]


async def test_changes_arrive_as_events_and_end_when_the_service_stops(runtime, service, caller):
    async with caller.stream("GET", "/v1/events") as stream:
        lines = stream.aiter_lines()
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert await anext(lines) == ": connected"

        flow = await runtime.backend.create_flow("Seen")
        data = await anext(line async for line in lines if line.startswith("data: "))
        assert json.loads(data.removeprefix("data: "))["ids"] == [flow.id]

        async with asyncio.timeout(PATIENCE):
            await service.listener.stop(grace=3600)  # the stream ends by itself
            assert [line async for line in lines if line and not line.startswith(":")] == []


async def test_a_request_that_never_ends_does_not_hold_up_stopping(runtime):
    arrived = asyncio.Event()

    class Endless:
        max_body_bytes = 1 << 20

        async def check_webhook(self, *args: object, **named: Any) -> None:
            return None

        async def deliver(self, *args: object, **named: Any) -> None:
            arrived.set()
            await asyncio.Event().wait()

    intake: Any = Endless()
    app = create_app(runtime.backend, intake, runtime.backend.api_keys, version="1")
    listener = HttpListener(app, "127.0.0.1", 0)
    base_url = await listener.start()
    async with patient.AsyncClient(base_url=base_url) as client:
        call = asyncio.ensure_future(client.post(f"/webhooks/flows/{uuid4()}/sync"))
        await arrived.wait()

        async with asyncio.timeout(PATIENCE):
            await listener.stop(grace=1)

        with pytest.raises(httpx.HTTPError):
            (await call).raise_for_status()


async def test_a_caller_whose_headers_never_end_is_given_up(runtime):
    async with served(runtime, limits=ConnectionLimits(head_seconds=0.3)) as service:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(service.base_url).port)
        writer.write(b"GET /healthcheck HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ")

        async def byte_by_byte() -> None:
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.02)

        sending = asyncio.ensure_future(byte_by_byte())
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionResetError):  # when a byte is sent after the server has closed
                assert await reader.read() == b""
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        writer.close()


async def test_a_request_that_takes_its_time_is_not_given_up(runtime, monkeypatch):
    arrived, go_on, limit_passed = asyncio.Event(), asyncio.Event(), asyncio.Event()
    on_head_timeout = HttpProtocol._on_head_timeout

    def observed(protocol: HttpProtocol) -> None:
        on_head_timeout(protocol)
        limit_passed.set()

    monkeypatch.setattr(HttpProtocol, "_on_head_timeout", observed)

    class Slow:
        max_body_bytes = 1 << 20

        async def check_webhook(self, *args: object, **named: Any) -> None:
            return None

        async def deliver(self, *args: object, **named: Any) -> WebhookResponse:
            arrived.set()
            await go_on.wait()
            return WebhookResponse(status=200, body="late")

    intake: Any = Slow()
    app = create_app(runtime.backend, intake, runtime.backend.api_keys, version="1")
    listener = HttpListener(app, "127.0.0.1", 0, limits=ConnectionLimits(head_seconds=1))
    async with patient.AsyncClient(base_url=await listener.start()) as client:
        call = asyncio.ensure_future(client.post(f"/webhooks/flows/{uuid4()}/sync"))
        await arrived.wait()
        await limit_passed.wait()
        go_on.set()

        assert (await call).text == "late"
    await listener.stop(grace=1)
