"""What the system says about the network, reported by a process of its own: `desktop/kit/network.py`."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from patchbay.desktop.kit import network
from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError, NotSupported, TimedOut
from patchbay.platform.program import python_command

START_SECONDS = 20.0
PAUSE_SECONDS = 2.0
"""Networks come and go several times while a computer connects; the state after this pause counts."""
_MAX_LINE_BYTES = 4_096


class NetworkReports:
    """The states of the network, read from the process that reports them."""

    def __init__(self, lines: asyncio.StreamReader) -> None:
        self._lines = lines

    async def first(self) -> JsonObject:
        """The state now. Raises `NotSupported` if the system doesn't report changes."""
        try:
            async with asyncio.timeout(START_SECONDS):
                state = await self._read()
        except TimeoutError:
            raise TimedOut("The system doesn't say whether there is a network.", todo="Try again.") from None
        if not state:
            raise NotSupported(
                "This system doesn't report changes of the network.",
                meaning="The flow would never start.",
                todo="Use a schedule instead. On Linux, NetworkManager reports them.",
                feature="networkEvents",
            )
        return state

    async def settled(self) -> JsonObject:
        """The state after the next change, and those that follow it soon."""
        state = await self._read()
        with suppress(TimeoutError):
            async with asyncio.timeout(PAUSE_SECONDS):
                while True:
                    state = await self._read()
        return state

    async def _read(self) -> JsonObject:
        try:
            state = json.loads(await self._lines.readline())
        except ValueError:  # no line, because the process has ended, or one that is too long
            state = None
        if not isinstance(state, dict):
            raise AppError("What the system says about the network can't be read.", todo="Try again.")
        return state


@asynccontextmanager
async def network_reports() -> AsyncIterator[NetworkReports]:
    """The reports of a process that runs as long as the block."""
    process = await asyncio.create_subprocess_exec(
        *reporting_command(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_MAX_LINE_BYTES,
    )
    assert process.stdout is not None
    try:
        yield NetworkReports(process.stdout)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def reporting_command() -> tuple[str, ...]:
    """The command that reports the state of the network, a line of JSON for each."""
    return (*python_command(), "-m", network.__name__)
