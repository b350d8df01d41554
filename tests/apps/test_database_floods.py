"""Database servers that never stop sending: they are cut off, in whatever phase of a session it is."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.app_calls import built_in_app, context
from tests.support.bombs.databases import MYSQL_FLOODS, POSTGRES_FLOODS, message, packet
from tests.support.certificates import write_certificates
from tests.support.forms import long_form

from patchbay.domain.errors import AppError, NotSupported, Unreachable

MOST_SENT = 200 * 1024**2
"""What a server sends if it isn't cut off."""
ROOM = 100 * 1024**2
"""The limit, what sockets hold, and the largest piece."""
PASSWORD = "planted-password-8812"
SIGNED_IN = (
    message(b"R", bytes(4))
    + message(b"S", b"server_version\x0015.0\0")
    + message(b"K", bytes(8))
    + message(b"Z", b"I")
)
GREETING = packet(
    0, b"\x0a5.7.0\0" + bytes(4) + b"12345678\0\xff\xf7\x21\x02\0\x08\0\x15" + bytes(10) + b"123456789012\0"
)
OK = b"\0\0\0\x02\0\0\0"
COM_QUERY = 3


@dataclass
class Flood:
    """A server that sends `pieces`, and how many bytes it has sent of them."""

    port: int = 0
    sent: int = 0

    async def pour(self, pieces: Iterator[bytes], writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            self.sent += len(piece)
            if self.sent > MOST_SENT or writer.transport.is_closing():
                break


Talk = Callable[[Flood, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def flooding(talk: Talk) -> AsyncIterator[Flood]:
    """A server that talks like this with each client."""
    flood, talks = Flood(), set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await talk(flood, reader, writer)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    flood.port = server.sockets[0].getsockname()[1]
    try:
        yield flood
    finally:
        server.close()
        for each in talks:
            each.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


async def refusal(app: str, port: int, **changes: str) -> AppError:
    """What connecting ends with."""
    account: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": str(port),
        "database": "work",
        "user": "ada",
        "password": PASSWORD,
        "enableSsl": "false",
        **changes,
    }
    ctx = context(app, {}, data=account)
    with pytest.raises(AppError) as refused:
        async with asyncio.timeout(30):
            await built_in_app(app).auth.verify_credentials(ctx)
    return refused.value


def check(error: AppError, flood: Flood) -> None:
    assert isinstance(error, NotSupported), error
    assert "sent more than 64 MB" in error.happened
    assert error.meaning
    assert error.todo
    assert PASSWORD not in error.text()
    assert flood.sent < ROOM


async def _startup(reader: asyncio.StreamReader) -> None:
    length = int.from_bytes(await reader.readexactly(4), "big")
    await reader.readexactly(length - 4)


@pytest.mark.parametrize("pieces", POSTGRES_FLOODS.values(), ids=POSTGRES_FLOODS.keys())
@pytest.mark.parametrize("before", [b"", SIGNED_IN], ids=["sign-in", "statement"])
async def test_a_postgresql_server_that_never_stops_sending_is_cut_off(before, pieces):
    async def talk(flood, reader, writer):
        await _startup(reader)
        if before:
            writer.write(before)
            await reader.readexactly(1)  # the beginning of the first statement
        await flood.pour(pieces(), writer)

    async with flooding(talk) as flood:
        error = await refusal("postgresql", flood.port)

    check(error, flood)


@pytest.mark.parametrize("before", [b"", SIGNED_IN], ids=["sign-in", "statement"])
async def test_an_encrypted_postgresql_server_is_cut_off_too(before, tmp_path: Path):
    write_certificates(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")

    async def talk(flood, reader, writer):
        await _startup(reader)
        writer.write(b"S")
        await writer.start_tls(tls)
        await _startup(reader)
        if before:
            writer.write(before)
            await reader.readexactly(1)
        await flood.pour(POSTGRES_FLOODS["messages of 1 MB"](), writer)

    authority = (tmp_path / "authority.pem").read_text()
    async with flooding(talk) as flood:
        error = await refusal("postgresql", flood.port, enableSsl="true", caCertificate=authority)

    check(error, Flood())  # what is written to a closed TLS connection counts as sent


async def test_a_postgresql_server_that_asks_for_endless_hashing_is_refused():
    async def talk(flood, reader, writer):
        await _startup(reader)
        writer.write(message(b"R", b"\0\0\0\x0aSCRAM-SHA-256\0\0"))
        offered = (await reader.readuntil(b",r=") + await reader.read(1000)).split(b",r=")[1]
        challenge = b"\0\0\0\x0br=" + offered + b"more,s=c2FsdHNhbHRzYWx0,i=20000000"
        for byte in message(b"R", challenge):
            writer.write(bytes([byte]))
            await writer.drain()
        flood.sent = len(await reader.read())

    async with flooding(talk) as flood:
        error = await refusal("postgresql", flood.port)

    assert isinstance(error, Unreachable), error
    assert flood.sent == 0


async def test_a_mysql_server_whose_greeting_never_ends_is_cut_off():
    async def talk(flood, reader, writer):
        await flood.pour(MYSQL_FLOODS["a packet continued without end"](0), writer)

    async with flooding(talk) as flood:
        error = await refusal("mysql", flood.port)

    check(error, flood)


@long_form
@pytest.mark.parametrize("pieces", MYSQL_FLOODS.values(), ids=MYSQL_FLOODS.keys())
async def test_a_mysql_server_that_never_stops_answering_a_statement_is_cut_off(pieces):
    async def talk(flood, reader, writer):
        writer.write(GREETING)
        while header := await reader.readexactly(4):
            command = await reader.readexactly(int.from_bytes(header[:3], "little"))
            if header[3] == 0 and command[0] == COM_QUERY:
                break
            writer.write(packet(header[3] + 1, OK))
        await flood.pour(pieces(1), writer)

    async with flooding(talk) as flood:
        error = await refusal("mysql", flood.port)

    check(error, flood)
