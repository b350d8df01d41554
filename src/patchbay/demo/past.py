"""The demo's history: all executions of 90 days, newest first, the same for each seed and moment."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from patchbay.demo.blueprint import Blueprint, Failure, FlowPlan, Latest, blueprint, failures
from patchbay.demo.cast import NUMBER, TIME, Cast, Story, cast_of
from patchbay.demo.ids import timed_id
from patchbay.demo.moments import iso
from patchbay.demo.rhythm import DAY, outage_at, scheduled, spread
from patchbay.demo.workspace import MINUTE, Ids
from patchbay.domain.base import EpochMs, ExecutionId, StepId
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.storage.codec import to_text
from patchbay.storage.history import PastExecution, PastStep

_Found = tuple[EpochMs, int, Latest | None, bool]
"""When, which flow, exactly told how, a test?"""

Rows = tuple[list[PastExecution], list[PastStep]]

_CHUNK = 2500
_PARTIAL_TESTS = 0.6
"""Share of tests that stop before the last step."""
_CANCELLED = 0.002
_DELAY = {"minutes": MINUTE, "hours": 60 * MINUTE, "days": DAY}
_FIRST_NUMBER = 8_100_000_000
_NUMBER = str(NUMBER)
_QUIET = 90_000
"""Before this many milliseconds ago only the exactly told executions happened."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """One execution to be told: when, of which flow, and whether exactly told or a test."""

    at: EpochMs
    number: int
    flow: int
    told: Latest | None = None
    test: bool = False


@dataclass(slots=True)
class _End:
    """How an execution goes: the position it reaches, and what happens there."""

    reached: int
    state: ExecutionState = ExecutionState.SUCCESS
    note: str | None = None
    failure: Failure | None = None
    stopped: int | None = None
    wake_at: EpochMs | None = None
    waits_for: WaitsFor | None = None
    last_done: bool = True


class Past:
    """Tells the history of one build."""

    def __init__(self, now: EpochMs, seed: int) -> None:
        self._now, self._ids = now, Ids(seed)
        self._plan: Blueprint = blueprint()
        self._rng = random.Random(f"{seed} past")  # nosec B311  # sample data
        self._flow_ids = [self._ids.flow(flow) for flow in self._plan.flows]
        self._step_ids: list[list[StepId]] = [self._ids.steps(flow) for flow in self._plan.flows]
        self._casts: list[Cast] = [
            cast_of(flow, steps, seed) for flow, steps in zip(self._plan.flows, self._step_ids, strict=True)
        ]

    def chunks(self) -> Iterator[Rows]:
        """All rows, newest first, in portions of a few thousand executions."""
        moments = self._moments()
        for start in range(0, len(moments), _CHUNK):
            rows: Rows = ([], [])
            for moment in moments[start : start + _CHUNK]:
                self._tell(moment, rows)
            yield rows

    # When

    def _moments(self) -> list[_Moment]:
        """Every execution to tell, newest first; exactly as many as the plan says."""
        found = [*self._told(), *self._tests(), *self._scheduled()]
        found += self._spread(self._plan.executions - len(found))
        found.sort(key=lambda item: item[:2])
        first = _FIRST_NUMBER + self._now // DAY
        moments = [_Moment(at, first + n, flow, told, test) for n, (at, flow, told, test) in enumerate(found)]
        return moments[::-1]

    def _told(self) -> Iterator[_Found]:
        places = {flow.name: place for place, flow in enumerate(self._plan.flows)}
        for latest in self._plan.latest:
            yield self._now - int(latest.minutes_ago * MINUTE), places[latest.flow], latest, False

    def _tests(self) -> Iterator[_Found]:
        """Tests of published flows lie long ago, those of drafts go on until an hour ago."""
        for place, flow in enumerate(self._plan.flows):
            recent, oldest = (60 * MINUTE, 20 * DAY) if flow.draft else (3 * DAY, self._plan.days * DAY)
            for _ in range(flow.tests if flow.steps[0].app else 0):
                yield self._now - self._rng.randint(recent, oldest), place, None, True

    def _scheduled(self) -> Iterator[_Found]:
        end = self._now - _QUIET
        for place, flow in enumerate(self._plan.flows):
            if flow.schedule and not flow.draft:
                for at in scheduled(flow.schedule, self._now - self._plan.days * DAY, end):
                    yield at, place, None, False

    def _spread(self, count: int) -> Iterator[_Found]:
        """Share `count` executions out among the flows that start by themselves, by weight."""
        flows = [(place, flow) for place, flow in enumerate(self._plan.flows) if flow.weight]
        total, left = sum(flow.weight for _, flow in flows), count
        for place, flow in flows:
            share = left if (place, flow) == flows[-1] else count * flow.weight // total
            left -= share
            for at in spread(self._rng, flow, self._plan, self._now - _QUIET, share):
                yield at, place, None, False

    # How it goes

    def _end(self, moment: _Moment, plan: FlowPlan) -> _End:
        if moment.told:
            return self._told_end(moment.told, plan)
        struck = None if moment.test else outage_at(self._plan.outages, plan, moment.at, self._now)
        for place, step in enumerate(plan.steps, 1):
            if struck and struck[0] == place:
                return _failed(place, failures()[struck[1]])
            if step.stops and self._rng.random() < step.stops.rate:
                return _End(place, ExecutionState.FILTERED, step.stops.note, stopped=place)
            for weakness in plan.fails:
                if weakness.step == place and self._rng.random() < weakness.rate:
                    return _failed(place, failures()[weakness.failure])
        last = len(plan.steps)
        if moment.test and self._rng.random() < _PARTIAL_TESTS:
            last = self._rng.randint(1, last)
        elif self._rng.random() < _CANCELLED:
            return _End(max(1, last - 1), ExecutionState.CANCELLED, "Cancelled by you.")
        return _End(last)

    def _told_end(self, told: Latest, plan: FlowPlan) -> _End:
        reached = told.step or len(plan.steps)
        if told.failure:
            return _failed(reached, failures()[told.failure])
        if told.state is ExecutionState.FILTERED:
            stop = plan.steps[reached - 1].stops
            return _End(reached, told.state, stop.note if stop else None, stopped=reached)
        wake_at = None if told.wakes_in is None else self._now + told.wakes_in * MINUTE
        note = told.note.replace("{time}", _local(wake_at)) if told.note and wake_at else told.note
        is_delay = plan.steps[reached - 1].app == "delay"
        under_way = told.state in (ExecutionState.RUNNING, ExecutionState.WAITING)
        waits_for = None if wake_at is None else WaitsFor.DELAY if is_delay else WaitsFor.RETRY
        done = is_delay or not under_way
        return _End(reached, told.state, note, wake_at=wake_at, waits_for=waits_for, last_done=done)

    # The rows

    def _tell(self, moment: _Moment, rows: Rows) -> None:
        plan, cast = self._plan.flows[moment.flow], self._casts[moment.flow]
        end = self._end(moment, plan)
        stories = cast.stopped[end.stopped] if end.stopped else cast.stories
        if end.failure and plan.steps[end.reached - 1].inside:
            stories = tuple(story for story in stories if story.reaches(end.reached)) or stories
        story = self._chance(moment).choice(stories)
        execution_id = self._id_of(moment)
        before = len(rows[1])
        finished = self._tell_steps(execution_id, moment, plan, story, end, rows[1])
        rows[0].append(self._execution(execution_id, moment, plan, end, finished, len(rows[1]) - before))

    def _chance(self, moment: _Moment) -> random.Random:
        """What a retry and the execution it retried draw alike."""
        if moment.told is None:
            return self._rng
        return random.Random(  # nosec B311  # sample data
            f"{self._ids.seed} {moment.flow} {moment.told.retries or moment.told.minutes_ago}"
        )

    def _id_of(self, moment: _Moment) -> ExecutionId:
        """The id; of an exactly told one it is known before its turn."""
        rng = (
            self._rng if moment.told is None else random.Random(f"{self._ids.seed} {moment.flow} {moment.at}")  # nosec B311  # sample data
        )
        return timed_id(moment.at, rng.getrandbits(74))

    def _origin_of(self, moment: _Moment) -> ExecutionId | None:
        if moment.told is None or moment.told.retries is None:
            return None
        at = self._now - int(moment.told.retries * MINUTE)
        return self._id_of(_Moment(at, 0, moment.flow, moment.told))

    def _tell_steps(
        self,
        execution_id: str,
        moment: _Moment,
        plan: FlowPlan,
        story: Story,
        end: _End,
        rows: list[PastStep],
    ) -> EpochMs:
        """Append the rows of the steps; the time at which the last one ended. A delay may end in waiting."""
        number, time, at = str(moment.number), iso(moment.at), moment.at
        step_ids, first = self._step_ids[moment.flow], len(rows)
        for row in story.rows:
            place = row.place
            if place == end.reached and not end.last_done:
                break
            step, failed = plan.steps[place - 1], end.failure if place == end.reached else None
            took = self._rng.randint(*(failed.takes if failed else step.takes))
            began = at - took if place == 1 else at
            at = at if place == 1 else at + took
            state = _STATES[end.state] if place == end.reached else StepState.SUCCESS
            done = state is StepState.SUCCESS
            rows.append(
                PastStep(
                    execution_id, len(rows) - first, 1, step_ids[place - 1], state,
                    _dated(row.given, number, time), _dated(row.output, number, time) if done else None,
                    to_text(failed.details()) if failed else None, began, at, row.path,
                )
            )  # fmt: skip
            if place == end.reached:
                break
            if step.app == "delay" and end.wake_at is None and place < end.reached:
                at += (
                    int(str(step.parameters["delayForValue"])) * _DELAY[str(step.parameters["delayForUnit"])]
                )
                if at > self._now:
                    end.reached, end.state, end.wake_at = place, ExecutionState.WAITING, at
                    end.note, end.failure = f"Waits until {_local(at)}.", None
                    end.waits_for = WaitsFor.DELAY
                    return at
        return at

    def _execution(
        self, execution_id: str, moment: _Moment, plan: FlowPlan, end: _End, finished: EpochMs, done: int
    ) -> PastExecution:
        over, origin = end.state.finished, self._origin_of(moment)
        version = plan.version - 1 if moment.at < self._now - 30 * DAY and plan.version > 1 else plan.version
        return PastExecution(
            id=execution_id, flow_id=self._flow_ids[moment.flow],
            flow_version=None if moment.test or plan.draft else version, status=end.state,
            internal_id=None if moment.test or plan.draft or origin else _internal_id(moment, plan),
            cursor=done, steps_done=done, steps_total=len(plan.steps), wake_at=end.wake_at,
            test_run=moment.test or plan.draft, note=end.note, created_at=moment.at,
            updated_at=finished if over else moment.at, started_at=moment.at,
            finished_at=finished if over else None, waits_for=end.waits_for, origin_id=origin,
            origin_kind=Origin.RETRY if origin else None,
        )  # fmt: skip


_STATES = {
    ExecutionState.FAILURE: StepState.FAILURE,
    ExecutionState.FILTERED: StepState.FILTERED,
    ExecutionState.SUCCESS: StepState.SUCCESS,
    ExecutionState.CANCELLED: StepState.SUCCESS,
    ExecutionState.WAITING: StepState.SUCCESS,
    ExecutionState.RUNNING: StepState.SUCCESS,
}


def _failed(place: int, failure: Failure) -> _End:
    return _End(place, ExecutionState.FAILURE, failure.happened, failure)


def _dated(text: str | None, number: str, time: str) -> str | None:
    """The payload with this run's own number and time."""
    return None if text is None else text.replace(_NUMBER, number).replace(TIME, time)


def _internal_id(moment: _Moment, plan: FlowPlan) -> str:
    return f"at-{moment.at}" if plan.schedule else str(moment.number)


def _local(at: EpochMs) -> str:
    return datetime.fromtimestamp(at / 1000).strftime("%Y-%m-%d %H:%M")
