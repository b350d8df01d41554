"""One child process: given its input, read within bounds, and ended with everything it started."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from .arguments import Limits

MOST_RESULT = 1 << 20
MOST_PRINTED = 10 << 20
KEPT_PRINTED, KEPT_LAST = 64 << 10, 16 << 10
INTERPRETER_MEGABYTES = 64
"""What an interpreter takes for itself, where the limit is one for all of the process."""
CLOSING_SECONDS = 2.0
"""How long the pipes of a process that was ended may stay open."""

_RESULT, _PRINTED = 1, 2


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that ended. `code` is negative for a signal.

    `printed` holds the first of `printed_bytes` bytes, `last` the last. `timed_out` and `too_much` ("result",
    "printed") say why it was ended by us.
    """

    code: int | None
    result: bytes
    printed: bytes
    last: bytes
    printed_bytes: int
    timed_out: bool = False
    too_much: str | None = None


async def run_process(
    words: Sequence[str], given: bytes, limits: Limits, folder: Path, environment: Mapping[str, str]
) -> Ended:
    """Run to the end, or until a limit is passed. Cancelling this ends the process too."""
    loop = asyncio.get_running_loop()
    transport, watch = await loop.subprocess_exec(
        _Watch, *words, cwd=folder, env=dict(environment), **_on_its_own()
    )
    group = _group(transport, limits)
    timed_out = False
    try:
        _give(transport, given)
        async with asyncio.timeout(limits.seconds):
            await watch.over.wait()
    except TimeoutError:
        timed_out = True
    finally:
        group.end()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await watch.closed.wait()
        transport.close()
    return Ended(
        transport.get_returncode(), bytes(watch.result), bytes(watch.printed), watch.last,
        watch.printed_bytes, timed_out, watch.too_much,
    )  # fmt: skip


class _Watch(asyncio.SubprocessProtocol):
    """Collects what a process says. `over` once it ended or said too much, `closed` once all pipes are."""

    def __init__(self) -> None:
        self.result, self.printed = bytearray(), bytearray()
        self.last, self.printed_bytes = b"", 0
        self.too_much: str | None = None
        self.over, self.closed = asyncio.Event(), asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.too_much:
            return
        if fd == _RESULT:
            self.result += data
            self._limit("result", len(self.result) > MOST_RESULT)
        elif fd == _PRINTED:
            self.printed += data[: KEPT_PRINTED - len(self.printed)]
            self.last = (self.last + data)[-KEPT_LAST:]
            self.printed_bytes += len(data)
            self._limit("printed", self.printed_bytes > MOST_PRINTED)

    def _limit(self, what: str, passed: bool) -> None:
        if passed:
            self.too_much = what
            self.over.set()

    def process_exited(self) -> None:
        self.over.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


def _give(transport: asyncio.SubprocessTransport, given: bytes) -> None:
    pipe = cast(asyncio.WriteTransport, transport.get_pipe_transport(0))
    pipe.write(given)
    pipe.write_eof()


if sys.platform == "win32":
    from patchbay.integration.windows_job import Job

    def _on_its_own() -> dict[str, Any]:
        return {"creationflags": 0x08000000}  # CREATE_NO_WINDOW

    def _group(transport: asyncio.SubprocessTransport, limits: Limits) -> Job:
        return Job(transport.get_pid(), limits.megabytes + INTERPRETER_MEGABYTES)

else:

    class _Group:
        """The process and what it started, as far as that stays in its group."""

        def __init__(self, pid: int) -> None:
            self._pid = pid

        def end(self) -> None:
            """Kill what is left of it."""
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)

    def _on_its_own() -> dict[str, Any]:
        return {"start_new_session": True}

    def _group(transport: asyncio.SubprocessTransport, limits: Limits) -> _Group:
        return _Group(transport.get_pid())
