"""Polling triggers, which start a flow once per item, and watches, by which services announce new items."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from patchbay.domain.base import EpochMs, FlowId, Json, JsonObject
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.engine_store import EngineStore, NewExecution, TriggerState
from patchbay.domain.errors import AppError, Forbidden, NotSupported, TimedOut
from patchbay.domain.ports import MORE_ITEMS_MARKER, TriggerItem
from patchbay.domain.trigger_sources import stored_id
from patchbay.engine.app_calls import AppCaller, Call
from patchbay.engine.intake import Intake
from patchbay.engine.plan import Plan
from patchbay.engine.step_errors import rejects_credentials
from patchbay.engine.triggers.timed_trigger import TimedTrigger, TriggerResult, trigger_call

_log = logging.getLogger(__name__)

MAX_REMEMBERED_IDS = 200
"""IDs of the newest items that are passed to the trigger, so that it can stop at the first known one."""
MAX_EXTRA_DELAY_MS = HOUR_MS
"""Maximum delay after failed polls, in addition to the interval."""
POLL_TIMEOUT_SECONDS = 600.0
"""Timeout of a poll."""
_FAILURES_BEFORE_BACKOFF = 2
"""Consecutive failures after which the delay grows."""
MAX_WATCHES = 50
"""Concurrent watches, each with its own network connection. Other triggers are only polled, which finds no
events of the desktop: those are noticed while a watch runs."""
FIRST_DELAY_SECONDS = 5.0
"""Delay before a watch that ended is restarted; doubled with each failure."""
MAX_DELAY_SECONDS = 900.0
STABLE_AFTER_SECONDS = 60.0
"""A watch that ran for this long counts as working, so that the next failure starts with a short delay."""

Listen = Callable[[Plan, Callable[[], None]], Awaitable[None]]


class PollRunner:
    """Polls triggers and returns the items that are new.

    The cursor of such a trigger has `seen`, the original IDs of the latest items and marks, newest first.
    After failures it has `failing`, the number of consecutive failed polls, and `held`, until when the
    service asked to wait. While there are more new items than one poll can take, `unfinished` counts the
    polls that left some. `seen` is unchanged then, so that the next poll continues up to there, past the
    items that have come already. `on_success` is called with each flow whose service responded.
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
        """The initial state, in which all current items are known and start no run.

        Raises what the trigger raises if the service can't be polled.
        """
        return _baseline(plan, await self._items(trigger_call(plan, source=source, baseline=True)), source)

    async def poll(self, entry: TimedTrigger) -> TriggerResult:
        """Poll for new items, oldest first. The first poll of a trigger without a baseline starts no runs."""
        plan = entry.plan
        source = entry.source
        started = self._clock()
        seen = entry.state.cursor.get("seen")
        before = [str(item) for item in seen] if isinstance(seen, list) else None
        last = await self._store.last_internal_id(plan.flow_id, source)
        count = entry.state.cursor.get("unfinished")
        unfinished = count if isinstance(count, int) else 0
        call = trigger_call(
            plan,
            known=frozenset(before or ()),
            unfinished=unfinished,
            last=last,
            source=source,
            baseline=before is None,
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
        # Only if something is new: a service that keeps returning the same page would never be finished.
        if items[-1:] == (MORE_ITEMS_MARKER,) and new:
            cursor = {"seen": [*before], "unfinished": unfinished + 1}
        state = TriggerState(flow_id=plan.flow_id, next_due_at=due, cursor=cursor)
        executions: list[NewExecution] = []
        for item in reversed(new):
            if item.problem is None:
                executions.append(self._intake.new_execution(plan, item, started))
            else:
                executions += self._intake.skipped_item_executions(
                    plan, item.problem, started, item.internal_id
                )
        return TriggerResult(state, executions)

    async def _items(self, call: Call) -> tuple[TriggerItem, ...]:
        """Run the trigger. Raises what it raises, and `TimedOut`."""
        try:
            async with asyncio.timeout(POLL_TIMEOUT_SECONDS) as limit:
                return await self._caller.items(call)
        except TimeoutError:
            if not limit.expired():
                raise
            raise TimedOut(
                f"{call.planned.label} timed out after {POLL_TIMEOUT_SECONDS / 60:.0f} minutes.",
                meaning="No items were read.",
                todo="Check whether the service is available. The next poll runs automatically.",
            ) from None


def consecutive_failures(cursor: JsonObject) -> int:
    """The number of consecutive failed polls."""
    failing = cursor.get("failing")
    return int(failing) if isinstance(failing, int) else 0


def poll_delay_ms(interval: int, cursor: JsonObject) -> int:
    """Milliseconds until the next poll: the interval, and more while polls keep failing."""
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


def _ids(items: Iterable[TriggerItem]) -> list[str]:
    return [item.internal_id for item in items if item.internal_id is not None]


def _next_seen(items: Sequence[TriggerItem], before: Iterable[str]) -> list[Json]:
    """The IDs for the next poll: the marks of this one first, since each represents all older items."""
    marks, found = (_ids(item for item in items if item.starts is starts) for starts in (False, True))
    return [*islice(dict.fromkeys([*marks, *found, *before]), MAX_REMEMBERED_IDS)]


@dataclass(slots=True)
class _Watch:
    plan: Plan
    task: asyncio.Task[None] | None = None
    poll_succeeded: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a poll succeeds, so the credentials are valid (again)."""
    problem: AppError | None = None
    """Why it doesn't listen, if polls find nothing then: of triggers that use the desktop."""


class TriggerWatches:
    """One task for each published trigger that can listen. A watch that fails leaves the polls as they are.

    `listen(plan, ring)` runs the trigger's `watch` and calls `on_signal` each time; `ring(flow_id)` asks for
    a poll. `on_problem_changed` is called when `problem` returns something else for a flow.
    """

    def __init__(
        self,
        listen: Listen,
        on_signal: Callable[[FlowId], None],
        on_problem_changed: Callable[[FlowId], None] = lambda flow_id: None,
    ) -> None:
        self._listen = listen
        self._on_signal = on_signal
        self._on_problem_changed = on_problem_changed
        self._watches: dict[FlowId, _Watch] = {}
        self._excess: set[FlowId] = set()
        """Flows that can't notice events of the desktop, as too many others wait for some."""

    def watch_only(self, plans: Iterable[Plan]) -> None:
        """Watch exactly these triggers. Watches of the same version continue undisturbed."""
        wanted = {plan.flow_id: plan for plan in plans if plan.start.trigger and plan.start.trigger.watch}
        for flow_id, watch in list(self._watches.items()):
            plan = wanted.get(flow_id)
            if plan is None or plan.version.number != watch.plan.version.number:
                self._end(flow_id)
        excess = set[FlowId]()
        for flow_id, plan in wanted.items():
            if flow_id in self._watches:
                continue
            if self._is_limit_reached(plan):
                excess.add(flow_id)
                continue
            watch = self._watches[flow_id] = _Watch(plan)
            watch.task = asyncio.create_task(self._run(watch), name=f"watch of {flow_id}")
        if excess:
            _log.warning("%d triggers don't listen: the limit is %d watches.", len(excess), MAX_WATCHES)
        self._set_excess({flow_id for flow_id in excess if wanted[flow_id].start.uses_desktop})

    def _is_limit_reached(self, plan: Plan) -> bool:
        """Whether no other watch can start. Those of the desktop, which polls can't replace, count apart."""
        of_desktop = plan.start.uses_desktop
        same = sum(watch.plan.start.uses_desktop is of_desktop for watch in self._watches.values())
        return same >= MAX_WATCHES

    def _set_excess(self, excess: set[FlowId]) -> None:
        """Set which flows can't notice events of the desktop because of the limit."""
        before, self._excess = self._excess, excess
        for flow_id in before ^ excess:
            self._on_problem_changed(flow_id)

    def poll_succeeded(self, flow_id: FlowId) -> None:
        """Let the watch of this flow reconnect, if its credentials had been rejected."""
        if watch := self._watches.get(flow_id):
            watch.poll_succeeded.set()

    def problem(self, flow_id: FlowId) -> AppError | None:
        """Why a flow that waits for an event of the desktop can't notice it; None if it can.

        Can be called on any thread.
        """
        if flow_id in self._excess:
            return _too_many_watches()
        watch = self._watches.get(flow_id)
        return watch.problem if watch is not None else None

    async def stop(self) -> None:
        """Stop all watches and wait until their network connections are closed."""
        tasks = [watch.task for watch in self._watches.values() if watch.task]
        for flow_id in list(self._watches):
            self._end(flow_id)
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end(self, flow_id: FlowId) -> None:
        task = self._watches.pop(flow_id).task
        if task is not None:
            task.cancel()

    async def _run(self, watch: _Watch) -> None:
        """Listen repeatedly, with growing delays until a watch is stable."""
        loop, pause = asyncio.get_running_loop(), FIRST_DELAY_SECONDS
        while True:
            began, error = loop.time(), await self._listen_once(watch)
            if error is not None:
                self._set_problem(watch, error)
            if isinstance(error, Forbidden if watch.plan.start.uses_desktop else NotSupported):
                return  # a desktop may support later what it doesn't now, but doesn't ask the person again
            if loop.time() - began >= STABLE_AFTER_SECONDS:
                pause = FIRST_DELAY_SECONDS
                if error is None:
                    continue
            if error is not None and rejects_credentials(error):
                # Not sooner: retrying rejected credentials could lock the account.
                watch.poll_succeeded.clear()
                await watch.poll_succeeded.wait()
            else:
                await asyncio.sleep(pause * random.uniform(0.8, 1.2))  # noqa: S311  # spreads retries
                pause = min(pause * 2, MAX_DELAY_SECONDS)

    async def _listen_once(self, watch: _Watch) -> Exception | None:
        """Listen until the watch ends. Returns the error that ended it, if any."""
        label = watch.plan.start.label

        def on_signal() -> None:
            self._set_problem(watch, None)
            self._on_signal(watch.plan.flow_id)

        try:
            await self._listen(watch.plan, on_signal)
        except NotSupported as error:
            # The polls of a trigger that uses the desktop only look up the events that it noticed.
            happens = "can't notice events" if watch.plan.start.uses_desktop else "is only polled"
            _log.info("%s %s: %s", label, happens, error.text())
            return error
        except AppError as error:
            _log.info("%s stopped listening: %s", label, error.text())
            return error
        except Exception as error:  # noqa: BLE001  app code may raise anything, and polling continues
            _log.error("%s stopped listening with %s", label, type(error).__name__)
            return error
        return None

    def _set_problem(self, watch: _Watch, error: Exception | None) -> None:
        if not watch.plan.start.uses_desktop:
            return  # polls find the items of a service
        before = watch.problem
        if error is None or isinstance(error, AppError):
            watch.problem = error
        else:
            watch.problem = AppError("Listening failed", todo="The log of Patchbay says why.")
        if (before and before.text()) != (watch.problem and watch.problem.text()):
            self._on_problem_changed(watch.plan.flow_id)


def _too_many_watches() -> NotSupported:
    return NotSupported(
        f"The limit of {MAX_WATCHES} for flows that wait for events of the desktop is reached.",
        todo="Unpublish another one of them.",
    )
