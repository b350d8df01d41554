"""A server that says what a test tells it to: a greeting, then an answer for each line it reads."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Answer = Callable[[str], str | None]


@dataclass
class Talker:
    """Where it listens, and what was said to it."""

    port: int
    heard: list[str] = field(default_factory=list)


@asynccontextmanager
async def talker(greeting: str, answer: Answer) -> AsyncIterator[Talker]:
    """Listen while the block runs. What is empty is not said; an answer of None ends the connection."""
    lines: asyncio.StreamWriter | None = None

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal lines
        lines = writer
        if greeting:
            writer.write(f"{greeting}\r\n".encode())
        while raw := await reader.readline():
            known.heard.append(raw.decode("utf-8", "replace").strip())
            said = answer(known.heard[-1])
            if said is None:
                break
            if said:
                writer.write(f"{said}\r\n".encode())
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    known = Talker(server.sockets[0].getsockname()[1])
    try:
        yield known
    finally:
        if lines is not None:
            lines.close()
        server.close()
