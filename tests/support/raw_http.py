"""HTTP by hand: exactly these bytes over a socket, and what came back."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.support.patience import PATIENCE


@dataclass(frozen=True)
class Raw:
    """An answer as it was sent. `headers` by lower-case name; `names` with every repetition."""

    status: int
    headers: Mapping[str, str]
    names: tuple[str, ...]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """One connection to a service."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self) -> Raw:
        """The next answer. Fails when there is none, or one without a length."""
        async with asyncio.timeout(PATIENCE):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            pairs = [
                (name.lower(), value.strip())
                for name, _, value in (line.partition(":") for line in head[1:-2])
            ]
            headers = dict(pairs)
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return Raw(int(head[0].split()[1]), headers, tuple(name for name, _ in pairs), body)

    async def ended(self) -> bytes:
        """What else came before the other side closed; waits for that."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read()


class _KeepingReader(asyncio.StreamReader):
    """Gives what arrived before a reset, which follows the answer when we were still sending."""

    def set_exception(self, exc: Exception) -> None:
        if isinstance(exc, ConnectionError):
            self.feed_eof()
        else:
            super().set_exception(exc)


async def connect(
    base_url: str, source: str | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the service at this address, read up to its end or reset, from `source` if given."""
    parts, loop = urlsplit(base_url), asyncio.get_running_loop()
    reader = _KeepingReader(loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport, _ = await loop.create_connection(
        lambda: protocol, parts.hostname, parts.port, local_addr=(source, 0) if source else None
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


@asynccontextmanager
async def wire(base_url: str, source: str | None = None) -> Any:
    """A connection to the service at this address; from the address `source`, if given."""
    reader, writer = await connect(base_url, source)
    try:
        yield Wire(reader, writer)
    finally:
        writer.close()


async def ask(base_url: str, data: bytes) -> Raw:
    """The answer to these bytes on a connection of their own."""
    async with wire(base_url) as connection:
        await connection.send(data)
        return await connection.answer()


def request(
    target: str, *headers: str, method: str = "GET", host: str | None = "127.0.0.1", body: bytes = b""
) -> bytes:
    """The bytes of a request, with nothing added but the host and, for a body, its length."""
    lines = [f"{method} {target} HTTP/1.1", *([] if host is None else [f"Host: {host}"]), *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
