"""A service of very few words on this computer, with or without TLS, that can stop and come back."""

import asyncio
import base64
import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tests.support.patience import PATIENCE

Answering = Callable[[str, str], tuple[int, Any]]
"""Method and target of a request to a status and a JSON answer."""


def empty(method: str, target: str) -> tuple[int, Any]:
    """Every list is empty."""
    return 200, {"data": [], "meta": {"type": "Object", "count": 0}}


class TinyServer:
    """Accepts connections on 127.0.0.1; `heads` keeps the head of every request."""

    def __init__(self, tls: Path | None = None, name: str = "server") -> None:
        self.heads: list[str] = []
        self.connections = 0
        self.port = 0
        self._context: ssl.SSLContext | None = None
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        if tls is not None:
            self.show(tls, name)

    def show(self, tls: Path, name: str) -> None:
        """The certificate shown from the next start on."""
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(tls / f"{name}.pem", tls / f"{name}.key")

    @property
    def address(self) -> str:
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen; after a stop, on the same port."""
        self._server = await asyncio.start_server(
            self._accepted, "127.0.0.1", self.port, ssl=self._context, reuse_address=True
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop responding, on open connections too."""
        if self._server is not None:
            with contextlib.suppress(NotImplementedError):
                for socket in self._server.sockets:
                    asyncio.get_running_loop().remove_reader(socket.fileno())
            await _a_few_rounds()  # a closed server would drop connections just taken without closing them
            self._server.close()
            for writer in self._open.values():
                writer.transport.abort()
            if self._open:
                await asyncio.wait(list(self._open))
            with contextlib.suppress(ConnectionError):
                await self._server.wait_closed()
            await _a_few_rounds()  # sockets are closed after their handler has ended
            self._server = None

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            while head := await _head(reader):
                self.heads.append(head)
                await self.answer(head, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, which is its right
        finally:
            del self._open[task]
            writer.close()

    async def answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What comes back for one request."""
        raise AssertionError("an answer is what subclasses are for")


class TinyService(TinyServer):
    """Answers requests with JSON. `answers` may be swapped at any time."""

    def __init__(self, tls: Path | None = None, name: str = "server", answers: Answering = empty) -> None:
        super().__init__(tls, name)
        self.answers = answers

    async def answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if length := header(head, "content-length"):
            await reader.readexactly(int(length))
        method, target, _ = head.split(" ", 2)
        status, body = self.answers(method, target)
        content = b"" if body is None else json.dumps(body).encode()
        writer.write(_reply(status, content))
        await writer.drain()


class TinyProxy(TinyServer):
    """Forwards absolute addresses and tunnels; with `user` and `password` only for who knows them."""

    def __init__(self, user: str = "", password: str = "") -> None:
        super().__init__()
        login = base64.b64encode(f"{user}:{password}".encode()).decode()
        self._wanted = f"Basic {login}" if user else None

    async def answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._wanted and header(head, "proxy-authorization") != self._wanted:
            writer.write(_reply(407, b""))
            await writer.drain()
            return
        method, target, _ = head.split(" ", 2)
        host, _, port = target.removeprefix("http://").partition("/")[0].rpartition(":")
        try:
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.write(_reply(502, b""))
            await writer.drain()
            return
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            far_writer.write(head.encode())
        await asyncio.gather(_pumped(reader, far_writer), _pumped(far_reader, writer))


def header(head: str, name: str) -> str:
    """The value of a header; empty without one."""
    for line in head.split("\r\n")[1:]:
        key, _, value = line.partition(":")
        if key.strip().lower() == name:
            return value.strip()
    return ""


async def _a_few_rounds() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def _head(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return ""


def _reply(status: int, content: bytes) -> bytes:
    kind = b"content-type: application/json\r\n" if content else b""
    return b"HTTP/1.1 %d X\r\n%bcontent-length: %d\r\n\r\n%b" % (status, kind, len(content), content)


async def _pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


class Elsewhere:
    """Runs such servers on a loop of their own, for tests whose own loop is that of a window."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._running: list[TinyServer] = []

    def __enter__(self) -> "Elsewhere":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._running:
            self._do(server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self, server: TinyServer) -> None:
        """Also again, after a stop."""
        self._do(server.start())
        if server not in self._running:
            self._running.append(server)

    def stop(self, server: TinyServer) -> None:
        self._do(server.stop())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)
