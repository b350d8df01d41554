"""The engine's one timer: sleeps until the next thing is due, however many things wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from patchbay.domain.base import EpochMs
from patchbay.domain.errors import AppError
from patchbay.engine.scheduler.jumps import ClockJumpDetector

_log = logging.getLogger(__name__)

MAX_SLEEP_SECONDS = 30.0
"""Seconds. The clock is read again at least this often, because computers sleep and clocks are set."""
_RETRY_AFTER_MS = 5_000
"""Milliseconds until the next look when one failed."""


class Timer:
    """Calls `tick(now)` when its last answer (the next due time) has come, when poked, and every 30 s.

    With a `monotonic` clock (seconds, as `time.monotonic`) it notices that the other one was set, or that the
    computer slept, and calls `jumped(by)` before the tick: milliseconds, negative when the clock was set
    back. It is called again at the next look until it succeeds.
    """

    def __init__(
        self,
        clock: Callable[[], EpochMs],
        tick: Callable[[EpochMs], Awaitable[EpochMs | None]],
        *,
        monotonic: Callable[[], float] | None = None,
        on_clock_jump: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self._clock = clock
        self._tick = tick
        self._jump_detector = ClockJumpDetector(monotonic) if monotonic and on_clock_jump else None
        self._on_clock_jump = on_clock_jump
        self._woken = asyncio.Event()
        self._next: EpochMs | None = None
        self._requested_times: list[EpochMs] | None = None
        """While it looks: times it was asked for meanwhile, of which what it finds may not know."""
        self._task: asyncio.Task[None] | None = None
        self.last_tick_at: EpochMs | None = None
        """When it last looked for what is due, whether that went well or not; None before the first time."""

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="engine timer")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def wake_up(self) -> None:
        """Look again now: something may have become due."""
        self._next = None
        self._woken.set()

    def wake_by(self, at: EpochMs) -> None:
        """Something new is due at `at`."""
        if self._requested_times is not None:
            self._requested_times.append(at)
        elif self._next is None or at < self._next:
            self.wake_up()

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            requested: list[EpochMs] = []
            self._requested_times = requested
            found = await self._tick_once()
            self._requested_times = None
            self._next = min(requested if found is None else [*requested, found], default=None)
            if not self._woken.is_set():
                await self._sleep(self._next)

    async def _tick_once(self) -> EpochMs | None:
        self.last_tick_at = now = self._clock()
        try:
            await self._report_clock_jump(now)
            return await self._tick(now)
        except AppError as error:
            _log.warning("The engine could not look for what is due: %s", error.text())
        except Exception:  # noqa: BLE001  the timer must outlive a fault of what it calls
            _log.exception("The engine's timer met a fault")
        return self._clock() + _RETRY_AFTER_MS

    async def _report_clock_jump(self, now: EpochMs) -> None:
        if self._jump_detector is None or self._on_clock_jump is None:
            return
        by = self._jump_detector.at(now)
        if by:
            how = "was set back" if by < 0 else "was set forward, or the computer slept,"
            _log.warning("The clock %s by %s: what is due is found out anew.", how, _format_duration(by))
            await self._on_clock_jump(by)
        self._jump_detector.settle()

    async def _sleep(self, until: EpochMs | None) -> None:
        seconds = MAX_SLEEP_SECONDS
        if until is not None:
            seconds = min(seconds, max(0.001, (until - self._clock()) / 1000))
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return


def _format_duration(ms: int) -> str:
    return str(timedelta(seconds=round(abs(ms) / 1000)))
