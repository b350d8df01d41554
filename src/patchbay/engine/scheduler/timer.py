"""The engine's one timer: sleeps until the next thing is due, however many things wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError
from patchbay.engine.scheduler.jumps import Jumps

_log = logging.getLogger(__name__)

LONGEST_SLEEP = 30.0
"""Seconds. The clock is read again at least this often, because computers sleep and clocks are set."""
_AFTER_FAULT = 5_000
"""Milliseconds until the next look when one failed."""


class Timer:
    """Calls `tick(now)` when its last answer (the next due time) has come, when poked, and every 30 s.

    With a `steady` clock (seconds, as `time.monotonic`) it notices that the other one was set, or that the
    computer slept, and calls `jumped(by)` before the tick: milliseconds, negative when the clock was set
    back. It is called again at the next look until it succeeds.
    """

    def __init__(
        self,
        clock: Callable[[], EpochMs],
        tick: Callable[[EpochMs], Awaitable[EpochMs | None]],
        *,
        steady: Callable[[], float] | None = None,
        jumped: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self._clock = clock
        self._tick = tick
        self._jumps = Jumps(steady) if steady and jumped else None
        self._jumped = jumped
        self._poked = asyncio.Event()
        self._next: EpochMs | None = None
        self._asked: list[EpochMs] | None = None
        """While it looks: times it was asked for meanwhile, of which what it finds may not know."""
        self._task: asyncio.Task[None] | None = None
        self.last_look: EpochMs | None = None
        """When it last looked for what is due, whether that went well or not; None before the first time."""

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="engine timer")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def poke(self) -> None:
        """Look again now: something may have become due."""
        self._next = None
        self._poked.set()

    def no_later_than(self, at: EpochMs) -> None:
        """Something new is due at `at`."""
        if self._asked is not None:
            self._asked.append(at)
        elif self._next is None or at < self._next:
            self.poke()

    async def _run(self) -> None:
        while True:
            self._poked.clear()
            asked: list[EpochMs] = []
            self._asked = asked
            found = await self._look()
            self._asked = None
            self._next = min(asked if found is None else [*asked, found], default=None)
            if not self._poked.is_set():
                await self._sleep(self._next)

    async def _look(self) -> EpochMs | None:
        self.last_look = now = self._clock()
        try:
            await self._tell_of_jump(now)
            return await self._tick(now)
        except AppError as error:
            _log.warning("The engine could not look for what is due: %s", error.text())
        except Exception:  # noqa: BLE001  the timer must outlive a fault of what it calls
            _log.exception("The engine's timer met a fault")
        return self._clock() + _AFTER_FAULT

    async def _tell_of_jump(self, now: EpochMs) -> None:
        if self._jumps is None or self._jumped is None:
            return
        by = self._jumps.at(now)
        if by:
            how = "was set back" if by < 0 else "was set forward, or the computer slept,"
            _log.warning("The clock %s by %s: what is due is found out anew.", how, _length(by))
            await self._jumped(by)
        self._jumps.settle()

    async def _sleep(self, until: EpochMs | None) -> None:
        seconds = LONGEST_SLEEP
        if until is not None:
            seconds = min(seconds, max(0.001, (until - self._clock()) / 1000))
        try:
            async with asyncio.timeout(seconds):
                await self._poked.wait()
        except TimeoutError:
            return


def _length(ms: int) -> str:
    return str(timedelta(seconds=round(abs(ms) / 1000)))
