"""One pool of worker processes for all tests of a process, since each worker imports the program anew.

A pool belongs to one event loop, and each test has its own. So this one runs on a loop of its own thread.
Workers hold nothing between calls, and one whose call was stopped or cancelled is killed, as in the program.
"""

import asyncio
import atexit
import threading
from collections.abc import Callable
from functools import cache
from typing import TypeVar, TypeVarTuple

from patchbay.integration.workers import WorkerLimits, Workers

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

STANDARD_LIMITS = WorkerLimits()
_CLOSE_SECONDS = 10.0


class _Pool:
    """A pool and the thread whose loop it belongs to."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.workers = Workers(idle_seconds=3600)
        self._thread = threading.Thread(target=self.loop.run_forever, name="shared-workers", daemon=True)
        self._thread.start()
        atexit.register(self._end)

    def _end(self) -> None:
        asyncio.run_coroutine_threadsafe(self.workers.close(), self.loop).result(_CLOSE_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_CLOSE_SECONDS)
        self.loop.close()


_pool = cache(_Pool)


class SharedWorkers(Workers):
    """Workers for the loop of a test. Only for functions of built-in apps, which every test imports alike.

    `pids` stays empty, and reading a large result doesn't occupy the loop of the test: tests of these have
    a pool of their own.
    """

    async def run(
        self,
        function: Callable[[*Ts], T],
        *arguments: *Ts,
        limits: WorkerLimits = STANDARD_LIMITS,
        owner: str = "",
    ) -> T:
        """As in the base class. Cancelling this cancels the call in the shared pool."""
        pool = _pool()
        call = pool.workers.run(function, *arguments, limits=limits, owner=owner)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call, pool.loop))
