"""`patchbay mcp`: the MCP server over standard input and output, one JSON message per line."""

import argparse
import asyncio
import sys
import threading
from typing import BinaryIO

from patchbay import __version__
from patchbay.domain.backend import Backend
from patchbay.domain.base import JsonObject
from patchbay.domain.json_limits import read_json
from patchbay.server.mcp_protocol import INVALID_REQUEST, PARSE_ERROR, McpServer, encode, failure

MAX_LINE_BYTES = 4 << 20
MAX_CONCURRENT_MESSAGES = 8
"""Messages that are handled at the same time; further lines are read once one is finished."""


async def run(backend: Backend, options: argparse.Namespace) -> int:
    """Handle messages until standard input ends."""
    del options
    server = McpServer(backend, __version__)
    slots = asyncio.Semaphore(MAX_CONCURRENT_MESSAGES)
    lines = _LineReader(sys.stdin.buffer)
    unfinished: set[asyncio.Task[None]] = set()

    def on_handled(task: asyncio.Task[None]) -> None:
        slots.release()
        if not task.cancelled() and task.exception() is None:
            unfinished.discard(task)

    while (line := await lines.next()) is not None:
        await slots.acquire()
        task = asyncio.create_task(_handle(server, line))
        unfinished.add(task)
        task.add_done_callback(on_handled)
    await asyncio.gather(*unfinished)
    return 0


async def _handle(server: McpServer, line: bytes) -> None:
    if not line.strip():
        return
    message: JsonObject | None
    if len(line) > MAX_LINE_BYTES:
        message = failure(INVALID_REQUEST, f"The message is larger than {MAX_LINE_BYTES >> 20} MB.")
    else:
        try:
            message = (await server.handle(read_json(line))).message
        except ValueError:
            message = failure(PARSE_ERROR, "The line isn't valid JSON.")
    if message is not None:
        sys.stdout.buffer.write(encode(message) + b"\n")
        sys.stdout.buffer.flush()


class _LineReader:
    """Reads lines in a thread that doesn't keep the program from ending, one at a time.

    Of a line that is too long, only the beginning is returned.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> bytes | None:
        """The next line; None at the end."""
        self._wanted.release()
        return await self._lines.get()

    def _read(self) -> None:
        line: bytes | None = b""
        while line is not None:
            self._wanted.acquire()
            line = self._read_line()
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def _read_line(self) -> bytes | None:
        line = part = self._stream.readline(MAX_LINE_BYTES + 1)
        while part and not part.endswith(b"\n"):
            part = self._stream.readline(MAX_LINE_BYTES + 1)
        return line or None
