"""The server keeps accepting connections when one of them fails."""

import asyncio
import errno
import socket

import pytest

from patchbay.server.listener import Acceptor


class Greeting(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"hello")
        transport.close()


def no_room() -> None:
    raise RuntimeError("a mistake while making room")


@pytest.mark.parametrize("failure", [RuntimeError("a mistake"), OSError(errno.EMFILE, "Too many open files")])
async def test_after_an_unexpected_failure_callers_are_accepted_again(monkeypatch, failure):
    loop, failures = asyncio.get_running_loop(), [failure]
    accept = loop.sock_accept

    async def accept_later(sock: socket.socket):
        if failures:
            raise failures.pop()
        return await accept(sock)

    monkeypatch.setattr(loop, "sock_accept", accept_later)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        acceptor = Acceptor(sock, Greeting, no_room)
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_connection(*sock.getsockname())
            greeting = await reader.read()
        writer.close()
        acceptor.close()
        await acceptor.wait_closed()

    assert greeting == b"hello"
