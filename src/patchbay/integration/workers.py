"""Worker processes, for work that isn't linear in its input, or that parses untrusted input.

A thread can't be stopped, and a slow regular expression or a hostile HTML page would block everything else.
A process can be killed, and the system limits its memory.
"""

import asyncio
import json
import logging
import os
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple, cast

from patchbay.domain.error_wire import from_wire
from patchbay.domain.errors import AppError, ComputationStopped, NotSupported
from patchbay.domain.json_limits import THREAD_THRESHOLD, TooManyValues, check_value_count
from patchbay.integration.installed_programs import python_interpreter
from patchbay.integration.worker_child import (
    INTERPRETER_MEGABYTES,
    LENGTHS,
    STARTED_MARKER,
    WRITES_FILES,
    Head,
    decode_values,
    encode_values,
    pack,
)

_log = logging.getLogger(__name__)

LOADING_TIMEOUT_SECONDS = 60.0
"""How long a worker may take to start and to import the module of a function."""
MAX_WAIT_FOR_PROCESSOR = 6
"""How many times its limit a call may take if the process has to wait for a busy processor."""
_CHECK_SECONDS = 0.5
_MAX_HEAD_BYTES = 1 << 20
_STDOUT = 1
MAX_RESULT_VALUES = 1_000_000
"""Max. values in the result of one call. A page of 10,000 items with 100 values each fits."""
_MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors raised by a malformed reply, for example from a worker compromised by hostile input."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one call. `megabytes` is memory in addition to the interpreter's own."""

    seconds: float = 10.0
    megabytes: int = 256
    output_bytes: int = 8 << 20


class WorkerFunctionError(Exception):
    """The function raised an error other than `AppError`, which is a bug in its code."""


class _WorkerEnded(Exception):
    """The process ended before it replied."""


@asynccontextmanager
async def _time_limit(pid: int, seconds: float) -> AsyncIterator[None]:
    """Raise `TimeoutError` after so many seconds, or later if the process was waiting for a busy processor.

    Workers have a low priority: beside other programs that take all of the processor, a call that computes
    for a second can take half a minute. Where the system doesn't tell, the limit is that of the clock.
    """
    loop = asyncio.get_running_loop()
    latest = loop.time() + MAX_WAIT_FOR_PROCESSOR * seconds
    # allow blocking: /proc is in memory
    before, _ = _processor_use(pid)
    next_check: asyncio.TimerHandle

    def extend() -> None:
        nonlocal next_check
        used, is_computing = _processor_use(pid)
        if is_computing and used - before < seconds and loop.time() < latest:
            limit.reschedule(loop.time() + 2 * _CHECK_SECONDS)
            next_check = loop.call_later(_CHECK_SECONDS, extend)

    async with asyncio.timeout(seconds) as limit:
        next_check = loop.call_later(max(0.0, seconds - _CHECK_SECONDS / 5), extend)
        try:
            yield
        finally:
            next_check.cancel()


def _processor_use(pid: int) -> tuple[float, bool]:
    """The seconds that a process has computed, and whether it computes or waits for the processor now.

    (0, False) where the system doesn't tell.
    """
    if sys.platform != "linux":
        return 0.0, False
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            state, *numbers = file.read().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0, False
    user, system = numbers[10:12]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK"), state == "R"


class WorkerProcess(asyncio.SubprocessProtocol):
    """A worker process, which runs one call at a time."""

    def __init__(self) -> None:
        self.reusable = True
        self.closed = asyncio.Event()
        self._buffer = bytearray()
        self._needed_bytes, self._max_bytes = 0, 0
        self._data_arrived: asyncio.Future[None] | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._job: Any = None

    @classmethod
    async def start(cls, *, writes_files: bool = False) -> "WorkerProcess":
        """Start a process with an empty environment and no secrets in its arguments."""
        transport, worker = await asyncio.get_running_loop().subprocess_exec(
            cls,
            *_command(),
            *([WRITES_FILES] if writes_files else []),
            cwd=os.sep,
            env=_environment(),
            stderr=asyncio.subprocess.DEVNULL,
            **_process_options(),
        )
        try:
            worker._job = _job(transport.get_pid())
        except OSError:
            worker.kill()
            raise
        return worker

    @property
    def pid(self) -> int | None:
        """The process ID; None before the process starts."""
        return self._transport.get_pid() if self._transport else None

    async def call(self, function: Callable[..., Any], arguments: Sequence[Any], limits: WorkerLimits) -> Any:
        """Run a call. Kills the process if anything interrupts the call before its result.

        Raises what the function raises if that is an `AppError`, `ComputationStopped` when a limit was
        exceeded or the process crashed, and `WorkerFunctionError` for any other exception of the function.
        """
        request = _request(function, arguments, limits)
        try:
            head, body = await self._exchange(request, limits)
        except BaseException:
            self.kill()
            raise
        name = f"{function.__module__}.{function.__qualname__}"
        try:
            if len(body) <= THREAD_THRESHOLD:
                must_retire, result = _read_reply(head, body, limits, name)
            else:
                must_retire, result = await asyncio.to_thread(_read_reply, head, body, limits, name)
        except _MALFORMED:
            self.kill()
            raise _crash_error() from None
        self.reusable = self.reusable and not must_retire
        if isinstance(result, Exception):
            raise result
        return result

    def kill(self) -> None:
        """Kill the process. `closed` is set once it is gone."""
        self.reusable = False
        if self._job is not None:
            self._job.end()
            self._job = None
        if self._transport is not None:
            with suppress(ProcessLookupError):
                self._transport.kill()
            self._transport.close()

    async def _exchange(self, request: bytes, limits: WorkerLimits) -> tuple[bytes, bytes]:
        """Send a request; return the head and body of the reply."""
        assert self._transport is not None
        self._max_bytes = len(STARTED_MARKER) + LENGTHS.size + _MAX_HEAD_BYTES + limits.output_bytes
        if self._job is not None:
            self._job.limit_memory(limits.megabytes + INTERPRETER_MEGABYTES)
        self._transport.get_pipe_transport(0).write(request)  # type: ignore[union-attr]
        has_started = False
        try:
            async with asyncio.timeout(LOADING_TIMEOUT_SECONDS):
                first_byte = await self._read_bytes(len(STARTED_MARKER), peek=True)
            if first_byte == STARTED_MARKER:
                await self._read_bytes(len(STARTED_MARKER))
                has_started = True
            async with _time_limit(self._transport.get_pid(), limits.seconds):
                head_length, body_length = LENGTHS.unpack(await self._read_bytes(LENGTHS.size))
                if head_length > _MAX_HEAD_BYTES:
                    raise _WorkerEnded
                if body_length > limits.output_bytes:
                    raise _output_size_error(limits.output_bytes)
                reply = await self._read_bytes(head_length), await self._read_bytes(body_length)
        except TimeoutError:
            seconds = limits.seconds if has_started else LOADING_TIMEOUT_SECONDS
            happened = f"The calculation took longer than {seconds:g} second{'' if seconds == 1 else 's'}."
            raise ComputationStopped(
                happened, reason="time", meaning=_ISOLATION_NOTE, todo=_REDUCE_INPUT_HINT
            ) from None
        except _WorkerEnded:
            raise _crash_error() from None
        self._max_bytes = 0
        self._kill_if_too_much_output()
        return reply

    async def _read_bytes(self, count: int, *, peek: bool = False) -> bytes:
        """The next `count` bytes the process writes; `peek` leaves them for the next call."""
        while len(self._buffer) < count:
            if self.closed.is_set() or not self.reusable:
                raise _WorkerEnded
            self._needed_bytes = count
            self._data_arrived = asyncio.get_running_loop().create_future()
            await self._data_arrived
        data_read = bytes(memoryview(self._buffer)[:count])
        if not peek:
            del self._buffer[:count]
        return data_read

    def _notify_reader(self) -> None:
        if self._data_arrived is not None and not self._data_arrived.done():
            self._data_arrived.set_result(None)

    def _kill_if_too_much_output(self) -> None:
        """Kill a process that wrote more than a reply, or anything between calls."""
        if len(self._buffer) > self._max_bytes:
            self.kill()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._buffer += data
        self._kill_if_too_much_output()
        if len(self._buffer) >= self._needed_bytes:
            self._notify_reader()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.reusable = False
        if fd == _STDOUT:
            self._notify_reader()

    def process_exited(self) -> None:
        self.reusable = False

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()
        self._notify_reader()


def _request(function: Callable[..., Any], arguments: Sequence[Any], limits: WorkerLimits) -> bytes:
    name = function.__qualname__
    if "<" in name or function.__module__ == "__main__":
        raise TypeError(f"{name} can't run in a worker: only module-level functions can.")
    kinds, parts = encode_values(arguments)
    head: Head = {
        "module": function.__module__,
        "function": name,
        "values": kinds,
        "path": [*map(os.path.abspath, sys.path)],
        "mounts": _mounts(function.__module__),
        "seconds": limits.seconds * MAX_WAIT_FOR_PROCESSOR,
        "megabytes": limits.megabytes,
        "output_bytes": limits.output_bytes,
    }
    return pack(head, parts)


def _mounts(module: str) -> dict[str, list[str]]:
    """The top package of a module if it exists only in memory, like that of the user's apps."""
    name = module.partition(".")[0]
    package = sys.modules.get(name)
    if package is None or package.__spec__ is not None or not hasattr(package, "__path__"):
        return {}
    return {name: list(package.__path__)}


def _command() -> list[str]:
    if not sys.executable:
        raise NotSupported(
            "Patchbay can't find its Python interpreter, so it can't start worker processes.",
            feature="workers",
        )
    child = Path(__file__).with_name("worker_child.py")
    # Isolated and without site packages: the parent's search path comes with each call.
    return [str(python_interpreter()), "-I", "-S", "-B", "-X", "utf8", str(child)]


if sys.platform == "win32":
    from patchbay.integration.windows_job import JobObject

    def _process_options() -> dict[str, Any]:
        return {"creationflags": 0x08000000 | 0x00004000}  # CREATE_NO_WINDOW, BELOW_NORMAL_PRIORITY_CLASS

    def _environment() -> dict[str, str]:
        return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}

    def _job(pid: int) -> JobObject:
        return JobObject(pid, WorkerLimits().megabytes + INTERPRETER_MEGABYTES)

else:

    def _process_options() -> dict[str, Any]:
        return {"start_new_session": True}  # Ctrl+C in a terminal is for the parent, which ends its workers

    def _environment() -> dict[str, str]:
        return {}

    def _job(pid: int) -> Any:
        """Not used here: the worker's own process group and limits are enough."""
        return None


def _read_reply(head: bytes, body: bytes, limits: WorkerLimits, name: str) -> tuple[bool, Any]:
    """Whether the process retires, and the result of the call or the exception to raise."""
    fields: Head = json.loads(head)
    must_retire = bool(fields["retire"])
    if "failed" in fields:
        return must_retire, _failure_error(fields, limits, name)
    try:
        _check_value_count(fields["values"], body)
    except TooManyValues:
        happened = f"The result has more than {MAX_RESULT_VALUES:,} values."
        return must_retire, ComputationStopped(
            happened, reason="output", meaning=_ISOLATION_NOTE, todo=_REDUCE_INPUT_HINT
        )
    values = decode_values(fields["values"], body)
    return must_retire, tuple(values) if fields["several"] else values[0]


def _check_value_count(kinds: Sequence[Sequence[Any]], body: bytes) -> None:
    """Raises `TooManyValues`: each value needs many times its length, and later time on the event loop."""
    if len(body) <= MAX_RESULT_VALUES:
        return  # each value has at least one character
    start = 0
    for kind, length in kinds:
        if kind == "json":
            text = body[start : start + length].decode("utf-8", "surrogatepass")
            check_value_count(text, MAX_RESULT_VALUES)
        start += length


def _failure_error(head: Head, limits: WorkerLimits, name: str) -> Exception:
    match head["failed"]:
        case "memory":
            happened = f"The calculation needed more than {limits.megabytes:,} MB of memory."
            return ComputationStopped(
                happened, reason="memory", meaning=_ISOLATION_NOTE, todo=_REDUCE_INPUT_HINT
            )
        case "output":
            return _output_size_error(limits.output_bytes)
    if "error" in head:
        meta = head["error"]["meta"]
        return from_wire(head["error"]) or AppError(
            str(meta["happened"]), meaning=str(meta["meaning"]), todo=str(meta["todo"])
        )
    _log.error("%s stopped with %s\n  %s", name, head.get("type"), "\n  ".join(head.get("places", ())))
    return WorkerFunctionError(f"{name} raised {head.get('type')}.")


_ISOLATION_NOTE = "Only this calculation was stopped; everything else keeps running."
_REDUCE_INPUT_HINT = "Use less data or simpler text, or split the work into several steps."


def _output_size_error(limit: int) -> ComputationStopped:
    size = f"{limit >> 20:,} MB" if limit >= 1 << 20 else f"{limit:,} bytes"
    happened = f"The result is larger than {size}."
    return ComputationStopped(happened, reason="output", meaning=_ISOLATION_NOTE, todo=_REDUCE_INPUT_HINT)


def _crash_error() -> ComputationStopped:
    return ComputationStopped(
        "The worker process crashed during the calculation.",
        reason="crash",
        meaning=f"{_ISOLATION_NOTE} The data may be corrupt or malicious.",
        todo="Check this step's input. If this happens with normal data, report it.",
    )


T = TypeVar("T")
Ts = TypeVarTuple("Ts")

IDLE_TIMEOUT_SECONDS = 60.0
_CLOSE_TIMEOUT_SECONDS = 2.0


class Workers:
    """A pool of worker processes. Belongs to one event loop.

    At most `max_processes` calls run at a time. The others wait in one queue per owner, and the owners take
    turns. One owner never uses all processes, so a flow with slow steps can't block the others.
    Processes start when needed, and end after `idle_seconds` without a call or when the parent process ends.
    With `writes_files`, functions can write files, and each call has a process of its own.
    """

    def __init__(
        self,
        max_processes: int | None = None,
        idle_seconds: float = IDLE_TIMEOUT_SECONDS,
        *,
        writes_files: bool = False,
    ) -> None:
        self._writes_files = writes_files
        self._max_processes = max_processes or min(4, max(2, os.cpu_count() or 2))
        self._max_per_owner = max(1, self._max_processes - 1)
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[WorkerProcess, asyncio.TimerHandle]] = []
        self._processes: set[WorkerProcess] = set()
        self._running: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def run(
        self,
        function: Callable[[*Ts], T],
        *arguments: *Ts,
        limits: WorkerLimits = WorkerLimits(),
        owner: str = "",
    ) -> T:
        """Return `function(*arguments)`, called in a worker process.

        `function` is defined at the top level of a module; arguments and result are JSON values, text or
        bytes. The result may also be a tuple of these; tuples within values arrive as lists. Cancelling this
        kills the process. `owner`, such as a flow ID, takes turns with other owners. Raises `AppError`s of
        the function as they are, `ComputationStopped` when a limit was exceeded or the process crashed,
        `WorkerFunctionError` for any other exception of the function.
        """
        async with self._slot(owner):
            worker = self._reuse_idle() or await self._start()
            try:
                return await worker.call(function, arguments, limits)  # type: ignore[no-any-return]
            finally:
                if worker.reusable:
                    timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._end_idle, worker)
                    self._idle.append((worker, timer))
                else:
                    worker.kill()

    async def close(self) -> None:
        """End all processes; calls in progress fail. The pool can be used again."""
        for _, timer in self._idle:
            timer.cancel()
        self._idle.clear()
        processes = tuple(self._processes)
        for worker in processes:
            worker.kill()
        if processes:
            await asyncio.wait(
                [asyncio.create_task(worker.closed.wait()) for worker in processes],
                timeout=_CLOSE_TIMEOUT_SECONDS,
            )

    @property
    def pids(self) -> tuple[int, ...]:
        """PIDs of the current processes."""
        return tuple(worker.pid for worker in self._processes if worker.pid is not None)

    # Processes

    async def _start(self) -> WorkerProcess:
        self._processes = {worker for worker in self._processes if not worker.closed.is_set()}
        worker = await WorkerProcess.start(writes_files=self._writes_files)
        self._processes.add(worker)
        return worker

    def _reuse_idle(self) -> WorkerProcess | None:
        while self._idle:
            worker, timer = self._idle.pop()
            timer.cancel()
            if worker.reusable:
                return worker
            worker.kill()
        return None

    def _end_idle(self, worker: WorkerProcess) -> None:
        self._idle = [idle for idle in self._idle if idle[0] is not worker]
        worker.kill()

    # Turns

    @asynccontextmanager
    async def _slot(self, owner: str) -> AsyncIterator[None]:
        if not self._has_free_slot(owner):
            await self._wait_for_slot(owner)
        else:
            self._running[owner] += 1
        try:
            yield
        finally:
            self._running[owner] -= 1
            self._running += Counter()  # drop owners without running calls
            self._start_waiting_calls()

    def _has_free_slot(self, owner: str) -> bool:
        return self._running.total() < self._max_processes and self._running[owner] < self._max_per_owner

    async def _wait_for_slot(self, owner: str) -> None:
        """Wait until the turn of this owner was counted in `_running`."""
        slot = asyncio.get_running_loop().create_future()
        self._queues.setdefault(owner, deque()).append(slot)
        try:
            await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled():
                self._running[owner] -= 1
                self._start_waiting_calls()
            raise

    def _start_waiting_calls(self) -> None:
        """Assign free slots to waiting owners, one call each, least recently served first."""
        while (owner := next(filter(self._has_free_slot, self._queues), None)) is not None:
            queue = self._queues[owner]
            slot = queue.popleft()
            if queue:
                self._queues.move_to_end(owner)
            else:
                del self._queues[owner]
            if not slot.done():
                self._running[owner] += 1
                slot.set_result(None)
