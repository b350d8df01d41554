"""Worker processes, for work whose cost isn't linear in its input or whose input comes from strangers.

A thread can't be stopped, and a slow regular expression or a hostile HTML page would hold up everything else.
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
from patchbay.integration.worker_child import (
    BEGUN,
    INTERPRETER_MEGABYTES,
    LENGTHS,
    Head,
    decode_values,
    encode_values,
    pack,
)

# MERGED: One worker process as its parent sees it: started, asked, killed.

_log = logging.getLogger(__name__)

FROZEN_ENTRY = "run-worker"
"""First word by which the packaged program, which has no interpreter beside it, becomes a worker."""
LOADING_SECONDS = 60.0
"""How long a worker may take to start and to import the module of a function."""
_LONGEST_HEAD = 1 << 20
_OUTPUT = 1
MOST_VALUES = 1_000_000
"""Values in the result of one call. A page of 10,000 items with 100 values each fits."""
_MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a malformed reply raises, such as that of a worker which foreign data took over."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What one call may use. `megabytes` is memory beyond what the interpreter needs for itself."""

    seconds: float = 10.0
    megabytes: int = 256
    output_bytes: int = 8 << 20


class WorkerFault(Exception):
    """The function raised something other than an `AppError`: a mistake in its code."""


class _Ended(Exception):
    """The process ended before it answered."""


class WorkerProcess(asyncio.SubprocessProtocol):
    """A process that makes one call at a time."""

    def __init__(self) -> None:
        self.reusable = True
        self.closed = asyncio.Event()
        self._received = bytearray()
        self._needed, self._most = 0, 0
        self._arrived: asyncio.Future[None] | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._job: Any = None

    @classmethod
    async def start(cls) -> "WorkerProcess":
        """Start a process. Nothing secret is in its environment, which is empty, or in its arguments."""
        transport, worker = await asyncio.get_running_loop().subprocess_exec(
            cls, *_command(), cwd=os.sep, env=_environment(), stderr=asyncio.subprocess.DEVNULL, **_options()
        )
        worker._job = _job(transport.get_pid())
        return worker

    @property
    def pid(self) -> int | None:
        return self._transport.get_pid() if self._transport else None

    async def call(self, function: Callable[..., Any], arguments: Sequence[Any], limits: WorkLimits) -> Any:
        """Call the function in the process. Kills the process when anything stops this before the result.

        Raises what the function raises if that is an `AppError`, `ComputationStopped` when a limit was
        exceeded or the process crashed, and `WorkerFault` for any other exception of the function.
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
                retires, result = _read_reply(head, body, limits, name)
            else:
                retires, result = await asyncio.to_thread(_read_reply, head, body, limits, name)
        except _MALFORMED:
            self.kill()
            raise _crashed() from None
        self.reusable = self.reusable and not retires
        if isinstance(result, Exception):
            raise result
        return result

    def kill(self) -> None:
        """End the process at once. `closed` is set when nothing of it is left."""
        self.reusable = False
        if self._job is not None:
            self._job.end()
            self._job = None
        if self._transport is not None:
            with suppress(ProcessLookupError):
                self._transport.kill()
            self._transport.close()

    async def _exchange(self, request: bytes, limits: WorkLimits) -> tuple[bytes, bytes]:
        """Send a request; return the head and body of the reply."""
        assert self._transport is not None
        self._most = len(BEGUN) + LENGTHS.size + _LONGEST_HEAD + limits.output_bytes
        if self._job is not None:
            self._job.limit_memory(limits.megabytes + INTERPRETER_MEGABYTES)
        self._transport.get_pipe_transport(0).write(request)  # type: ignore[union-attr]
        began = False
        try:
            async with asyncio.timeout(LOADING_SECONDS):
                first = await self._take(len(BEGUN), hold=True)
            if first == BEGUN:
                await self._take(len(BEGUN))
                began = True
            async with asyncio.timeout(limits.seconds):
                reply = await self._reply(limits)
        except TimeoutError:
            raise _timed_out(limits.seconds if began else LOADING_SECONDS) from None
        except _Ended:
            raise _crashed() from None
        self._most = 0
        self._kill_if_talkative()
        return reply

    async def _reply(self, limits: WorkLimits) -> tuple[bytes, bytes]:
        head_length, body_length = LENGTHS.unpack(await self._take(LENGTHS.size))
        if head_length > _LONGEST_HEAD:
            raise _Ended
        if body_length > limits.output_bytes:
            raise _too_much_output(limits.output_bytes)
        return await self._take(head_length), await self._take(body_length)

    async def _take(self, count: int, *, hold: bool = False) -> bytes:
        """The next `count` bytes the process writes; `hold` leaves them for the next call."""
        while len(self._received) < count:
            if self.closed.is_set() or not self.reusable:
                raise _Ended
            self._needed = count
            self._arrived = asyncio.get_running_loop().create_future()
            await self._arrived
        taken = bytes(memoryview(self._received)[:count])
        if not hold:
            del self._received[:count]
        return taken

    def _wake(self) -> None:
        if self._arrived is not None and not self._arrived.done():
            self._arrived.set_result(None)

    def _kill_if_talkative(self) -> None:
        """Kill a process that wrote more than a reply, or anything between calls."""
        if len(self._received) > self._most:
            self.kill()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._received += data
        self._kill_if_talkative()
        if len(self._received) >= self._needed:
            self._wake()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.reusable = False
        if fd == _OUTPUT:
            self._wake()

    def process_exited(self) -> None:
        self.reusable = False

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()
        self._wake()


def _request(function: Callable[..., Any], arguments: Sequence[Any], limits: WorkLimits) -> bytes:
    name = function.__qualname__
    if "<" in name or function.__module__ == "__main__":
        raise TypeError(f"{name} can't be called in a worker: only functions of a module can.")
    kinds, parts = encode_values(arguments)
    head: Head = {
        "module": function.__module__, "function": name, "values": kinds,
        "path": [*map(os.path.abspath, sys.path)], "mounts": _mounts(function.__module__),
        "seconds": limits.seconds, "megabytes": limits.megabytes, "output_bytes": limits.output_bytes,
    }  # fmt: skip
    return pack(head, parts)


def _mounts(module: str) -> dict[str, list[str]]:
    """The top package of a module when it exists only in memory, as that of the user's apps does."""
    name = module.partition(".")[0]
    package = sys.modules.get(name)
    if package is None or package.__spec__ is not None or not hasattr(package, "__path__"):
        return {}
    return {name: list(package.__path__)}


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, FROZEN_ENTRY]
    if not sys.executable:
        raise NotSupported(
            "This Patchbay doesn't know where its Python is, so it can't start worker processes.",
            feature="workers",
        )
    child = Path(__file__).with_name("worker_child.py")
    # Isolated and without site packages: the parent's search path comes with each call.
    return [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(child)]


if sys.platform == "win32":
    from patchbay.integration.windows_job import Job

    def _options() -> dict[str, Any]:
        return {"creationflags": 0x08000000 | 0x00004000}  # CREATE_NO_WINDOW, BELOW_NORMAL_PRIORITY_CLASS

    def _environment() -> dict[str, str]:
        return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}

    def _job(pid: int) -> Job:
        return Job(pid, WorkLimits().megabytes + INTERPRETER_MEGABYTES)

else:

    def _options() -> dict[str, Any]:
        return {"start_new_session": True}  # Ctrl+C in a terminal is for the parent, which ends its workers

    def _environment() -> dict[str, str]:
        return {}

    def _job(pid: int) -> Any:
        """A process group of its own and the limits it sets itself are enough here."""
        return None


def _read_reply(head: bytes, body: bytes, limits: WorkLimits, name: str) -> tuple[bool, Any]:
    """Whether the process retires, and the result of the call or the exception to raise."""
    fields: Head = json.loads(head)
    retires = bool(fields["retire"])
    if "failed" in fields:
        return retires, _failure(fields, limits, name)
    try:
        _require_few_values(fields["values"], body)
    except TooManyValues:
        return retires, _too_many_values()
    values = decode_values(fields["values"], body)
    return retires, tuple(values) if fields["several"] else values[0]


def _require_few_values(kinds: Sequence[Sequence[Any]], body: bytes) -> None:
    """Raises `TooManyValues`: each value takes many times its length, and time on the event loop later."""
    if len(body) <= MOST_VALUES:
        return  # each value takes a character at least
    start = 0
    for kind, length in kinds:
        if kind == "json":
            text = body[start : start + length].decode("utf-8", "surrogatepass")
            check_value_count(text, MOST_VALUES)
        start += length


def _failure(head: Head, limits: WorkLimits, name: str) -> Exception:
    match head["failed"]:
        case "memory":
            return _out_of_memory(limits.megabytes)
        case "output":
            return _too_much_output(limits.output_bytes)
    if "error" in head:
        meta = head["error"]["meta"]
        return from_wire(head["error"]) or AppError(
            str(meta["happened"]), meaning=str(meta["meaning"]), todo=str(meta["todo"])
        )
    _log.error("%s stopped with %s\n  %s", name, head.get("type"), "\n  ".join(head.get("places", ())))
    return WorkerFault(f"{name} raised {head.get('type')}.")


_ONLY_THIS = "Only this calculation was stopped; everything else keeps running."
_SMALLER = "Give it less data or a simpler text, or split the work over several steps."


def _timed_out(seconds: float) -> ComputationStopped:
    happened = f"The calculation took longer than {seconds:g} second{'' if seconds == 1 else 's'}."
    return ComputationStopped(happened, reason="time", meaning=_ONLY_THIS, todo=_SMALLER)


def _out_of_memory(megabytes: int) -> ComputationStopped:
    happened = f"The calculation needed more than {megabytes:,} MB of memory."
    return ComputationStopped(happened, reason="memory", meaning=_ONLY_THIS, todo=_SMALLER)


def _too_much_output(limit: int) -> ComputationStopped:
    size = f"{limit >> 20:,} MB" if limit >= 1 << 20 else f"{limit:,} bytes"
    happened = f"The result is larger than {size}."
    return ComputationStopped(happened, reason="output", meaning=_ONLY_THIS, todo=_SMALLER)


def _too_many_values() -> ComputationStopped:
    happened = f"The result has more than {MOST_VALUES:,} values."
    return ComputationStopped(happened, reason="output", meaning=_ONLY_THIS, todo=_SMALLER)


def _crashed() -> ComputationStopped:
    return ComputationStopped(
        "The worker process crashed during the calculation.",
        reason="crash",
        meaning=f"{_ONLY_THIS} The data may be damaged, or made to do this.",
        todo="Check what goes into this step. If it happens with ordinary data, report it.",
    )


__all__ = ["WorkLimits", "WorkerFault", "Workers"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

IDLE_SECONDS = 60.0
_CLOSING_SECONDS = 2.0


class Workers:
    """A pool of worker processes. Belongs to one event loop.

    At most `most` calls run at a time. The others wait in a queue for each owner, and the owners take turns;
    one owner never holds all processes, so a flow with slow steps can't keep the others from getting one.
    Processes are started when they are needed, and end after `idle_seconds` without a call, or with this one.
    """

    def __init__(self, most: int | None = None, idle_seconds: float = IDLE_SECONDS) -> None:
        self._most = most or min(4, max(2, os.cpu_count() or 2))
        self._most_per_owner = max(1, self._most - 1)
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[WorkerProcess, asyncio.TimerHandle]] = []
        self._processes: set[WorkerProcess] = set()
        self._running: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def run(
        self,
        function: Callable[[*Ts], T],
        *arguments: *Ts,
        limits: WorkLimits = WorkLimits(),
        owner: str = "",
    ) -> T:
        """The result of `function(*arguments)`, called in a worker process.

        `function` is defined at the top level of a module; arguments and result are JSON values, text or
        bytes. The result may also be a tuple of these; tuples within values arrive as lists. Cancelling this
        kills the process. `owner` is who waits in turn with others, such as a flow id. Raises `AppError`s of
        the function as they are, `ComputationStopped` when a limit was exceeded or the process crashed,
        `WorkerFault` for any other exception of the function.
        """
        async with self._turn(owner):
            worker = self._take_idle() or await self._start()
            try:
                return await worker.call(function, arguments, limits)  # type: ignore[no-any-return]
            finally:
                self._put_back(worker)

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
                [asyncio.create_task(worker.closed.wait()) for worker in processes], timeout=_CLOSING_SECONDS
            )

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the processes there are now."""
        return tuple(worker.pid for worker in self._processes if worker.pid is not None)

    # Processes

    async def _start(self) -> WorkerProcess:
        self._processes = {worker for worker in self._processes if not worker.closed.is_set()}
        worker = await WorkerProcess.start()
        self._processes.add(worker)
        return worker

    def _take_idle(self) -> WorkerProcess | None:
        while self._idle:
            worker, timer = self._idle.pop()
            timer.cancel()
            if worker.reusable:
                return worker
            worker.kill()
        return None

    def _put_back(self, worker: WorkerProcess) -> None:
        if not worker.reusable:
            worker.kill()
            return
        timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._end_idle, worker)
        self._idle.append((worker, timer))

    def _end_idle(self, worker: WorkerProcess) -> None:
        self._idle = [kept for kept in self._idle if kept[0] is not worker]
        worker.kill()

    # Turns

    @asynccontextmanager
    async def _turn(self, owner: str) -> AsyncIterator[None]:
        if not self._has_room(owner):
            await self._wait(owner)
        else:
            self._running[owner] += 1
        try:
            yield
        finally:
            self._running[owner] -= 1
            self._running += Counter()  # forget owners that run nothing
            self._wake_next()

    def _has_room(self, owner: str) -> bool:
        return self._running.total() < self._most and self._running[owner] < self._most_per_owner

    async def _wait(self, owner: str) -> None:
        """Wait until the turn of this owner was counted in `_running`."""
        turn = asyncio.get_running_loop().create_future()
        self._queues.setdefault(owner, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._running[owner] -= 1
                self._wake_next()
            raise

    def _wake_next(self) -> None:
        """Give free places to the owners that wait, one call each, in the order in which they had a turn."""
        while (owner := next(filter(self._has_room, self._queues), None)) is not None:
            queue = self._queues[owner]
            turn = queue.popleft()
            if queue:
                self._queues.move_to_end(owner)
            else:
                del self._queues[owner]
            if not turn.done():
                self._running[owner] += 1
                turn.set_result(None)
