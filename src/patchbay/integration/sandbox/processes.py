"""One child process: given its input, read within bounds, and ended with everything it started."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from patchbay.integration.sandbox.bubblewrap import Launch
from patchbay.integration.sandbox.confine import descendants
from patchbay.integration.sandbox.memory import Measured, uses_more
from patchbay.integration.sandbox.model import Limits, ProcessResult
from patchbay.integration.sandbox.namespace import Namespace

MOST_RESULT = 1 << 20
MOST_PRINTED = 10 << 20
KEPT_PRINTED, KEPT_LAST = 64 << 10, 16 << 10
INTERPRETER_MEGABYTES = 64
"""What an interpreter takes for itself, where the limit is one for all of the process."""
CLOSING_SECONDS = 2.0
"""How long the pipes of a process that was ended may stay open."""
_ROUNDS = 20
"""How often to look for processes that are to end; each look that finds some is followed by another."""

TOGETHER_MEGABYTES = 128
"""What interpreters take for themselves, where the limit is one for all processes of a program."""
_LOOK_SECONDS = 0.2
_SIGNALLED = 128
_RESULT, _PRINTED = 1, 2


async def run_process(
    launch: Launch, given: bytes, limits: Limits, folder: Path, environment: Mapping[str, str]
) -> ProcessResult:
    """Run to the end, or until a limit is passed. Cancelling this ends the process too."""
    loop = asyncio.get_running_loop()
    transport, watch = await loop.subprocess_exec(
        _Watch, *launch.words, cwd=folder, env=dict(environment), pass_fds=launch.descriptors, **_on_its_own()
    )
    try:
        group = _group(transport, limits)
    except BaseException:
        transport.kill()
        transport.close()
        raise
    namespace = Namespace(launch.told)
    memory = asyncio.create_task(_limit_memory(transport, watch, limits, launch, namespace))
    timed_out = False
    try:
        _give(transport, given)
        async with asyncio.timeout(limits.seconds):
            await watch.over.wait()
    except TimeoutError:
        timed_out = True
    finally:
        memory.cancel()
        namespace.end()
        group.end()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await watch.closed.wait()
        transport.close()
    return ProcessResult(
        _exit_code(transport.get_returncode(), launch), bytes(watch.result), bytes(watch.printed), watch.last,
        watch.printed_bytes, timed_out, watch.too_much,
    )  # fmt: skip


def _exit_code(code: int | None, launch: Launch) -> int | None:
    """Bubblewrap ends with 128 and the number of the signal, as shells do."""
    if launch.isolated and code is not None and _SIGNALLED < code <= _SIGNALLED + signal.NSIG:
        return _SIGNALLED - code
    return code


async def _limit_memory(
    transport: asyncio.SubprocessTransport, watch: "_Watch", limits: Limits, launch: Launch, inside: Namespace
) -> None:
    """End a program whose processes together use too much; the system limits only each of them."""
    most = limits.megabytes + TOGETHER_MEGABYTES << 20
    while sys.platform.startswith("linux"):
        await asyncio.sleep(_LOOK_SECONDS)
        measured = Measured(transport.get_pid(), inside.init, launch.own_network)
        if await asyncio.to_thread(uses_more, measured, most):
            watch.end("memory")


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
            self.end(what)

    def end(self, too_much: str) -> None:
        """Let the program be ended, for this reason."""
        self.too_much = too_much
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
        """The process and what it started, as far as that stays in its group or has a supervisor."""

        def __init__(self, transport: asyncio.SubprocessTransport) -> None:
            self._transport, self._pid = transport, transport.get_pid()

        def end(self) -> None:
            """Kill what is left of it: those that left the group first, while they can be found."""
            for _ in range(_ROUNDS):
                running = self._transport.get_returncode() is None
                if not (found := descendants(self._pid) if running else []):
                    break
                for pid in found:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)

    def _on_its_own() -> dict[str, Any]:
        return {"start_new_session": True}

    def _group(transport: asyncio.SubprocessTransport, limits: Limits) -> _Group:
        return _Group(transport)
