"""One child process: given its input, read within bounds, and ended with everything it started."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from patchbay.integration.sandbox.bubblewrap import FILE_SYSTEMS, Launch
from patchbay.integration.sandbox.confine import descendants
from patchbay.integration.sandbox.program import Limits, ProcessResult

# MERGED: How much memory a running program uses, looked at from outside it.

SOCKET_BYTES = 512 << 10
"""What counts for each socket: the usual buffers of both directions, with the kernel's overhead."""
FILE_BYTES = 1 << 10
"""What counts for each file in memory, even an empty one. What files contain has a limit of its own."""
_UNKNOWN = 1 << 60
"""For what exists and can't be measured: more than any limit."""
_GONE = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True, slots=True)
class Measured:
    """The process that was started, process 1 of its namespace, and whether the network is its own too."""

    pid: int
    init: int | None = None
    own_network: bool = False


def uses_more(program: Measured, most: int) -> bool:
    """Whether a program uses more bytes. Looks closely only where a quick look says so."""
    found = descendants(program.pid)
    kernel = _files(program.init) + SOCKET_BYTES * _sockets(program, found) + sum(map(_page_tables, found))
    return sum(map(_resident, found)) + kernel > most and sum(map(_own, found)) + kernel > most


def _resident(pid: int) -> int:
    """Bytes of memory that hold no file, including what is shared with other processes."""
    return _sum_lines(Path(f"/proc/{pid}/status"), (b"RssAnon:", b"RssShmem:", b"VmSwap:"))


def _page_tables(pid: int) -> int:
    """What the kernel takes to keep track of the memory, which can be more than the memory itself."""
    return _sum_lines(Path(f"/proc/{pid}/status"), (b"VmPTE:",))


def _own(pid: int) -> int:
    """The same with only the process's part of what is shared; all of it where the process hides that."""
    own = _sum_lines(Path(f"/proc/{pid}/smaps_rollup"), (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"))
    return _resident(pid) if own >= _UNKNOWN else own


def _sum_lines(file: Path, names: tuple[bytes, ...]) -> int:
    """The sum of these lines of a file of the system, in bytes.

    A program chooses its name, which is one of the lines. The system escapes line feeds in it, but nothing
    else that could separate lines.
    """
    try:
        lines = file.read_bytes().split(b"\n")
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(names))
    except _GONE:
        return 0
    except (OSError, ValueError, IndexError):
        return _UNKNOWN


def _files(init: int | None) -> int:
    """What the files in memory take of the kernel's own memory."""
    if init is None or sys.platform == "win32":
        return 0
    found = 0
    for path in FILE_SYSTEMS:
        inside = f"/proc/{init}/root{path}"
        try:
            if os.stat(inside).st_dev == _device(path):
                continue  # still ours: bubblewrap hasn't put its own there yet
            state = os.statvfs(inside)
            found += FILE_BYTES * (state.f_files - state.f_ffree)
        except _GONE:
            continue
        except OSError:
            return _UNKNOWN
    return found


def _device(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_dev
    return None


def _sockets(program: Measured, found: Iterable[int]) -> int:
    """How many sockets there are; in a network of its own also those that no process has open any more."""
    if program.init is None:
        return 0
    if not program.own_network:
        return len({name for pid in found if pid != program.init for name in _open_sockets(pid)})
    try:
        used = Path(f"/proc/{program.init}/net/sockstat").read_bytes().split(b"\n")[0]
        return int(used.removeprefix(b"sockets: used "))
    except _GONE:
        return 0
    except (OSError, ValueError):
        return _UNKNOWN


def _open_sockets(pid: int) -> Iterable[str]:
    """The sockets of a process. Its threads may each have open files of their own."""
    with suppress(*_GONE):
        for task in os.listdir(f"/proc/{pid}/task"):
            folder = f"/proc/{pid}/task/{task}/fd"
            with suppress(OSError):
                for name in os.listdir(folder):
                    with suppress(OSError):
                        target = os.readlink(f"{folder}/{name}")
                        if target.startswith("socket:"):
                            yield target


# MERGED: Process 1 of the namespace an isolated program runs in: when it ends, everything in there
# does.

_LONGEST = 4096


class Namespace:
    """Learns from bubblewrap which process is number 1, and ends it.

    Bubblewrap's other process, the one we start, returns when the program does, also while others in the
    namespace go on. A pidfd stays with the process when its number is given to another one.
    """

    def __init__(self, told: int | None) -> None:
        """`told`: the descriptor bubblewrap's `--info-fd` leads to; None where there is no namespace."""
        self.init: int | None = None
        self._told, self._pidfd = told, -1
        self._said = b""
        if told is not None:
            os.set_blocking(told, False)
            asyncio.get_running_loop().add_reader(told, self._read)

    def end(self) -> None:
        """Kill process 1, whatever became of the process that started it. Only once."""
        if sys.platform != "linux" or self._told is None:
            return
        self._read()
        self._stop_reading()
        if self._pidfd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            os.close(self._pidfd)
            self._pidfd = -1

    def _read(self) -> None:
        if sys.platform != "linux" or self._told is None or self.init is not None:
            return
        with suppress(BlockingIOError):
            part = os.read(self._told, _LONGEST)
            self._said += part
            if not part:
                self._stop_reading()
        with suppress(ValueError, KeyError, ProcessLookupError):
            pid = int(json.loads(self._said)["child-pid"])
            self._pidfd = os.pidfd_open(pid)
            self.init = pid

    def _stop_reading(self) -> None:
        if self._told is not None:
            asyncio.get_running_loop().remove_reader(self._told)
            self._told = None


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
