"""The engine's timer, which detects clock changes, and `WorkStarter`, which starts what is due."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from patchbay.domain.base import AppKey, EpochMs
from patchbay.domain.engine import EngineState, RateLimit
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import AppError
from patchbay.domain.peers import Peers
from patchbay.engine.dispatcher import Dispatcher, PublishedFlowSettings
from patchbay.engine.intake import FailureFlows
from patchbay.engine.runs.rate_limits import RateLimiter
from patchbay.engine.triggers.scheduler import TriggerScheduler

_log = logging.getLogger(__name__)

MIN_JUMP_MS = 5_000
"""Smaller differences are clock adjustments, not jumps."""
MAX_SLEEP_SECONDS = 30.0
"""The clock is read at least this often, because computers sleep and clocks are set."""
_RETRY_AFTER_MS = 5_000
"""Delay after a tick that failed."""
_BATCH_SIZE = 500
"""Executions read from the store at once. The next batch follows when these have been dispatched."""
_BUSY_RETRY_MS = 250
"""Delay until the next tick while something due hasn't got a slot."""


class ClockJumpDetector:
    """Detects that the wall clock was set, by comparing it with one that can't be set.

    `monotonic` gives seconds from any beginning (`time.monotonic`).
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._settled_offset: int | None = None
        self._current_offset = 0

    def jump_ms(self, wall: EpochMs) -> int:
        """By how many milliseconds the clock was set since `settle`: negative if back, 0 if only a little.

        A computer that was asleep looks like one whose clock was set forward.
        """
        self._current_offset = wall - round(self._monotonic() * 1000)
        if self._settled_offset is None:
            self._settled_offset = self._current_offset
        by = self._current_offset - self._settled_offset
        return by if abs(by) > MIN_JUMP_MS else 0

    def settle(self) -> None:
        """Make the last reading the new reference, so that small differences never add up."""
        self._settled_offset = self._current_offset


class Timer:
    """Calls `tick(now)` at the time that the last tick returned, on `wake_up`, and at least every 30
    seconds.

    With a `monotonic` clock (seconds, as `time.monotonic`) it detects that the wall clock was set or that the
    computer was asleep, and calls `on_clock_jump(by)` before the tick: milliseconds, negative if the clock
    was set back. That is repeated with each tick until it succeeds.
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
        """Times passed to `wake_by` during a tick, after it may have read the store. None between ticks."""
        self._task: asyncio.Task[None] | None = None
        self.last_tick_at: EpochMs | None = None
        """Time of the last tick, even a failed one; None before the first."""

    def start(self) -> None:
        """Start the timer."""
        self._task = asyncio.create_task(self._run(), name="engine timer")

    async def stop(self) -> None:
        """Stop the timer and wait for its task."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def wake_up(self) -> None:
        """Tick now, because something may have become due."""
        self._next = None
        self._woken.set()

    def wake_by(self, at: EpochMs) -> None:
        """Tick at `at` at the latest, because something new is due then."""
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
            _log.warning("Couldn't check what is due: %s", error.text())
        except Exception:  # noqa: BLE001  the timer must survive bugs in what it calls
            _log.exception("The engine's timer failed")
        return self._clock() + _RETRY_AFTER_MS

    async def _report_clock_jump(self, now: EpochMs) -> None:
        if self._jump_detector is None or self._on_clock_jump is None:
            return
        by = self._jump_detector.jump_ms(now)
        if by:
            how = "was set back" if by < 0 else "was set forward, or the computer slept,"
            duration = timedelta(seconds=round(abs(by) / 1000))
            _log.warning("The clock %s by %s. Due times are recalculated.", how, duration)
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


class WorkStarter:
    """Starts at each tick what is due, and holds the engine's state.

    Fires due triggers, dispatches due executions, and reloads changed flows.
    """

    def __init__(
        self,
        store: EngineStore,
        triggers: TriggerScheduler,
        dispatcher: Dispatcher,
        flow_settings: PublishedFlowSettings,
        failure_flows: FailureFlows,
        limits: RateLimiter,
        app_limits: Callable[[], Mapping[AppKey, RateLimit]],
        wake_up: Callable[[], None],
        on_rescheduled: Callable[[], None],
        peers: Peers,
    ) -> None:
        self._store = store
        self._triggers = triggers
        self._dispatcher = dispatcher
        self._flow_settings = flow_settings
        self._failure_flows = failure_flows
        self._limits = limits
        self._app_limits = app_limits
        self._wake_up = wake_up
        self._on_rescheduled = on_rescheduled
        self._peers = peers
        self._is_stale = True
        self._has_more = False
        self.state = EngineState.STOPPED

    def changed(self) -> None:
        """Reload all flows with the next tick, which is now, because one was published, paused, or
        changed.
        """
        self._is_stale = True
        self._wake_up()

    def on_drained(self) -> None:
        """Tick if the store has more executions. The queue of the dispatcher or a flow is empty."""
        if self._has_more:
            self._wake_up()

    async def run(self, now: EpochMs) -> EpochMs | None:
        """Start everything that is due. Returns when to tick again."""
        if self._is_stale:
            await self._reload()
        if self.state is EngineState.PAUSED:
            self._triggers.note_engine_paused()
            return None
        self._dispatcher.open()
        self._triggers.fire(now)
        only = self._flow_settings.only
        if only is not None and not only:
            return None  # other programs run everything
        paused, full = self._flow_settings.paused, self._dispatcher.exclude_full_flows()
        self._has_more = True
        due = await self._store.due(now, _BATCH_SIZE, {*paused, *full}, only)
        # A store that is shared returns few at once, and others may have more of them.
        self._has_more = len(due) == _BATCH_SIZE or bool(full) or (self._peers.are_possible and bool(due))
        for execution_id, flow_id, root_id in due:
            self._dispatcher.submit(execution_id, flow_id, root_id)
        next_due = self._triggers.next_due()
        times = (await self._store.next_wake(paused, only), next_due[0] if next_due else None)
        return min((max(at, now + _BUSY_RETRY_MS) for at in times if at is not None), default=None)

    async def _reload(self) -> None:
        self._is_stale = False
        next_due = self._triggers.next_due()
        try:
            active = await self._store.active_triggers()
            self._flow_settings.update(active)
            self._failure_flows.update(active)
            self._limits.configure(await self._store.connection_limits(), self._app_limits())
            self._dispatcher.drop_flows(self._flow_settings.paused)
            await self._triggers.reload(active)
        except BaseException:
            self._is_stale = True
            raise
        if self._triggers.next_due() != next_due:
            self._on_rescheduled()
