"""Slow, idle, or many clients: they cost little, time out, and do not block others."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from tests.support.certificates import write_certificates
from tests.support.raw_http import Wire, ask, request, wire

from patchbay.domain.ports import WebhookResponse
from patchbay.server import http_protocol
from patchbay.server.app import create_app
from patchbay.server.connection_limits import ConnectionLimits
from patchbay.server.http_protocol import HttpProtocol
from patchbay.server.listener import HttpListener, tls_context
from patchbay.server.request_bodies import BodyLimits

pytestmark = pytest.mark.asyncio(loop_scope="module")

LARGE = "x" * 30_000_000


class Intake:
    """Takes calls until told to answer them; the answer is large."""

    def __init__(self) -> None:
        self.arrived = asyncio.Semaphore(0)
        self.go_on = asyncio.Event()

    max_body_bytes = 1 << 20

    async def check_webhook(self, *_: object, **__: Any) -> None:
        return None

    async def record_rejection(self, *_: object) -> None:
        pass

    async def deliver(self, *_: object, **__: Any) -> WebhookResponse:
        self.arrived.release()
        await self.go_on.wait()
        return WebhookResponse(status=200, body=LARGE)


class RunningListener(HttpListener):
    """A listener that knows its address."""

    base_url: str


@asynccontextmanager
async def listening(
    runtime, limits: ConnectionLimits, *, intake: Any = None, body_seconds: float = 30.0, tls=None
) -> AsyncIterator[RunningListener]:
    webhooks: Any = intake or Intake()
    app = create_app(
        runtime.backend,
        webhooks,
        runtime.backend.api_keys,
        version="1",
        body_limits=lambda scope: BodyLimits(seconds=body_seconds),
    )
    listener = RunningListener(app, "127.0.0.1", 0, limits=limits, tls=tls)
    listener.base_url = await listener.start()
    try:
        yield listener
    finally:
        await listener.stop(grace=1)


async def until(look) -> None:
    for _ in range(1000):
        if look():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to that within ten seconds")


async def test_a_body_that_comes_byte_by_byte_is_given_up(runtime):
    async with listening(runtime, ConnectionLimits(), body_seconds=0.3) as here, wire(here.base_url) as slow:
        await slow.send(request(f"/webhooks/flows/{uuid4()}", "Content-Length: 1000", method="POST"))

        async def drip() -> None:
            while True:
                await slow.send(b" ")
                await asyncio.sleep(0.02)

        dripping = asyncio.ensure_future(drip())
        answer = await slow.answer()
        dripping.cancel()
        await asyncio.gather(dripping, return_exceptions=True)

    assert (answer.status, set(answer.json), answer.headers["connection"]) == (
        408,
        {"errors", "meta"},
        "close",
    )


async def keep_sending(connection: Wire) -> None:
    with suppress(ConnectionError):
        while True:
            await connection.send(b" ")
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        (["Content-Length: 50000000"], b" ", 413),
        (["Transfer-Encoding: chunked"], b"200000\r\n" + b" " * 0x200000, 413),
        (["Transfer-Encoding: chunked"], b"nonsense\r\n", 400),
    ],
)
async def test_a_caller_whose_body_is_refused_loses_its_connection_though_it_sends_on(
    runtime, monkeypatch, headers, body, status
):
    monkeypatch.setattr("patchbay.server.http_protocol.LINGER_SECONDS", 0.3)
    async with listening(runtime, ConnectionLimits()) as here, wire(here.base_url) as caller:
        await caller.send(request(f"/webhooks/flows/{uuid4()}", *headers, method="POST") + body)
        sending = asyncio.ensure_future(keep_sending(caller))
        answer = await caller.answer()

        await until(lambda: here.open_connections == 0)
        sending.cancel()

    assert (answer.status, answer.headers["connection"]) == (status, "close")


async def test_a_caller_that_is_answered_before_its_body_arrived_has_to_end_it_soon(runtime):
    async with (
        listening(runtime, ConnectionLimits(unread_seconds=0.3)) as here,
        wire(here.base_url) as caller,
    ):
        await caller.send(request("/webhooks/flows/none", "Content-Length: 1000", method="POST"))
        sending = asyncio.ensure_future(keep_sending(caller))
        answer = await caller.answer()

        await until(lambda: here.open_connections == 0)
        sending.cancel()

    assert answer.status == 400


async def test_a_connection_can_be_used_again_when_the_rest_of_a_body_comes_after_the_response(runtime):
    async with listening(runtime, ConnectionLimits()) as here, wire(here.base_url) as caller:
        await caller.send(request("/webhooks/flows/none", "Content-Length: 10", method="POST"))
        early = await caller.answer()
        [connection] = here._server.server_state.connections
        assert isinstance(connection, HttpProtocol)
        await until(lambda: connection._unread_timer is not None)
        await caller.send(b" " * 10 + request("/healthcheck"))
        later = await caller.answer()
        assert connection._unread_timer is None  # it would close the connection
        await caller.send(request("/healthcheck"))

        assert (early.status, later.status, (await caller.answer()).status) == (400, 200, 200)


async def test_callers_that_read_nothing_make_room_for_newcomers(runtime):
    intake = Intake()
    intake.go_on.set()
    limits = ConnectionLimits(connections=3, stalled_seconds=0)
    async with listening(runtime, limits, intake=intake) as here, AsyncExitStack() as stack:
        for _ in range(3):
            deaf = await stack.enter_async_context(wire(here.base_url))
            deaf.reader._transport.pause_reading()
            await deaf.send(request(f"/webhooks/flows/{uuid4()}/sync", method="POST"))
            await intake.arrived.acquire()

        answers = [(await ask(here.base_url, request("/healthcheck"))).status for _ in range(3)]

    assert answers == [200] * 3


async def test_a_caller_who_takes_no_answer_is_given_up(runtime):
    intake = Intake()
    intake.go_on.set()
    async with (
        listening(runtime, ConnectionLimits(send_seconds=0.3), intake=intake) as here,
        AsyncExitStack() as stack,
    ):
        for _ in range(3):
            deaf = await stack.enter_async_context(wire(here.base_url))
            deaf.reader._transport.pause_reading()
            await deaf.send(request(f"/webhooks/flows/{uuid4()}/sync", method="POST"))
            await intake.arrived.acquire()

        await until(lambda: here.open_connections == 0)
        assert (await ask(here.base_url, request("/healthcheck"))).status == 200


async def test_a_caller_who_leaves_without_taking_the_answer_is_forgotten(runtime):
    intake = Intake()
    async with listening(runtime, ConnectionLimits(), intake=intake) as here:
        async with wire(here.base_url) as gone:
            await gone.send(request(f"/webhooks/flows/{uuid4()}/sync", method="POST"))
            await intake.arrived.acquire()
            assert here.open_connections == 1
        intake.go_on.set()

        await until(lambda: here.open_connections == 0)


async def test_idle_connections_make_room_for_newcomers(runtime):
    async with listening(runtime, ConnectionLimits(connections=5)) as here, AsyncExitStack() as stack:
        idle = [await stack.enter_async_context(wire(here.base_url)) for _ in range(40)]

        for _ in range(3):
            assert (await ask(here.base_url, request("/healthcheck"))).status == 200
        assert here.open_connections <= 5
        assert await idle[0].ended() == b""  # the one that has been idle longest went first


async def test_one_look_through_all_connections_makes_room_for_several_newcomers(runtime, monkeypatch):
    looks = 0
    least_needed = http_protocol._least_needed

    def counted(*args):
        nonlocal looks
        looks += 1
        return least_needed(*args)

    monkeypatch.setattr(http_protocol, "_least_needed", counted)
    monkeypatch.setattr(http_protocol, "_BATCH_SECONDS", 3600)
    async with listening(runtime, ConnectionLimits(connections=160)) as here, AsyncExitStack() as stack:
        idle = [await stack.enter_async_context(wire(here.base_url)) for _ in range(160)]
        await until(lambda: here.open_connections == 160)
        for number in range(2):
            await stack.enter_async_context(wire(here.base_url))
            assert await idle[number].ended() == b""
        await idle[2].send(request("/healthcheck"))
        assert (await idle[2].answer()).status == 200

        await stack.enter_async_context(wire(here.base_url))
        assert await idle[3].ended() == b""  # the one before was used since the look
        assert looks == 1
        await idle[2].send(request("/healthcheck"))
        assert (await idle[2].answer()).status == 200


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
async def test_idle_connections_of_one_client_do_not_push_out_those_of_another_one(runtime):
    async with listening(runtime, ConnectionLimits(connections=4)) as here, AsyncExitStack() as stack:
        slow = await stack.enter_async_context(wire(here.base_url, "127.0.0.2"))
        await slow.send(b"GET /healthcheck HTTP/1.1\r\n")
        for _ in range(20):
            await stack.enter_async_context(wire(here.base_url))
        assert (await ask(here.base_url, request("/healthcheck"))).status == 200

        await slow.send(b"Host: 127.0.0.1\r\n\r\n")
        assert (await slow.answer()).status == 200


async def test_a_connection_that_was_used_and_left_open_makes_room_too(runtime):
    async with listening(runtime, ConnectionLimits(connections=2)) as here, AsyncExitStack() as stack:
        kept = [await stack.enter_async_context(wire(here.base_url)) for _ in range(2)]
        for connection in kept:
            await connection.send(request("/healthcheck"))
            assert (await connection.answer()).status == 200

        assert (await ask(here.base_url, request("/healthcheck"))).status == 200
        assert await kept[0].ended() == b""


async def test_who_is_being_answered_is_not_pushed_out(runtime):
    intake = Intake()
    async with (
        listening(runtime, ConnectionLimits(connections=2), intake=intake) as here,
        AsyncExitStack() as stack,
    ):
        busy = [await stack.enter_async_context(wire(here.base_url)) for _ in range(2)]
        for connection in busy:
            await connection.send(request(f"/webhooks/flows/{uuid4()}/sync", method="POST"))
            await intake.arrived.acquire()

        rejected_calls = await ask(here.base_url, b"")
        assert (rejected_calls.status, set(rejected_calls.json)) == (503, {"errors", "meta"})
        assert rejected_calls.headers["connection"] == "close"
        assert "retry-after" in rejected_calls.headers
        intake.go_on.set()
        assert [(await connection.answer()).status for connection in busy] == [200, 200]


async def test_bodies_that_never_end_make_room_for_newcomers(runtime):
    async with listening(runtime, ConnectionLimits(connections=3)) as here, AsyncExitStack() as stack:
        slow = [await stack.enter_async_context(wire(here.base_url)) for _ in range(3)]
        for connection in slow:
            await connection.send(
                request(f"/webhooks/flows/{uuid4()}", "Content-Length: 1000", method="POST") + b"{"
            )
        await until(lambda: here.open_connections == 3)

        for _ in range(3):
            assert (await ask(here.base_url, request("/healthcheck"))).status == 200
        assert await slow[0].ended() == b""


async def test_who_has_just_come_is_heard_before_bodies_that_never_end(runtime):
    async with listening(runtime, ConnectionLimits(connections=3)) as here, AsyncExitStack() as stack:
        slow = [await stack.enter_async_context(wire(here.base_url)) for _ in range(3)]
        for connection in slow:
            await connection.send(
                request(f"/webhooks/flows/{uuid4()}", "Content-Length: 1000", method="POST") + b"{"
            )
        await until(lambda: here.open_connections == 3)

        first = await stack.enter_async_context(wire(here.base_url))
        await slow[0].ended()
        second = await stack.enter_async_context(wire(here.base_url))
        await slow[1].ended()

        for newcomer in (first, second):
            await newcomer.send(request("/healthcheck"))
            assert (await newcomer.answer()).status == 200


async def test_hundreds_of_unfinished_requests_do_not_block_others(runtime):
    async with (
        listening(runtime, ConnectionLimits(connections=100, head_seconds=0.5)) as here,
        AsyncExitStack() as stack,
    ):
        for _ in range(200):
            slow = await stack.enter_async_context(wire(here.base_url))
            await slow.send(b"GET /v1/flows HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")

        answers = await asyncio.gather(*(ask(here.base_url, request("/healthcheck")) for _ in range(20)))

        assert [answer.status for answer in answers] == [200] * 20
        await until(lambda: here.open_connections == 0)


async def test_requests_sent_at_once_are_answered_one_after_the_other(runtime, service):
    async with wire(service.base_url) as connection:
        wanted = [f"/apps/{name}/assets/icon.svg" for name in ("desk", "nope")] * 20
        await connection.send(b"".join(request(path) for path in wanted))

        found = [(await connection.answer()).status for _ in wanted]

    assert found == [200, 404] * 20


async def test_nonsense_behind_a_good_request_ends_the_connection_after_the_answer(service):
    async with wire(service.base_url) as connection:
        await connection.send(request("/healthcheck") + b"nonsense\r\n\r\n")

        assert (await connection.answer()).status == 200
        assert (await connection.answer()).status == 400
        assert await connection.ended() == b""


async def test_who_never_agrees_on_the_encryption_is_given_up(runtime, tmp_path):
    write_certificates(tmp_path)
    tls = tls_context(tmp_path / "server.pem", tmp_path / "server.key")
    async with listening(runtime, ConnectionLimits(handshake_seconds=0.3), tls=tls) as here:
        parts = urlsplit(here.base_url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        async with asyncio.timeout(8):  # less than the usual limit of 10 seconds
            assert await reader.read() == b""
        writer.close()


async def test_a_stop_leaves_no_connection_behind(runtime):
    async with AsyncExitStack() as stack:
        async with listening(runtime, ConnectionLimits()) as here:
            idle = [await stack.enter_async_context(wire(here.base_url)) for _ in range(5)]
            await idle[0].send(b"GET /v1/fl")
            deaf = socket.create_connection(("127.0.0.1", urlsplit(here.base_url).port))
        assert [await connection.ended() for connection in idle] == [b""] * 5
        deaf.close()
        assert here.open_connections == 0
