"""Published triggers that the clock starts: polls and schedules."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import tzinfo

from patchbay.domain.apps import TriggerKind
from patchbay.domain.base import EpochMs, FlowId, Json, JsonObject
from patchbay.domain.errors import AppError
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import ActiveTrigger, EngineStore, NewExecution, TriggerItem, TriggerState
from patchbay.engine.calls import Caller
from patchbay.engine.contexts import Call
from patchbay.engine.failures import describe, seconds_to_wait
from patchbay.engine.intake import Intake
from patchbay.engine.parameters import resolve_parameters
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.scheduler.cron import count_between, next_time
from patchbay.engine.watches import Watches

_log = logging.getLogger(__name__)

KNOWN_IDS = 2000
"""How many ids of past items a polling trigger remembers in its state."""
MOST_AT_ONCE = 10
"""Polls that may be on their way together."""
LATE = 60_000
"""Milliseconds after which a scheduled start counts as missed."""


@dataclass(slots=True)
class _Entry:
    """A published trigger and where it stands."""

    plan: Plan
    interval: int
    """Milliseconds between two polls."""
    state: TriggerState
    task: asyncio.Task[None] | None = None
    rung: bool = False
    """Its watch says that there may be something new."""

    def due(self, now: EpochMs) -> EpochMs | None:
        """Since when; None while it is not due or is on its way. A service that said wait is left alone."""
        if self.task is not None:
            return None
        if self.rung and self.state.cursor.get("held") is None:
            return now
        at = self.state.next_due_at
        return at if at is not None and at <= now else None

    @property
    def seen(self) -> list[str] | None:
        """Known item ids, newest first; None before the first look."""
        seen = self.state.cursor.get("seen")
        return [str(item) for item in seen] if isinstance(seen, list) else None


class Triggers:
    """Fires what is due. Keeps every timed trigger in memory; the store holds where each stands."""

    def __init__(
        self,
        store: EngineStore,
        plans: Plans,
        caller: Caller,
        intake: Intake,
        clock: Callable[[], EpochMs],
        tz: tzinfo,
        poke: Callable[[], None],
    ) -> None:
        self._store = store
        self._plans = plans
        self._caller = caller
        self._intake = intake
        self._clock = clock
        self._tz = tz
        self._poke = poke
        self._entries: dict[FlowId, _Entry] = {}
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._watches = Watches(self._listen, self._rung)

    # What is due

    async def reload(self) -> None:
        """Read the published triggers again; polls on their way keep their place."""
        fresh: dict[FlowId, _Entry] = {}
        for active in await self._store.active_triggers():
            flow_id, number = active.version.flow_id, active.version.number
            known = self._entries.get(flow_id)
            if known and known.task and known.plan.version.number == number:
                known.interval = active.interval_minutes * 60_000
                fresh[flow_id] = known
            elif entry := self._entry(active):
                entry.rung = known is not None and known.rung
                await self._set_first_time(entry)
                fresh[flow_id] = entry
        for flow_id, entry in self._entries.items():
            if entry.task and fresh.get(flow_id) is not entry:
                entry.task.cancel()
        self._entries = fresh
        self._watches.keep(entry.plan for entry in fresh.values())

    def next_due(self) -> tuple[EpochMs, str] | None:
        """When the next trigger is due and the name of its flow."""
        due = [
            (entry.state.next_due_at, entry.plan.version.name)
            for entry in self._entries.values()
            if entry.state.next_due_at is not None and entry.task is None
        ]
        return min(due, default=None)

    def fire(self, now: EpochMs) -> None:
        """Start whatever is due; returns at once."""
        for entry in self._entries.values():
            due = entry.due(now)
            if due is not None:
                entry.rung = False
                entry.task = asyncio.create_task(self._fire(entry, due))

    async def stop(self) -> None:
        """Break off watches and the polls on their way; nothing of them was stored, so they come again."""
        await self._watches.stop()
        tasks = [entry.task for entry in self._entries.values() if entry.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._entries = {}

    def _entry(self, active: ActiveTrigger) -> _Entry | None:
        """None for flows that the clock does not start."""
        try:
            plan = self._plans.of(active.version)
        except AppError as error:
            _log.error("A published flow cannot start: %s", error.text())
            return None
        if plan.kind not in (TriggerKind.POLLING, TriggerKind.SCHEDULE):
            return None
        return _Entry(plan, active.interval_minutes * 60_000, active.state)

    async def _set_first_time(self, entry: _Entry) -> None:
        """Give a newly published trigger its first time; a poll far off comes nearer with its interval."""
        due, cursor = entry.state.next_due_at, entry.state.cursor
        first = self._next_due(entry, self._clock())
        polls = entry.plan.kind is TriggerKind.POLLING and cursor.get("held") is None
        if due is None or (polls and due > first):
            await self._save(entry, cursor, first)

    def _next_due(self, entry: _Entry, after: EpochMs) -> EpochMs:
        """A schedule that cannot be read is looked at again after its interval, as a poll is."""
        cron = entry.plan.start.trigger.cron if entry.plan.start.trigger else None
        if entry.plan.kind is TriggerKind.SCHEDULE and cron is not None:
            try:
                return next_time(cron(entry.plan.start.step.parameters), after, self._tz)
            except Exception as error:  # noqa: BLE001  app code may raise anything
                _log.error("%s has no next time: %s", entry.plan.start.label, type(error).__name__)
        return after + entry.interval

    async def baseline(self, version: FlowVersion) -> TriggerState:
        """What publishing records: every item that is there already is known, and nothing runs for it.

        Raises what the trigger raises when the service cannot be asked.
        """
        plan = self._plans.fresh(version)
        if plan.kind is TriggerKind.POLLING:
            items = await self._caller.items(self._call(plan))
            return TriggerState(flow_id=plan.flow_id, cursor={"seen": _ids(items)})
        trigger = plan.start.trigger
        if trigger is not None and trigger.cron is not None:
            due = next_time(trigger.cron(plan.start.step.parameters), self._clock(), self._tz)
            return TriggerState(flow_id=plan.flow_id, next_due_at=due)
        return TriggerState(flow_id=plan.flow_id)

    # One trigger

    async def _fire(self, entry: _Entry, due: EpochMs) -> None:
        """Run one due trigger. Whatever happens it gets a next time, so that it never spins."""
        try:
            async with self._slots:
                if entry.plan.kind is TriggerKind.SCHEDULE:
                    await self._scheduled(entry, due)
                else:
                    await self._poll(entry)
        except Exception as error:  # noqa: BLE001  a broken trigger must not take the timer with it
            await self._failed(entry, error)
        finally:
            entry.task = None
            self._poke()

    async def _listen(self, plan: Plan, ring: Callable[[], None]) -> None:
        await self._caller.listen(self._call(plan), ring)

    def _rung(self, flow_id: FlowId) -> None:
        if entry := self._entries.get(flow_id):
            entry.rung = True
            self._poke()

    async def _poll(self, entry: _Entry) -> None:
        flow_id, started = entry.plan.flow_id, self._clock()
        last = await self._store.last_internal_id(flow_id)
        items = await self._caller.items(self._call(entry.plan, frozenset(entry.seen or ()), last))
        if not self._is_current(entry):
            return
        self._watches.accepted(flow_id)
        ids = _ids(items)
        if entry.seen is None:
            await self._save(entry, {"seen": ids}, self._clock() + entry.interval)
            return
        known, found = await self._store.known_ids(flow_id, [str(item) for item in ids]), set(ids)
        new = [item for item in items if item.starts and item.internal_id not in known]
        seen: list[Json] = ids + [item for item in entry.seen if item not in found]
        events = [self._intake.event(entry.plan, item, started) for item in reversed(new)]
        await self._accept(entry, events, {"seen": seen[:KNOWN_IDS]}, self._clock() + entry.interval)

    async def _scheduled(self, entry: _Entry, due: EpochMs) -> None:
        """One execution for everything that was due until now; its note says how much was missed."""
        now, trigger = self._clock(), entry.plan.start.trigger
        if trigger is None or trigger.cron is None:
            return
        cron = trigger.cron(entry.plan.start.step.parameters)
        count, at = count_between(cron, due, now, self._tz)
        raw = (await self._caller.items(self._call(entry.plan, at=at)))[0].raw
        event = self._intake.event(entry.plan, TriggerItem(raw=raw, internal_id=f"at-{at}"), now)
        if count > 1 or now - at > LATE:
            event = event.model_copy(update={"note": _caught_up(count)})
        await self._accept(entry, [event], {}, next_time(cron, now, self._tz))

    async def _failed(self, entry: _Entry, error: Exception) -> None:
        """The first failure of a streak is told as an execution; the following only move the next time."""
        now, cursor = self._clock(), entry.state.cursor
        wait = seconds_to_wait(error)
        due = max(self._next_due(entry, now), now + int((wait or 0) * 1000))
        if not self._is_current(entry):
            return
        try:
            if wait is not None:
                await self._save(entry, {**cursor, "held": due}, due)
            elif cursor.get("failing"):
                await self._save(entry, cursor, due)
            else:
                event = self._intake.failure(entry.plan, describe(error, entry.plan.start.label), now)
                await self._accept(entry, [event], {**cursor, "failing": True}, due)
        except AppError as fault:
            _log.error("A trigger's failure cannot be stored: %s", fault.text())
            entry.state = entry.state.model_copy(update={"next_due_at": due})

    def _is_current(self, entry: _Entry) -> bool:
        """False when the flow was unpublished or published anew while the trigger was being asked."""
        return self._entries.get(entry.plan.flow_id) is entry

    def _call(
        self,
        plan: Plan,
        known: frozenset[str] = frozenset(),
        last: str | None = None,
        at: EpochMs | None = None,
    ) -> Call:
        arguments = plan.start.trigger.arguments if plan.start.trigger else ()
        parameters = resolve_parameters(arguments, plan.start.step.parameters, {})
        return Call(
            planned=plan.start, flow_id=plan.flow_id, parameters=parameters,
            known_ids=known, last_internal_id=last, at=at,
        )  # fmt: skip

    async def _accept(
        self, entry: _Entry, events: list[NewExecution], cursor: JsonObject, due: EpochMs
    ) -> None:
        state = TriggerState(flow_id=entry.plan.flow_id, next_due_at=due, cursor=cursor)
        await self._intake.accept(events, state)
        entry.state = state

    async def _save(self, entry: _Entry, cursor: JsonObject, due: EpochMs) -> None:
        state = TriggerState(flow_id=entry.plan.flow_id, next_due_at=due, cursor=cursor)
        await self._store.save_trigger(state)
        entry.state = state


def _ids(items: Iterable[TriggerItem]) -> list[Json]:
    return [item.internal_id for item in items if item.internal_id is not None]


def _caught_up(count: int) -> str:
    if count == 1:
        return "Started late: Patchbay was not running at the time."
    return f"Caught up once: {count} starts were missed while Patchbay was not running."
