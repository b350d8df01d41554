"""Runs one child process with limits on time, memory, and output, and ends its whole process tree."""

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

from patchbay.domain.cancellation import wait_despite_cancelling
from patchbay.integration.sandbox.bubblewrap import MEMORY_FILE_SYSTEMS, Launch
from patchbay.integration.sandbox.confine import descendants
from patchbay.integration.sandbox.program import Limits, ProcessResult

# Memory of a running program, measured from outside

SOCKET_BYTES = 512 << 10
"""Bytes counted per socket: the usual buffers of both directions, with the kernel's overhead."""
FILE_BYTES = 1 << 10
"""Bytes counted per file in memory, even an empty one. File contents have their own limit."""
_UNMEASURABLE = 1 << 60
"""Bytes counted for memory that can't be measured: more than any limit."""
_GONE_ERRORS = (FileNotFoundError, ProcessLookupError)


@dataclass(frozen=True, slots=True)
class MeasuredProgram:
    """The started process, process 1 of its namespace, and whether it has its own network namespace."""

    pid: int
    init_pid: int | None = None
    own_network: bool = False


def exceeds_memory(program: MeasuredProgram, max_bytes: int) -> bool:
    """Whether a program uses more than `max_bytes`. Measures exactly only if a quick estimate exceeds it."""
    found = descendants(program.pid)
    kernel = (
        _memory_files_size(program.init_pid)
        + SOCKET_BYTES * _count_sockets(program, found)
        + sum(map(_page_tables, found))
    )
    return (
        sum(map(_resident_memory, found)) + kernel > max_bytes
        and sum(map(_proportional_memory, found)) + kernel > max_bytes
    )


def _resident_memory(pid: int) -> int:
    """Bytes of memory that isn't backed by a file, including memory shared with other processes."""
    return _sum_lines(Path(f"/proc/{pid}/status"), (b"RssAnon:", b"RssShmem:", b"VmSwap:"))


def _page_tables(pid: int) -> int:
    """Bytes of the kernel's page tables, which can exceed the memory itself."""
    return _sum_lines(Path(f"/proc/{pid}/status"), (b"VmPTE:",))


def _proportional_memory(pid: int) -> int:
    """Like `_resident_memory`, but only the process's share of shared memory; all of it if hidden."""
    proportional = _sum_lines(Path(f"/proc/{pid}/smaps_rollup"), (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"))
    return _resident_memory(pid) if proportional >= _UNMEASURABLE else proportional


def _sum_lines(file: Path, names: tuple[bytes, ...]) -> int:
    """The sum of these lines of a system file, in bytes.

    A program chooses its name, which is on one of the lines. The system escapes line feeds in it, but no
    other line separators.
    """
    try:
        lines = file.read_bytes().split(b"\n")
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(names))
    except _GONE_ERRORS:
        return 0
    except (OSError, ValueError, IndexError):
        return _UNMEASURABLE


def _memory_files_size(init_pid: int | None) -> int:
    """Bytes of kernel memory used by the files in memory."""
    if init_pid is None or sys.platform == "win32":
        return 0
    found = 0
    for path in MEMORY_FILE_SYSTEMS:
        inside = f"/proc/{init_pid}/root{path}"
        try:
            if os.stat(inside).st_dev == _device(path):
                continue  # still ours: bubblewrap hasn't mounted its own yet
            state = os.statvfs(inside)
            found += FILE_BYTES * (state.f_files - state.f_ffree)
        except _GONE_ERRORS:
            continue
        except OSError:
            return _UNMEASURABLE
    return found


def _device(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_dev
    return None


def _count_sockets(program: MeasuredProgram, found: Iterable[int]) -> int:
    """The number of sockets; in a network namespace, including those no process has open any more."""
    if program.init_pid is None:
        return 0
    if not program.own_network:
        return len({name for pid in found if pid != program.init_pid for name in _open_sockets(pid)})
    try:
        used = Path(f"/proc/{program.init_pid}/net/sockstat").read_bytes().split(b"\n")[0]
        return int(used.removeprefix(b"sockets: used "))
    except _GONE_ERRORS:
        return 0
    except (OSError, ValueError):
        return _UNMEASURABLE


def _open_sockets(pid: int) -> Iterable[str]:
    """The sockets of a process. Each thread may have its own open files."""
    with suppress(*_GONE_ERRORS):
        for task in os.listdir(f"/proc/{pid}/task"):
            folder = f"/proc/{pid}/task/{task}/fd"
            with suppress(OSError):
                for name in os.listdir(folder):
                    with suppress(OSError):
                        target = os.readlink(f"{folder}/{name}")
                        if target.startswith("socket:"):
                            yield target


# Process 1 of an isolated program's namespace: ending it ends every process in the namespace

_MAX_INFO_BYTES = 4096


class PidNamespace:
    """Gets the PID of process 1 of the namespace from bubblewrap, and kills it.

    The bubblewrap process that we start returns when the program does, even if other processes in the
    namespace are still running. A pidfd keeps referring to the process if its PID is reused.
    """

    def __init__(self, info_fd: int | None) -> None:
        """`info_fd`: the descriptor of bubblewrap's `--info-fd`; None without a namespace."""
        self.init_pid: int | None = None
        self._info_fd, self._pidfd = info_fd, -1
        self._received = b""
        if sys.platform != "win32" and info_fd is not None:
            os.set_blocking(info_fd, False)
            asyncio.get_running_loop().add_reader(info_fd, self._read)

    def end(self) -> None:
        """Kill process 1, once, even if the process that started it is gone."""
        if sys.platform != "linux" or self._info_fd is None:
            return
        self._read()
        self._stop_reading()
        if self._pidfd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            os.close(self._pidfd)
            self._pidfd = -1

    def _read(self) -> None:
        if sys.platform != "linux" or self._info_fd is None or self.init_pid is not None:
            return
        with suppress(BlockingIOError):
            part = os.read(self._info_fd, _MAX_INFO_BYTES)
            self._received += part
            if not part:
                self._stop_reading()
        with suppress(ValueError, KeyError, ProcessLookupError):
            pid = int(json.loads(self._received)["child-pid"])
            self._pidfd = os.pidfd_open(pid)
            self.init_pid = pid

    def _stop_reading(self) -> None:
        if self._info_fd is not None:
            asyncio.get_running_loop().remove_reader(self._info_fd)
            self._info_fd = None


MAX_RESULT_BYTES = 1 << 20
MAX_PRINTED_BYTES = 10 << 20
KEPT_PRINTED_BYTES, KEPT_LAST_BYTES = 64 << 10, 16 << 10
INTERPRETER_MEGABYTES = 64
"""Memory of an interpreter, if the limit applies to the whole process."""
CLOSE_TIMEOUT_SECONDS = 2.0
"""How long the pipes of an ended process may stay open."""
_MAX_KILL_ROUNDS = 20
"""Max. rounds of ending processes; each round that finds some is followed by another."""

SHARED_OVERHEAD_MEGABYTES = 128
"""Memory of interpreters, if the limit applies to all processes of a program together."""
_MEMORY_CHECK_SECONDS = 0.2
_SIGNAL_EXIT_BASE = 128
_RESULT, _PRINTED = 1, 2


async def run_process(
    launch: Launch, stdin: bytes, limits: Limits, folder: Path, environment: Mapping[str, str]
) -> ProcessResult:
    """Run a process until it ends or exceeds a limit. Cancelling this call ends the process too."""
    starting = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_exec(
            _OutputCollector,
            *launch.argv,
            cwd=folder,
            env=dict(environment),
            pass_fds=launch.descriptors,
            **_session_options(),
        )
    )
    # Between the start and the connection of the pipes, asyncio would kill only the process itself, and wait
    # for pipes that its descendants keep open.
    was_cancelled = await wait_despite_cancelling(starting)
    if was_cancelled and (error := starting.exception()) is not None:
        raise asyncio.CancelledError from error
    transport, output = starting.result()
    try:
        group = _process_group(transport, limits)
    except BaseException:  # also an interruption by the keyboard: nothing else would end the process
        transport.kill()
        transport.close()
        raise
    namespace = PidNamespace(launch.info_fd)
    memory = asyncio.create_task(_limit_memory(transport, output, limits, launch, namespace))
    timed_out = False
    try:
        if was_cancelled:
            raise asyncio.CancelledError
        pipe = cast(asyncio.WriteTransport, transport.get_pipe_transport(0))
        pipe.write(stdin)
        pipe.write_eof()
        async with asyncio.timeout(limits.seconds):
            await output.finished.wait()
    except TimeoutError:
        timed_out = True
    finally:
        memory.cancel()
        namespace.end()
        group.end()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                    await output.closed.wait()
        finally:  # also if this call is cancelled again
            transport.close()
    return ProcessResult(
        _exit_code(transport.get_returncode(), launch),
        bytes(output.result),
        bytes(output.printed),
        output.last,
        output.printed_bytes,
        timed_out,
        output.limit_exceeded,
    )


def _exit_code(code: int | None, launch: Launch) -> int | None:
    """The signal as a negative code: bubblewrap exits with 128 plus the signal, as shells do."""
    if launch.isolated and code is not None and _SIGNAL_EXIT_BASE < code <= _SIGNAL_EXIT_BASE + signal.NSIG:
        return _SIGNAL_EXIT_BASE - code
    return code


async def _limit_memory(
    transport: asyncio.SubprocessTransport,
    output: "_OutputCollector",
    limits: Limits,
    launch: Launch,
    inside: PidNamespace,
) -> None:
    """End a program whose processes together use too much; the system only limits each one."""
    max_bytes = limits.megabytes + SHARED_OVERHEAD_MEGABYTES << 20
    while sys.platform.startswith("linux"):
        await asyncio.sleep(_MEMORY_CHECK_SECONDS)
        measured = MeasuredProgram(transport.get_pid(), inside.init_pid, launch.own_network)
        if await asyncio.to_thread(exceeds_memory, measured, max_bytes):
            output.end("memory")


class _OutputCollector(asyncio.SubprocessProtocol):
    """Collects a process's output. `finished`: it ended or exceeded a limit; `closed`: all pipes closed."""

    def __init__(self) -> None:
        self.result, self.printed = bytearray(), bytearray()
        self.last, self.printed_bytes = b"", 0
        self.limit_exceeded: str | None = None
        self.finished, self.closed = asyncio.Event(), asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.limit_exceeded:
            return
        if fd == _RESULT:
            self.result += data
            self._limit("result", len(self.result) > MAX_RESULT_BYTES)
        elif fd == _PRINTED:
            self.printed += data[: KEPT_PRINTED_BYTES - len(self.printed)]
            self.last = (self.last + data)[-KEPT_LAST_BYTES:]
            self.printed_bytes += len(data)
            self._limit("printed", self.printed_bytes > MAX_PRINTED_BYTES)

    def _limit(self, what: str, is_exceeded: bool) -> None:
        if is_exceeded:
            self.end(what)

    def end(self, limit_exceeded: str) -> None:
        """End the program because it exceeded this limit."""
        self.limit_exceeded = limit_exceeded
        self.finished.set()

    def process_exited(self) -> None:
        self.finished.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


if sys.platform == "win32":
    from patchbay.integration.windows_job import JobObject

    def _session_options() -> dict[str, Any]:
        return {"creationflags": 0x08000000}  # CREATE_NO_WINDOW

    def _process_group(transport: asyncio.SubprocessTransport, limits: Limits) -> JobObject:
        return JobObject(transport.get_pid(), limits.megabytes + INTERPRETER_MEGABYTES)

else:

    class _ProcessGroup:
        """A process and its descendants, if they stay in its group or have a supervisor."""

        def __init__(self, transport: asyncio.SubprocessTransport) -> None:
            self._transport, self._pid = transport, transport.get_pid()

        def end(self) -> None:
            """Kill the remaining processes, starting with those that left the process group."""
            for _ in range(_MAX_KILL_ROUNDS):
                running = self._transport.get_returncode() is None
                if not (found := descendants(self._pid) if running else []):
                    break
                for pid in found:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)

    def _session_options() -> dict[str, Any]:
        return {"start_new_session": True}

    def _process_group(transport: asyncio.SubprocessTransport, limits: Limits) -> _ProcessGroup:
        return _ProcessGroup(transport)
