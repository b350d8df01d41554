"""Worker processes, for work whose cost isn't linear in its input or whose input comes from strangers.

A thread can't be stopped, and a slow regular expression or a hostile HTML page would hold up everything else.
A process can be killed, and the system limits its memory.
"""

import asyncio
import os
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar, TypeVarTuple

from patchbay.integration.worker_process import WorkerFault, WorkerProcess, WorkLimits

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
        limits: WorkLimits = WorkLimits(),  # noqa: B008  frozen
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
