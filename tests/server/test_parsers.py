"""Both parsers of HTTP accept, reject, and limit the same requests."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from tests.support.bombs.chunks import chunked
from tests.support.patience import PATIENCE
from tests.support.raw_http import Raw, Wire, ask, request, wire

from patchbay.server import listener
from patchbay.server.connection_limits import ConnectionLimits
from patchbay.server.event_streams import EventStreams
from patchbay.server.http_protocol import MAX_TINY_CHUNKS, HttpProtocol
from patchbay.server.listener import HttpListener


class Echo:
    """An application that responds with the request. It waits for `go_on` before paths with “wait”."""

    def __init__(self) -> None:
        self.state = type("State", (), {"events": EventStreams()})
        self.go_on = asyncio.Event()
        self.seen: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.seen.append(scope["path"])
        if "wait" in scope["path"]:
            await self.go_on.wait()
        body = await request.body()
        shown = {
            "method": scope["method"],
            "path": scope["path"],
            "query": scope["query_string"].decode(),
            "headers": {name.decode(): value.decode("latin-1") for name, value in scope["headers"]},
            "length": len(body),
        }
        await JSONResponse(shown)(scope, receive, send)


def _h11() -> type[HttpProtocol]:
    from patchbay.server.h11_protocol import H11HttpProtocol

    return H11HttpProtocol


def _httptools() -> type[HttpProtocol]:
    pytest.importorskip("httptools")
    from patchbay.server.httptools_protocol import HttpToolsHttpProtocol

    return HttpToolsHttpProtocol


@pytest.fixture(params=[_h11, _httptools], ids=["h11", "httptools"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "protocol_class", request.param)


@asynccontextmanager
async def listening(app: Any = None, **limits: Any) -> AsyncIterator[str]:
    application: Any = app or Echo()
    served = HttpListener(application, "127.0.0.1", 0, limits=ConnectionLimits(**limits))
    base_url = await served.start()
    try:
        yield base_url
    finally:
        await served.stop(grace=1)


async def _ask(data: bytes) -> Raw:
    async with listening() as base_url:
        return await ask(base_url, data)


async def test_a_request_arrives_as_it_was_sent():
    sent = request("/a%20b/%76?x=%20&y", "X-Name:  two words \t", "Cookie: a", method="PUT", body=b"12345")

    shown = (await _ask(sent)).json

    assert (shown["method"], shown["path"], shown["query"], shown["length"]) == (
        "PUT",
        "/a b/v",
        "x=%20&y",
        5,
    )
    assert shown["headers"] == {
        "host": "127.0.0.1",
        "x-name": "two words",
        "cookie": "a",
        "content-length": "5",
    }


@pytest.mark.parametrize("method", ["GET", "DELETE", "PROPFIND", "M-SEARCH", "get", "BREW", "PRI"])
async def test_any_method_reaches_the_application(method):
    sent = request("/a", method=method, body=b"12")

    shown = (await _ask(sent)).json

    assert (shown["method"], shown["length"]) == (method, 2)


async def test_a_chunked_body_is_put_together_and_its_trailers_are_dropped():
    head = request("/", "Transfer-Encoding: chunked", "Trailer: X-Late", method="POST")

    shown = (await _ask(head + b"3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: x-api-token\r\n\r\n")).json

    assert shown["length"] == 5
    assert "x-late" not in shown["headers"]


async def test_a_body_beside_an_offer_to_upgrade_is_read():
    sent = request("/", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", method="POST", body=b"{}")

    assert (await _ask(sent)).json["length"] == 2


async def test_what_follows_an_upgrade_is_no_request():
    app = Echo()
    async with listening(app) as base_url, wire(base_url) as connection:
        upgrade = request("/first", "Connection: Upgrade", "Upgrade: websocket")
        await connection.send(upgrade + request("/second", "Connection: close"))
        assert (await connection.answer()).json["path"] == "/first"
        rest = await connection.ended()

    assert app.seen == ["/first"] or b'"/second"' in rest


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["Transfer-Encoding: gzip"], (400, 501)),
        (["Transfer-Encoding: chunked, chunked"], (400, 501)),
        (["Transfer-Encoding: gzip, chunked"], (400, 501)),
        (["Transfer-Encoding: chunked", "Content-Length: 3"], (400,)),
        (["Content-Length: 3", "Content-Length: 4"], (400,)),
        (["Content-Length: 0x3"], (400,)),
        (["Content-Length: 3 3"], (400,)),
        (["Host: second"], (400,)),
        (["X-Folded: a", " b: c"], (200, 400)),
        (["X-Bare: a\rb"], (400,)),
        (["X\tName: a"], (400,)),
    ],
    ids=str,
)
async def test_ambiguous_heads_are_rejected(lines, status):
    async with listening() as base_url, wire(base_url) as connection:
        await connection.send(request("/", *lines, method="POST"))
        if status == (200, 400):
            await connection.send(b"")
        answer = await connection.answer()

    assert answer.status in status


@pytest.mark.parametrize("version", ["HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "HTTP/3.0", "http/1.1"])
async def test_other_versions_are_rejected(version):
    assert (await _ask(f"GET / {version}\r\nHost: 127.0.0.1\r\n\r\n".encode())).status in (400, 505)


async def test_lines_that_end_in_a_line_feed_alone_hide_no_header():
    sent = b"POST / HTTP/1.1\nHost: 127.0.0.1\nContent-Length: 1\n\nx"

    answer = await _ask(sent)

    assert answer.status == 400 or answer.json["length"] == 1


@pytest.mark.parametrize(
    "data",
    [
        b"GET /" + b"x" * 200_000,
        b"\r\n" * 100_000,
        b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000,
        b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 30_000,
    ],
    ids=["path", "empty lines", "header", "headers"],
)
async def test_a_head_without_end_is_not_kept(data):
    async with listening() as base_url, wire(base_url) as connection:
        await connection.send(data)
        answer = await connection.answer()
        await connection.ended()

    assert answer.status in (400, 431)


@pytest.mark.parametrize(
    "body",
    [
        b"1;" + b"x" * 200_000,
        b"1;x=y\r\na\r\n" * 30_000,
        b"1\r\na\r\n0\r\n" + b"X-Trailer: x\r\n" * 20_000,
    ],
    ids=["extension", "extensions", "trailers"],
)
async def test_a_body_that_is_mostly_framing_is_given_up(body):
    head = request("/", "Transfer-Encoding: chunked", method="POST")
    async with listening() as base_url, wire(base_url) as connection:
        await connection.send(head + body)

        assert (await connection.answer()).status in (400, 431)


@pytest.mark.parametrize(("number", "status"), [(MAX_TINY_CHUNKS, 200), (MAX_TINY_CHUNKS + 1, 400)])
async def test_tiny_chunks_are_counted(number, status):
    assert (await _ask(chunked("/", b"x", number))).status == status


async def test_requests_sent_ahead_are_answered_in_order():
    async with listening() as base_url, wire(base_url) as connection:
        await connection.send(b"".join(request(f"/{number}") for number in range(10)))

        assert [(await connection.answer()).json["path"] for _ in range(10)] == [f"/{n}" for n in range(10)]


async def test_only_so_many_requests_are_kept_that_were_sent_ahead():
    app = Echo()
    async with listening(app) as base_url, wire(base_url) as connection:
        await connection.send(request("/wait") + b"".join(request(f"/{number}") for number in range(2_000)))
        app.go_on.set()
        answered = await _read_to_end_or(connection, 2_001)

    assert answered == app.seen[: len(answered)]
    assert answered[:3] == ["/wait", "/0", "/1"]


async def _read_to_end_or(connection: Wire, number: int) -> list[str]:
    found: list[str] = []
    while len(found) < number:
        try:
            found.append((await connection.answer()).json["path"])
        except asyncio.IncompleteReadError:
            break
    return found


async def test_a_malformed_request_that_was_sent_ahead_spoils_no_response():
    app = Echo()
    async with listening(app) as base_url, wire(base_url) as connection:
        await connection.send(request("/wait") + b"nonsense\r\n\r\n")
        app.go_on.set()
        first = await connection.answer()
        rest = await connection.ended()

    assert (first.status, first.json["path"]) == (200, "/wait")
    assert rest == b"" or rest.startswith(b"HTTP/1.1 400 ")


async def test_a_malformed_body_gets_an_error_and_ends_the_request():
    head = request("/", "Transfer-Encoding: chunked", method="POST")
    async with listening() as base_url, wire(base_url) as connection:
        await connection.send(head + b"5\r\nabc")
        await connection.send(b"nonsense")
        answer = await connection.answer()

        assert (answer.status, answer.headers["connection"]) == (400, "close")
        assert await connection.ended() == b""


async def test_old_clients_are_answered_and_closed():
    async with listening() as base_url, wire(base_url) as connection:
        await connection.send(b"GET /old HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        answer = await connection.answer()

        assert json.loads(answer.body)["path"] == "/old"
        assert await connection.ended() == b""


async def test_a_client_that_expects_permission_gets_it_once_its_body_is_read():
    async with listening() as base_url, wire(base_url) as connection:
        await connection.send(request("/", "Expect: 100-continue", "Content-Length: 2", method="POST"))
        async with asyncio.timeout(PATIENCE):
            assert (await connection.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        await connection.send(b"{}")

        assert (await connection.answer()).json["length"] == 2
