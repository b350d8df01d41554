"""The trigger scheduler: fires due polls and schedules, and knows what is due next."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import tzinfo

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, FlowId, JsonObject
from patchbay.domain.engine import EngineSettings
from patchbay.domain.engine_store import ActiveTrigger, EngineStore, NewExecution, TriggerState
from patchbay.domain.errors import AppError, NotSupported, PayloadTooLarge, StorageFault
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.trigger_sources import FIRST_SOURCE
from patchbay.engine.app_calls import AppCaller
from patchbay.engine.intake import Intake
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.step_errors import error_details, requested_wait_seconds
from patchbay.engine.triggers.polling import PollRunner, TriggerWatches, consecutive_failures, poll_delay_ms
from patchbay.engine.triggers.schedules import ScheduleRunner
from patchbay.engine.triggers.timed_trigger import (
    WAIT_UNTIL_KEY,
    MissedReason,
    TimedTrigger,
    TriggerResult,
    trigger_call,
)

_log = logging.getLogger(__name__)

MAX_CONCURRENT_POLLS = 10
"""Maximum number of concurrent polls."""
RETRY_AFTER_MS = 30_000
"""Delay before a trigger is fired again whose result couldn't be stored."""
FIRED_ELSEWHERE_MS = 1_000
"""Delay before the next look at a trigger that another program is firing."""
_TIMED = (TriggerKind.POLLING, TriggerKind.SCHEDULE)


class TriggerScheduler:
    """Fires due triggers.

    All polling and schedule triggers are in memory, and their state also in the store.

    Triggers of paused flows don't fire and aren't watched, but keep their state: when the flow is resumed, a
    poll finds the items that came meanwhile, and a schedule handles its missed starts. Those that need a
    desktop don't fire without one (`has_desktop`). `is_shared`: other programs can use the same store.
    """

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        caller: AppCaller,
        intake: Intake,
        clock: Callable[[], EpochMs],
        tz: tzinfo,
        wake_up: Callable[[], None],
        settings: Callable[[], EngineSettings],
        runs_here: Callable[[FlowId], bool] = lambda flow_id: True,
        is_leader: Callable[[], bool] = lambda: True,
        on_problem_changed: Callable[[FlowId], None] = lambda flow_id: None,
        *,
        has_desktop: bool = True,
        is_shared: bool = False,
    ) -> None:
        self._store = store
        self._plans = plans
        self._caller = caller
        self._intake = intake
        self._clock = clock
        self._wake_up = wake_up
        self._settings = settings
        self._runs_here = runs_here
        self._is_leader = is_leader
        self._has_desktop = has_desktop
        self._is_shared = is_shared
        self._watches = TriggerWatches(self._listen, self._on_signal, on_problem_changed)
        self._poll_runner = PollRunner(store, caller, intake, clock, self._watches.poll_succeeded)
        self._schedule_runner = ScheduleRunner(caller, intake, clock, tz)
        self._entries: dict[FlowId, TimedTrigger] = {}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_POLLS)
        self._engine_paused = False

    # What is due

    async def reload(self, published: Sequence[ActiveTrigger] | None = None) -> None:
        """Replace the triggers by the published ones, read from the store unless given.

        Running polls continue.
        """
        fresh: dict[FlowId, TimedTrigger] = {}
        for active in await self._store.active_triggers() if published is None else published:
            if not self._runs_here(active.version.flow_id):
                continue
            known = self._entries.get(active.version.flow_id)
            if (
                known
                and known.task
                and not active.paused
                and known.plan.version.number == active.version.number
            ):
                known.interval, known.settings = active.interval_minutes * 60_000, active.settings
                fresh[active.version.flow_id] = known
            elif entry := self._entry(active, known):
                await self._reschedule(entry)
                fresh[active.version.flow_id] = entry
        for flow_id, entry in self._entries.items():
            if entry.task and fresh.get(flow_id) is not entry:
                entry.task.cancel()
        self._entries = fresh
        # One program listens; what it hears of, it polls itself.
        listening = [entry.plan for entry in fresh.values() if not entry.paused and self._is_leader()]
        self._watches.watch_only(listening)

    def next_due(self) -> tuple[EpochMs, FlowId] | None:
        """The time when the next trigger is due, and its flow; None if there is none."""
        return _earliest(self._entries.values())

    def next_start(self) -> tuple[EpochMs, FlowId] | None:
        """As `next_due`, without the triggers that wait for the desktop, whose polls only follow events."""
        return _earliest(entry for entry in self._entries.values() if not entry.plan.start.uses_desktop)

    def listening_problem(self, flow_id: FlowId) -> AppError | None:
        """See `TriggerWatches.problem`."""
        return self._watches.problem(flow_id)

    def note_engine_paused(self) -> None:
        """Record that the engine is paused, the reason for starts that are missed until the next `fire`."""
        self._engine_paused = True

    def fire(self, now: EpochMs) -> None:
        """Fire all due triggers in the background."""
        # The clock may have been set back since `now` was read, and due times recalculated.
        now = min(now, self._clock())
        for entry in self._entries.values():
            if self._engine_paused and entry.missed_reason is MissedReason.NOT_RUNNING:
                entry.missed_reason = MissedReason.ENGINE_PAUSED
            due = entry.due(now)
            if due is not None:
                early, entry.is_signalled = entry.is_signalled, False
                entry.task = asyncio.create_task(self._fire(entry, due, early=early))
            elif not entry.paused and entry.task is None:
                entry.missed_reason = MissedReason.NOT_RUNNING
        self._engine_paused = False

    async def clock_jumped(self, by: int) -> None:
        """Adjust due times after the clock was set by so many milliseconds.

        If it was set forward, past times are simply due. If it was set back, triggers are rescheduled, and
        waits for a retry or rate limit are shortened. Delays stay the same, since they are meant for a time
        of day.
        """
        if by >= 0:
            return
        await self._store.shorten_waits(-by)
        for entry in self._entries.values():
            entry.not_before = 0
            if entry.task is None:
                await self._reschedule(entry, clock_set_back_ms=-by)

    async def stop(self) -> None:
        """Stop watches and running polls. Polls are repeated later, since nothing of them has been stored."""
        await self._watches.stop()
        tasks = [entry.task for entry in self._entries.values() if entry.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._entries = {}

    async def baseline(
        self, version: FlowVersion, settings: FlowSettings | None = None, source: int = FIRST_SOURCE
    ) -> TriggerState:
        """The initial trigger state to store with a new version, so that no run starts for existing items.

        `source` is the number of its source among those of the flow. Raises what the trigger raises if its
        service can't be polled.
        """
        plan = self._plans.fresh(version)
        if plan.kind is TriggerKind.POLLING and self._can_poll(plan):
            return await self._poll_runner.baseline(plan, source)
        if plan.kind is TriggerKind.POLLING:
            return await self._baseline_for_window(plan, source)
        if plan.kind is TriggerKind.SCHEDULE:
            return self._schedule_runner.baseline(plan, settings or FlowSettings())
        return TriggerState(flow_id=plan.flow_id)

    def _can_poll(self, plan: Plan) -> bool:
        return self._has_desktop or not plan.start.uses_desktop

    async def _baseline_for_window(self, plan: Plan, source: int) -> TriggerState:
        """The initial state for a window that runs the flow later. Raises errors about the parameters."""
        with suppress(NotSupported):  # there is no desktop, of which the trigger learns after its parameters
            return await self._poll_runner.baseline(plan, source)
        # No window has noticed anything yet, unless there can be one beside this program: then the first poll
        # finds what is known, and starts nothing.
        return TriggerState(flow_id=plan.flow_id, cursor={} if self._is_shared else {"seen": []})

    def _entry(self, active: ActiveTrigger, known: TimedTrigger | None) -> TimedTrigger | None:
        """Create the entry of a trigger; None for flows without a poll or schedule that can fire here."""
        try:
            plan = self._plans.of(active.version)
        except AppError as error:
            _log.error("A published flow can't start: %s", error.text())
            return None
        if plan.kind not in _TIMED or not self._can_poll(plan):
            return None
        interval = active.interval_minutes * 60_000
        entry = TimedTrigger(
            plan, interval, active.settings, active.paused, active.state, source=active.source
        )
        if known is not None:
            entry.is_signalled = known.is_signalled
            entry.missed_reason = known.missed_reason
            entry.not_before = known.not_before
        if active.paused:
            entry.missed_reason, entry.is_signalled = MissedReason.FLOW_PAUSED, False
        return entry

    async def _reschedule(self, entry: TimedTrigger, clock_set_back_ms: int = 0) -> None:
        """Recalculate when a trigger is due, after the clock or its settings have changed.

        A trigger without a due time gets one. A schedule gets its next start; a poll is due at most one
        interval from now. Past times stay: they are due. `clock_set_back_ms` is by how many milliseconds the
        clock was set back.
        """
        due, now = entry.state.next_due_at, self._clock()
        latest = self._next_due(entry, now, entry.state.cursor)
        if due is not None and entry.is_rate_limited:
            latest = max(due - clock_set_back_ms, now)
        if due is None or due > latest or (entry.is_schedule and now < due != latest):
            wait: JsonObject = {WAIT_UNTIL_KEY: latest} if entry.is_rate_limited else {}
            state = TriggerState(
                flow_id=entry.plan.flow_id, next_due_at=latest, cursor={**entry.state.cursor, **wait}
            )
            await self._store.save_trigger(state, entry.state)
            entry.state = state

    def _next_due(self, entry: TimedTrigger, after: EpochMs, cursor: JsonObject) -> EpochMs:
        if entry.is_schedule:
            return self._schedule_runner.next_due(entry, after)
        return after + poll_delay_ms(entry.interval, cursor)

    # One trigger

    async def _fire(self, entry: TimedTrigger, due: EpochMs, *, early: bool) -> None:
        """Run one due trigger. It is always rescheduled, so it can't fire in a busy loop."""
        try:
            claim = await self._store.claim_trigger(entry.state, entry.plan.version.number, early=early)
            entry.state = claim.state
            if claim.is_claimed:
                await self._run_trigger(entry, claim.state.next_due_at or due if entry.is_schedule else due)
            else:
                entry.not_before = self._clock() + FIRED_ELSEWHERE_MS
        except Exception as error:  # noqa: BLE001  a broken trigger must not take the timer with it
            reason = error.text() if isinstance(error, AppError) else type(error).__name__
            _log.error("%s is retried later: %s", entry.plan.start.label, reason)
            entry.not_before = self._clock() + RETRY_AFTER_MS
        finally:
            entry.task = None
            self._wake_up()

    async def _run_trigger(self, entry: TimedTrigger, due: EpochMs) -> None:
        """Run the trigger and store its result or failure. Raises errors of the store."""
        try:
            if entry.is_schedule:
                fired = await self._schedule_runner.fire(entry, due)
            else:
                async with self._slots:
                    fired = await self._poll_runner.poll(entry)
            await self._store_result(entry, fired)
        except Exception as error:
            if isinstance(error, StorageFault) and not isinstance(error, PayloadTooLarge):
                raise
            await self._store_result(entry, self._failure(entry, error))

    def _failure(self, entry: TimedTrigger, error: Exception) -> TriggerResult:
        """The result of a failure. Only the first of consecutive failures creates an execution."""
        flow_id = entry.plan.flow_id
        now = self._clock()
        wait = requested_wait_seconds(error)
        wait = wait and min(wait, self._settings().max_retry_after)
        cursor = {key: value for key, value in entry.state.cursor.items() if key != WAIT_UNTIL_KEY}
        if wait is not None:
            until = max(self._next_due(entry, now, cursor), now + int(wait * 1000))
            return TriggerResult(
                TriggerState(flow_id=flow_id, next_due_at=until, cursor={**cursor, WAIT_UNTIL_KEY: until})
            )
        cursor["failing"] = times = consecutive_failures(cursor) + 1
        state = TriggerState(flow_id=flow_id, next_due_at=self._next_due(entry, now, cursor), cursor=cursor)
        if times > 1:
            return TriggerResult(state)
        failure = self._intake.failed_execution(entry.plan, error_details(error, entry.plan.start.label), now)
        return TriggerResult(state, [failure, *self._intake.failure_flow_executions(entry.plan, failure)])

    async def _store_result(self, entry: TimedTrigger, fired: TriggerResult) -> None:
        """Store the result, unless the flow was unpublished, paused, or published again meanwhile."""
        if self._entries.get(entry.plan.flow_id) is not entry:
            return
        try:
            await self._intake.accept(fired.executions, fired.state)
        except StorageFault as fault:
            if not _is_about_events(fault):
                raise
            fired = await self._store_each_event(entry, fired)
        entry.state = fired.state
        entry.missed_reason = MissedReason.NOT_RUNNING
        entry.not_before = 0

    async def _store_each_event(self, entry: TimedTrigger, fired: TriggerResult) -> TriggerResult:
        """Store events one by one. Those that are too large are recorded as failed; the others start.

        Returns what was stored. If the database rejects events for another reason, that is the poll's
        failure: the next poll finds them again. A schedule wouldn't, so its fault is raised.
        """
        rejected = None
        for event in fired.executions:
            try:
                await self._store_event(entry, event)
            except StorageFault as fault:
                if not _is_about_events(fault):
                    raise
                rejected = fault
        if rejected is not None and entry.is_schedule:
            raise rejected
        stored = fired if rejected is None else self._failure(entry, rejected)
        await self._intake.accept(() if rejected is None else stored.executions, stored.state)
        return stored

    async def _store_event(self, entry: TimedTrigger, event: NewExecution) -> None:
        try:
            await self._intake.accept([event])
        except PayloadTooLarge as error:
            details = error_details(error, entry.plan.start.label)
            started, internal_id = event.trigger.started_at, event.internal_id
            await self._intake.accept(
                self._intake.skipped_item_executions(entry.plan, details, started, internal_id)
            )

    async def _listen(self, plan: Plan, on_signal: Callable[[], None]) -> None:
        await self._caller.watch(trigger_call(plan), on_signal)

    def _on_signal(self, flow_id: FlowId) -> None:
        if entry := self._entries.get(flow_id):
            entry.is_signalled = True
            self._wake_up()


def _is_about_events(fault: StorageFault) -> bool:
    """Whether single events may be the cause, so that the others can be stored without them."""
    return isinstance(fault, PayloadTooLarge) or fault.may_be_the_data


def _earliest(entries: Iterable[TimedTrigger]) -> tuple[EpochMs, FlowId] | None:
    due = ((at, entry.plan.flow_id) for entry in entries if (at := entry.next_at) is not None)
    return min(due, default=None)
