"""A server of an attacker: takes every connection and remembers what arrives, in whatever protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_GREETING = b"220 mail.example.com ESMTP\r\n"
"""Makes mail clients go on to say who they are; nobody else minds."""


@dataclass
class Eavesdropper:
    """`calls` counts the connections, `heard` is all that came over them."""

    port: int = 0
    calls: int = 0
    heard: bytearray = field(default_factory=bytearray)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        writer.write(_GREETING)
        while piece := await reader.read(4096):
            self.heard += piece
            break
        writer.close()


@asynccontextmanager
async def eavesdropper() -> AsyncIterator[Eavesdropper]:
    ears = Eavesdropper()
    server = await asyncio.start_server(ears.hear, "127.0.0.1", 0)
    ears.port = server.sockets[0].getsockname()[1]
    async with server:
        yield ears
