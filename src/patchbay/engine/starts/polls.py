"""Polled triggers: what is new, each item once over the whole history of the flow."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from patchbay.domain.base import EpochMs, FlowId, Json, JsonObject
from patchbay.domain.engine_store import EngineStore
from patchbay.domain.errors import TimedOut
from patchbay.domain.ports import MORE_ITEMS_MARKER, TriggerItem
from patchbay.domain.runs import NewExecution, TriggerState
from patchbay.domain.sources import stored_id
from patchbay.engine.calling.calls import AppCaller
from patchbay.engine.calling.contexts import Call
from patchbay.engine.intake import Intake
from patchbay.engine.plan import Plan
from patchbay.engine.starts.entries import TimedTrigger, TriggerResult, trigger_call

MAX_REMEMBERED_IDS = 200
"""Ids of the newest items that a trigger is told, so that it can stop at the first known one."""
MAX_EXTRA_DELAY_MS = 3_600_000
"""Milliseconds by which the pause after failing polls may grow beyond the interval."""
POLL_TIMEOUT_SECONDS = 600.0
"""Seconds one poll may take; those after it would wait for it."""
_FAILURES_BEFORE_BACKOFF = 2
"""Polls in a row that may fail before the pause grows."""


class PollRunner:
    """Asks polled triggers for items and keeps those that never came before.

    The cursor of such a trigger holds `seen` (the ids of the last items and marks, as its source gave them,
    newest first), and after
    trouble `failing` (polls in a row that failed) and `held` (until when the service asked to be left alone).
    While there are more new items than one poll takes, `unfinished` counts the polls that left some; `seen`
    stays what it was, so that the next poll reads on to there, past the items that have come already.
    `on_success` is told of each flow whose service answered.
    """

    def __init__(
        self,
        store: EngineStore,
        caller: AppCaller,
        intake: Intake,
        clock: Callable[[], EpochMs],
        on_success: Callable[[FlowId], None],
    ) -> None:
        self._store = store
        self._caller = caller
        self._intake = intake
        self._clock = clock
        self._on_success = on_success

    async def baseline(self, plan: Plan, source: int) -> TriggerState:
        """Every item that is there now is known for good, and nothing runs for it.

        Raises what the trigger raises when the service cannot be asked.
        """
        return _baseline(plan, await self._items(trigger_call(plan, source=source)), source)

    async def poll(self, entry: TimedTrigger) -> TriggerResult:
        """What is new, oldest first. A trigger that never looked only learns what is there."""
        plan, source, started = entry.plan, entry.source, self._clock()
        before = _seen(entry)
        last = await self._store.last_internal_id(plan.flow_id, source)
        unfinished = _unfinished(entry)
        call = trigger_call(
            plan, known=frozenset(before or ()), unfinished=unfinished, last=last, source=source
        )
        items = await self._items(call)
        self._on_success(plan.flow_id)
        due = self._clock() + entry.interval
        if before is None:
            return TriggerResult(_baseline(plan, items, source).model_copy(update={"next_due_at": due}))
        kept = [_with_stored_id(item, source) for item in items]
        known = await self._store.known_ids(plan.flow_id, _ids(kept))
        new = [item for item in kept if item.starts and item.internal_id not in known]
        cursor: JsonObject = {"seen": _next_seen(items, before)}
        # A service that gives the same page over and over is read no further when nothing in it is new.
        if items[-1:] == (MORE_ITEMS_MARKER,) and new:
            cursor = {"seen": [*before], "unfinished": unfinished + 1}
        state = TriggerState(flow_id=plan.flow_id, next_due_at=due, cursor=cursor)
        return TriggerResult(
            state, [event for item in reversed(new) for event in self._events(plan, item, started)]
        )

    def _events(self, plan: Plan, item: TriggerItem, started: EpochMs) -> tuple[NewExecution, ...]:
        """The run that an item starts, or what tells that it is skipped."""
        if item.problem is None:
            return (self._intake.event(plan, item, started),)
        return self._intake.skipped(plan, item.problem, started, item.internal_id)

    async def _items(self, call: Call) -> tuple[TriggerItem, ...]:
        """Raises what the trigger raises, and `TimedOut` for one that does not come to an end."""
        try:
            async with asyncio.timeout(POLL_TIMEOUT_SECONDS) as limit:
                return await self._caller.items(call)
        except TimeoutError:
            if not limit.expired():
                raise
            raise TimedOut(
                f"{call.planned.label} did not finish within {POLL_TIMEOUT_SECONDS / 60:.0f} minutes.",
                meaning="It was cut off, and nothing was taken from it.",
                todo="Look whether the service answers at all. It is asked again by itself.",
            ) from None


def consecutive_failures(cursor: JsonObject) -> int:
    """How many polls in a row failed."""
    failing = cursor.get("failing")
    return int(failing) if isinstance(failing, int) else 0


def poll_delay_ms(interval: int, cursor: JsonObject) -> int:
    """Milliseconds until the next poll: the interval, and more while polls go on failing."""
    doublings = min(max(0, consecutive_failures(cursor) - _FAILURES_BEFORE_BACKOFF), 10)
    return interval + min(MAX_EXTRA_DELAY_MS, interval * ((1 << doublings) - 1))


def _baseline(plan: Plan, items: Sequence[TriggerItem], source: int) -> TriggerState:
    seen = dict.fromkeys(_ids(_with_stored_id(item, source) for item in items))
    return TriggerState(flow_id=plan.flow_id, cursor={"seen": _next_seen(items, ())}, seen=tuple(seen))


def _with_stored_id(item: TriggerItem, source: int) -> TriggerItem:
    """The item with its id as it is stored."""
    if item.internal_id is None:
        return item
    return item.model_copy(update={"internal_id": stored_id(source, item.internal_id)})


def _seen(entry: TimedTrigger) -> list[str] | None:
    """Ids of the items of the last looks, newest first; None before the first look."""
    seen = entry.state.cursor.get("seen")
    return [str(item) for item in seen] if isinstance(seen, list) else None


def _unfinished(entry: TimedTrigger) -> int:
    """How many polls in a row left new items for the next one."""
    count = entry.state.cursor.get("unfinished")
    return count if isinstance(count, int) else 0


def _ids(items: Iterable[TriggerItem]) -> list[str]:
    return [item.internal_id for item in items if item.internal_id is not None]


def _next_seen(items: Sequence[TriggerItem], before: Iterable[str]) -> list[Json]:
    """What the next look is told: the marks of this one first, for those stand for everything below them."""
    marks, found = (_ids(item for item in items if item.starts is starts) for starts in (False, True))
    return [*islice(dict.fromkeys([*marks, *found, *before]), MAX_REMEMBERED_IDS)]
