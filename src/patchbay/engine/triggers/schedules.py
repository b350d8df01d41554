"""Schedule triggers: starts at the times of a cron line, and the handling of missed starts."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from patchbay.domain.base import EpochMs, JsonObject
from patchbay.domain.clock import find_time_zone
from patchbay.domain.engine_store import NewExecution, TriggerState
from patchbay.domain.errors import AppError, NotSupported, ValidationFailed
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowSettings, MissedStartPolicy
from patchbay.domain.ports import TriggerItem
from patchbay.domain.schedules import SchedulePreview
from patchbay.engine.app_calls import AppCaller
from patchbay.engine.cron import MAX_COUNTED, count_between, newest_between, next_time, next_times
from patchbay.engine.cron_sentences import describe_schedule
from patchbay.engine.intake import Intake
from patchbay.engine.plan import Plan
from patchbay.engine.triggers.timed_trigger import TimedTrigger, TriggerResult, trigger_call
from patchbay.integration.app_definition import Trigger

_log = logging.getLogger(__name__)

LATE_AFTER_MS = 60_000
"""A scheduled start that is later than this counts as missed."""
MAX_CATCH_UP_RUNS = 1_000
"""Maximum number of missed starts to catch up on; if there are more, the newest are run."""
PREVIEWED_STARTS = 5
_YIELD_EVERY = 25
"""Starts after which the event loop gets a turn."""


@dataclass(frozen=True, slots=True)
class _DueStarts:
    """The starts that are due: the number of missed ones, and the one that is on time."""

    missed: int
    last_missed: EpochMs | None
    on_time: EpochMs | None


class ScheduleRunner:
    """Creates the executions of schedules.

    A start counts as missed if it is more than a minute late, whatever the reason: Patchbay wasn't running,
    the computer was asleep, or the flow or the engine was paused. The flow's settings decide what happens:
    `skip` records the missed starts as one cancelled execution, `once` runs once for all of them, and `all`
    runs once for each. The internal ID is `at-<time>`, so that no time starts a flow twice, even if the clock
    is set back.
    """

    def __init__(self, caller: AppCaller, intake: Intake, clock: Callable[[], EpochMs], tz: tzinfo) -> None:
        self._caller = caller
        self._intake = intake
        self._clock = clock
        self._tz = tz

    def baseline(self, plan: Plan, settings: FlowSettings) -> TriggerState:
        """The initial state with the first start. Raises `ValidationFailed` if the schedule never starts."""
        due = next_start(plan, self._clock(), self._zone(settings))
        return TriggerState(flow_id=plan.flow_id, next_due_at=due)

    def next_due(self, entry: TimedTrigger, after: EpochMs) -> EpochMs:
        """The next start. A schedule that can't be read is tried again after the polling interval."""
        try:
            return next_time(_cron(entry.plan), after, self._zone(entry.settings))
        except Exception as error:  # noqa: BLE001  app code may raise anything
            _log.error("%s has no next start: %s", entry.plan.start.label, type(error).__name__)
        return after + entry.interval

    async def fire(self, entry: TimedTrigger, due: EpochMs) -> TriggerResult:
        """Create the executions for all starts from `due` until now.

        Only for `due` if the clock was set back.
        """
        now = max(self._clock(), due)
        cron, tz = _cron(entry.plan), self._zone(entry.settings)
        due_starts = _due_starts(cron, due, now, tz)
        executions: list[NewExecution] = []
        if due_starts.last_missed is not None:
            executions += await self._catch_up(entry, due, due_starts, due_starts.last_missed)
        if due_starts.on_time is not None and not (
            executions and entry.settings.missed is MissedStartPolicy.ONCE
        ):
            executions.append(await self._start(entry, due_starts.on_time))
        state = TriggerState(flow_id=entry.plan.flow_id, next_due_at=next_time(cron, now, tz))
        return TriggerResult(state, executions)

    async def _catch_up(
        self, entry: TimedTrigger, due: EpochMs, due_starts: _DueStarts, last: EpochMs
    ) -> list[NewExecution]:
        """Create the executions for missed starts."""
        if entry.settings.missed is MissedStartPolicy.SKIP:
            skipped = await self._start(
                entry, last, _missed_note("Skipped", due_starts.missed, entry.missed_reason)
            )
            return [replace(skipped, state=ExecutionState.CANCELLED)]
        if entry.settings.missed is MissedStartPolicy.ONCE:
            late = due_starts.missed == 1 and due_starts.on_time is None
            note = (
                _late_note(entry.missed_reason)
                if late
                else _missed_note("Caught up once", due_starts.missed, entry.missed_reason)
            )
            return [await self._start(entry, due_starts.on_time or last, note)]
        times = newest_between(_cron(entry.plan), due, last, self._zone(entry.settings), MAX_CATCH_UP_RUNS)
        return await self._start_each(entry, times, _left_out_note(due_starts.missed, len(times)))

    async def _start_each(
        self, entry: TimedTrigger, times: Sequence[EpochMs], last_note_suffix: str
    ) -> list[NewExecution]:
        notes = [_late_note(entry.missed_reason)] * (len(times) - 1) + [
            _late_note(entry.missed_reason) + last_note_suffix
        ]
        executions = []
        for number, (at, note) in enumerate(zip(times, notes, strict=True), start=1):
            executions.append(await self._start(entry, at, note))
            if number % _YIELD_EVERY == 0:
                await asyncio.sleep(0)
        return executions

    async def _start(self, entry: TimedTrigger, at: EpochMs, note: str | None = None) -> NewExecution:
        """Create the execution for one start, with the trigger's output for that time."""
        own, started = flow_time_zone(entry.settings), self._clock()
        call = trigger_call(entry.plan, at=at, time_zone=own.key if own else None)
        items = await self._caller.items(call)
        item = TriggerItem(raw=items[0].raw, internal_id=f"at-{at}")
        return self._intake.new_execution(entry.plan, item, started, note)

    def _zone(self, settings: FlowSettings) -> tzinfo:
        """The flow's time zone; the workspace's if it has none, or this computer doesn't know it."""
        return flow_time_zone(settings) or self._tz


def flow_time_zone(settings: FlowSettings) -> ZoneInfo | None:
    """The time zone in a flow's settings; None if there is none, or this computer doesn't know it."""
    return find_time_zone(settings.time_zone) if settings.time_zone else None


def next_start(plan: Plan, after: EpochMs, tz: tzinfo) -> EpochMs:
    """The next start of a flow. Raises `ValidationFailed` if its schedule is invalid or never starts."""
    cron = _cron(plan)
    try:
        return next_time(cron, after, tz)
    except ValueError as error:
        raise _invalid_schedule(error) from None


def preview_schedule(
    trigger: Trigger, parameters: JsonObject, after: EpochMs, tz: ZoneInfo
) -> SchedulePreview:
    """A sentence and the next starts for these parameters. Raises `ValidationFailed` as `next_start`."""
    if trigger.cron is None:
        raise NotSupported("This trigger has no schedule.", feature="schedule preview")
    try:
        cron = trigger.cron(parameters)
    except AppError:
        raise
    except Exception as error:  # noqa: BLE001  app code may raise anything
        _log.warning("A schedule can't be previewed: %s", type(error).__name__)
        raise _invalid_schedule(ValueError("The app can't read these fields.")) from None
    try:
        times = next_times(cron, after, tz, PREVIEWED_STARTS)
        sentence = describe_schedule(cron)
    except ValueError as error:
        raise _invalid_schedule(error) from None
    return SchedulePreview(
        sentence=f"{sentence} ({tz.key})",
        time_zone=tz.key,
        next_starts=tuple(
            datetime.fromtimestamp(at / 1000, tz).isoformat(timespec="minutes") for at in times
        ),
    )


def _invalid_schedule(error: ValueError) -> ValidationFailed:
    return ValidationFailed(
        {"cron": [str(error)]},
        happened=str(error),
        meaning="The flow would never start.",
        todo="Change the schedule.",
    )


def _cron(plan: Plan) -> str:
    trigger = plan.start.trigger
    if trigger is None or trigger.cron is None:
        raise ValueError(f"{plan.start.label} has no schedule.")
    return trigger.cron(plan.start.step.parameters)


def _due_starts(cron: str, due: EpochMs, now: EpochMs, tz: tzinfo) -> _DueStarts:
    count, last = count_between(cron, due, now, tz)
    if now - last > LATE_AFTER_MS:
        return _DueStarts(count, last, None)
    if count == 1:
        return _DueStarts(0, None, last)
    count, last_missed = count_between(cron, due, last - 1, tz)
    return _DueStarts(count, last_missed, last)


def _missed_note(done: str, count: int, missed_reason: str) -> str:
    starts = "1 start was" if count == 1 else f"{_format_count(count, count)} starts were"
    return f"{done}: {starts} missed while {missed_reason}."


def _late_note(missed_reason: str) -> str:
    return f"Started late: {missed_reason} at the time."


def _left_out_note(missed: int, made_up: int) -> str:
    left = missed - made_up
    if not left:
        return ""
    starts = "1 earlier start was" if left == 1 else f"{_format_count(left, missed)} earlier starts were"
    return f" {starts[0].upper()}{starts[1:]} skipped: at most {MAX_CATCH_UP_RUNS:,} missed starts are run."


def _format_count(shown: int, counted: int) -> str:
    return f"{shown:,}" if counted < MAX_COUNTED else f"at least {shown:,}"
