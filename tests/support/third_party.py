"""A third-party service: a real HTTP server on this computer with responses chosen by the test."""

import asyncio
import json
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Seen:
    """A request as it arrived. Header names are lower-case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    client: str = ""
    """The name in the client certificate, if one was shown."""

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Raw = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Reply:
    """What to answer. `raw` writes to the wire itself, for answers that are wrong on purpose."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: Raw | None = None

    def encode(self) -> bytes:
        body, headers = self.body, dict(self.headers)
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        content = body.encode() if isinstance(body, str) else body or b""
        headers["Content-Length"] = str(len(content))
        lines = [f"HTTP/1.1 {self.status} Whatever", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + content


Answer = Callable[[Seen], Reply]


class ThirdParty:
    """The running service. `seen` holds every request; `answer` decides what comes back."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.seen: list[Seen] = []
        self.url = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read(reader)
            subject = dict(pair[0] for pair in (writer.get_extra_info("peercert") or {}).get("subject", ()))
            request.client = subject.get("commonName", "")
            self.seen.append(request)
            reply = self.answer(request)
            if reply.raw is not None:
                await reply.raw(writer)
            else:
                writer.write(reply.encode())
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Seen:
    first = await reader.readexactly(1)
    if first == b"\x16":
        raise ConnectionError("a TLS greeting, which this server does not speak")
    head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ", 2)
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Seen(method, target, headers, body)


@contextmanager
def party_in_thread(answer: Answer | Reply, tls: ssl.SSLContext | None = None) -> Iterator[ThirdParty]:
    """Run the service in a thread while the block runs, for tests that call other programs."""
    ready: Future[tuple[ThirdParty, asyncio.Event]] = Future()

    async def serve() -> None:
        ended = asyncio.Event()
        async with third_party(answer, tls) as service:
            ready.set_result((service, ended))
            await ended.wait()

    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
        thread.start()
        try:
            service, ended = ready.result()
            try:
                yield service
            finally:
                loop.call_soon_threadsafe(ended.set)
        finally:
            thread.join()


@asynccontextmanager
async def third_party(answer: Answer | Reply, tls: ssl.SSLContext | None = None) -> AsyncIterator[ThirdParty]:
    """Run the service while the block runs."""
    service = ThirdParty(answer if callable(answer) else lambda request: answer)
    server = await asyncio.start_server(service.handle, "127.0.0.1", 0, ssl=tls)
    scheme = "https" if tls else "http"
    service.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield service
    finally:
        server.close()
