"""The demo's history: simulated runs of each flow, spread over 90 days, the same for each seed and time."""

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

from patchbay.demo.blueprint import (
    Blueprint,
    Failure,
    FlowPlan,
    RecentExecution,
    StepPlan,
    blueprint,
    failures,
)
from patchbay.demo.samples import OCCASION_PARTS, Occasion, SampleRenderer, get_sample
from patchbay.demo.timing import outage_at, pick_run_times, schedule_times
from patchbay.demo.workspace import Ids, Seal, furnish, internal_id, uuid7_at
from patchbay.domain.base import EpochMs, ExecutionId, Json, JsonObject, StepId, UserId
from patchbay.domain.clock import DAY_MS, MINUTE_MS, format_local_time
from patchbay.domain.conditions import all_groups, quick_group_matches
from patchbay.domain.date_parsing import Moment
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.domain.flows import StructuralType
from patchbay.domain.variables import resolve
from patchbay.storage.bulk_load import PastExecution, PastStep, load_history
from patchbay.storage.codec import encode_payload
from patchbay.storage.database import Database

SEED = 2026
PLACEHOLDERS = Occasion(number=7_300_000_000_001, at=981_173_106_789)
"""Stands for the number and the time of a run in its sample data, and is replaced by them."""
_SAMPLE_COUNT = 36
_BATCH_SIZE = 2500
_PARTIAL_TESTS = 0.6
"""Share of tests that stop before the last step."""
_CANCELLED = 0.002
_DELAY = {"minutes": MINUTE_MS, "hours": 60 * MINUTE_MS, "days": DAY_MS}
_FIRST_NUMBER = 8_100_000_000
_QUIET_MS = 90_000
"""Only listed executions are more recent than this."""

Progress = Callable[[int], None]
Rows = tuple[list[PastExecution], list[PastStep]]

_PlannedTuple = tuple[EpochMs, int, RecentExecution | None, bool]
"""Time, index of the flow, the listed execution, and whether it is a test."""


_NO_MOMENT = Moment(0, UTC)
"""No condition of the demo depends on the time."""


@dataclass(frozen=True, slots=True)
class SampleStep:
    """Input and output of the step at a position, as JSON text; `path` as in `ExecutionStep`."""

    position: int
    path: str | None
    step_input: str | None
    output: str | None


@dataclass(frozen=True, slots=True)
class SampleRun:
    """The steps of one run in order, and the outputs at its end, by position."""

    rows: tuple[SampleStep, ...]
    outputs: Mapping[StepId, Json]

    def reaches(self, position: int) -> bool:
        """Whether the run has a step at this position."""
        return any(row.position == position for row in self.rows)


@dataclass(frozen=True, slots=True)
class SampleRuns:
    """Sample runs of a flow: complete ones, and those that each filter step ends."""

    runs: tuple[SampleRun, ...]
    stopped: dict[int, tuple[SampleRun, ...]]
    """By the position of the filter."""


def make_sample_runs(plan: FlowPlan, step_ids: Sequence[StepId], seed: int) -> SampleRuns:
    """Simulate a few dozen runs of a flow, which are reused with other numbers and times."""
    rng = random.Random(f"{seed} cast {plan.name}")  # noqa: S311  # sample data
    runs = tuple(_RunSimulator(plan, step_ids, rng).sample_run(None) for _ in range(_SAMPLE_COUNT))
    stopped = {
        position: tuple(
            _RunSimulator(plan, step_ids, rng).sample_run(step.stops.trigger)
            for _ in range(_SAMPLE_COUNT // 4)
        )
        for position, step in enumerate(plan.steps, 1)
        if step.stops
    }
    return SampleRuns(runs, stopped)


class _RunSimulator:
    """Simulates one run through the steps of a plan, as the engine would."""

    def __init__(self, plan: FlowPlan, step_ids: Sequence[StepId], rng: random.Random) -> None:
        self._plan, self._ids = plan, step_ids
        self._renderer = SampleRenderer(rng, PLACEHOLDERS)
        self._outputs: dict[StepId, Json] = {}

    def sample_run(self, changes: dict[str, Json] | None) -> SampleRun:
        """Simulate the run. `changes` replace values in the trigger's output, by dotted path."""
        return SampleRun(tuple(self._steps_inside(None, None, changes)), self._outputs)

    def _steps_inside(
        self, parent: int | None, path: str | None, changes: dict[str, Json] | None = None
    ) -> Iterator[SampleStep]:
        for position, step in enumerate(self._plan.steps, 1):
            if step.inside != parent:
                continue
            if step.kind is StructuralType.EACH:
                yield from self._loop(position, step, path)
            elif step.kind is StructuralType.PATHS:
                yield from self._paths(position, step, path)
            else:
                yield self._single(position, step, path, changes if position == 1 else None)

    def _single(
        self, position: int, step: StepPlan, path: str | None, changes: dict[str, Json] | None
    ) -> SampleStep:
        step_input: JsonObject = {
            key: resolve(value, self._outputs) for key, value in step.parameters.items()
        }
        sample = step.gives if step.gives is not None else get_sample(f"{step.app}.{step.key}")
        output = self._renderer.render(sample, step_input)
        for dotted_path, value in (changes or {}).items():
            _put(output, dotted_path.split("."), value)
        self._outputs[StepId(str(position))] = output
        return SampleStep(position, path, encode_payload(step_input), encode_payload(output))

    def _loop(self, position: int, step: StepPlan, path: str | None) -> Iterator[SampleStep]:
        found = resolve(step.parameters["list"], self._outputs)
        items = found if isinstance(found, list) else []
        yield SampleStep(
            position,
            path,
            encode_payload({"list": items}),
            encode_payload({"items": items, "count": len(items)}),
        )
        for at, item in enumerate(items):
            self._outputs[StepId(str(position))] = {
                "item": item,
                "index": at,
                "number": at + 1,
                "count": len(items),
            }
            yield from self._steps_inside(position, f"{path}.{at}" if path else str(at))

    def _paths(self, position: int, step: StepPlan, path: str | None) -> Iterator[SampleStep]:
        branches = [(at, held) for at, held in enumerate(self._plan.steps, 1) if held.inside == position]
        taken, branch = next((at, held) for at, held in branches if self._matches(held))
        output: JsonObject = {"taken": [self._ids[taken - 1]], "names": [branch.name]}
        yield SampleStep(position, path, encode_payload({**step.parameters}), encode_payload(output))
        yield from self._steps_inside(taken, path)

    def _matches(self, branch: StepPlan) -> bool:
        conditions = resolve([*(branch.conditions or ())], self._outputs)
        return bool(
            quick_group_matches(all_groups(conditions if isinstance(conditions, list) else []), _NO_MOMENT)
        )


def _put(data: Json, path: list[str], value: Json) -> None:
    """Replace the value at a path."""
    for part in path[:-1]:
        if isinstance(data, dict):
            data = data[part]
        elif isinstance(data, list):
            data = data[int(part)]
    if isinstance(data, dict):
        data[path[-1]] = value


@dataclass(frozen=True, slots=True)
class _PlannedRun:
    """An execution to generate: its time, its flow, and whether it is listed in the plan, or a test."""

    at: EpochMs
    number: int
    flow: int
    listed: RecentExecution | None = None
    test: bool = False


@dataclass(slots=True)
class _Outcome:
    """The outcome of an execution: the position it reaches, and what happens there."""

    reached: int
    state: ExecutionState = ExecutionState.SUCCESS
    note: str | None = None
    failure: Failure | None = None
    stopped: int | None = None
    wake_at: EpochMs | None = None
    waits_for: WaitsFor | None = None
    last_done: bool = True


class HistoryGenerator:
    """Generates the history for one seed and time."""

    def __init__(self, now: EpochMs, seed: int) -> None:
        self._now, self._ids = now, Ids(seed)
        self._plan: Blueprint = blueprint()
        self._rng = random.Random(f"{seed} past")  # noqa: S311  # sample data
        self._flow_ids = [self._ids.flow(flow) for flow in self._plan.flows]
        self._step_ids: list[list[StepId]] = [self._ids.steps(flow) for flow in self._plan.flows]
        self._sample_runs: list[SampleRuns] = [
            make_sample_runs(flow, steps, seed)
            for flow, steps in zip(self._plan.flows, self._step_ids, strict=True)
        ]
        self._internal_ids = [internal_id(flow, PLACEHOLDERS) for flow in self._plan.flows]
        self._placeholders = list(map(_used_placeholders, self._sample_runs, self._internal_ids))

    def batches(self) -> Iterator[Rows]:
        """Yield all rows, newest first, in batches of a few thousand executions."""
        planned_runs = self._planned_runs()
        for start in range(0, len(planned_runs), _BATCH_SIZE):
            rows: Rows = ([], [])
            for planned in planned_runs[start : start + _BATCH_SIZE]:
                self._add_execution(planned, rows)
            yield rows

    # Times

    def _planned_runs(self) -> list[_PlannedRun]:
        """All executions to generate, newest first; as many as the plan says."""
        places = {flow.name: position for position, flow in enumerate(self._plan.flows)}
        found: list[_PlannedTuple] = [
            (self._now - int(latest.minutes_ago * MINUTE_MS), places[latest.flow], latest, False)
            for latest in self._plan.latest
        ]
        found += [*self._test_runs(), *self._scheduled_runs()]
        found += self._unscheduled_runs(self._plan.executions - len(found))
        found.sort(key=lambda item: item[:2])
        first = _FIRST_NUMBER + self._now // DAY_MS
        planned_runs = [
            _PlannedRun(at, first + n, flow, listed, test) for n, (at, flow, listed, test) in enumerate(found)
        ]
        return planned_runs[::-1]

    def _test_runs(self) -> Iterator[_PlannedTuple]:
        """Tests: of published flows long ago, of drafts until an hour ago."""
        for position, flow in enumerate(self._plan.flows):
            recent, oldest = (
                (60 * MINUTE_MS, 20 * DAY_MS) if flow.draft else (3 * DAY_MS, self._plan.days * DAY_MS)
            )
            for _ in range(flow.tests if flow.steps[0].app else 0):
                yield self._now - self._rng.randint(recent, oldest), position, None, True

    def _scheduled_runs(self) -> Iterator[_PlannedTuple]:
        end = self._now - _QUIET_MS
        for position, flow in enumerate(self._plan.flows):
            if flow.schedule and not flow.draft:
                for at in schedule_times(flow.schedule, self._now - self._plan.days * DAY_MS, end):
                    yield at, position, None, False

    def _unscheduled_runs(self, count: int) -> Iterator[_PlannedTuple]:
        """Distribute `count` executions among flows without a schedule, by weight."""
        flows = [(position, flow) for position, flow in enumerate(self._plan.flows) if flow.weight]
        total, left = sum(flow.weight for _, flow in flows), count
        for position, flow in flows:
            share = left if (position, flow) == flows[-1] else count * flow.weight // total
            left -= share
            for at in pick_run_times(self._rng, flow, self._plan, self._now - _QUIET_MS, share):
                yield at, position, None, False

    # Outcomes

    def _choose_outcome(self, planned: _PlannedRun, plan: FlowPlan) -> _Outcome:
        if planned.listed:
            return self._listed_outcome(planned.listed, plan)
        outage = None if planned.test else outage_at(self._plan.outages, plan, planned.at, self._now)
        for position, step in enumerate(plan.steps, 1):
            if outage and outage[0] == position:
                return _failed(position, failures()[outage[1]])
            if step.stops and self._rng.random() < step.stops.rate:
                return _Outcome(position, ExecutionState.FILTERED, step.stops.note, stopped=position)
            for weakness in plan.fails:
                if weakness.step == position and self._rng.random() < weakness.rate:
                    return _failed(position, failures()[weakness.failure])
        last = len(plan.steps)
        if planned.test and self._rng.random() < _PARTIAL_TESTS:
            last = self._rng.randint(1, last)
        elif self._rng.random() < _CANCELLED:
            return _Outcome(max(1, last - 1), ExecutionState.CANCELLED, "Cancelled by you.")
        return _Outcome(last)

    def _listed_outcome(self, listed: RecentExecution, plan: FlowPlan) -> _Outcome:
        reached = listed.step or len(plan.steps)
        if listed.failure:
            return _failed(reached, failures()[listed.failure])
        if listed.state is ExecutionState.FILTERED:
            stop = plan.steps[reached - 1].stops
            return _Outcome(reached, listed.state, stop.note if stop else None, stopped=reached)
        wake_at = None if listed.wakes_in is None else self._now + listed.wakes_in * MINUTE_MS
        note = (
            listed.note.replace("{time}", format_local_time(wake_at))
            if listed.note and wake_at
            else listed.note
        )
        is_delay = plan.steps[reached - 1].app == "delay"
        under_way = listed.state in (ExecutionState.RUNNING, ExecutionState.WAITING)
        waits_for = None if wake_at is None else WaitsFor.DELAY if is_delay else WaitsFor.RETRY
        done = is_delay or not under_way
        return _Outcome(reached, listed.state, note, wake_at=wake_at, waits_for=waits_for, last_done=done)

    # Rows

    def _add_execution(self, planned: _PlannedRun, rows: Rows) -> None:
        plan, sample_runs = self._plan.flows[planned.flow], self._sample_runs[planned.flow]
        end = self._choose_outcome(planned, plan)
        runs = sample_runs.stopped[end.stopped] if end.stopped else sample_runs.runs
        if end.failure and plan.steps[end.reached - 1].inside:
            runs = tuple(sample_run for sample_run in runs if sample_run.reaches(end.reached)) or runs
        sample_run = self._random_for(planned).choice(runs)
        execution_id = self._execution_id(planned)
        before = len(rows[1])
        finished = self._add_steps(execution_id, planned, plan, sample_run, end, rows[1])
        rows[0].append(self._execution(execution_id, planned, plan, end, finished, len(rows[1]) - before))

    def _replacements(self, planned: _PlannedRun) -> list[tuple[str, str]]:
        """Each placeholder in the data of a flow, and what it is in this run."""
        actual = Occasion(planned.number, planned.at)
        found = self._placeholders[planned.flow]
        return [(placeholder, str(getattr(actual, part))) for placeholder, part in found]

    def _internal_id(self, planned: _PlannedRun) -> str | None:
        if self._plan.flows[planned.flow].schedule:
            return f"at-{planned.at}"
        return _fill_placeholders(self._internal_ids[planned.flow], self._replacements(planned))

    def _random_for(self, planned: _PlannedRun) -> random.Random:
        """A random generator that is the same for a retry and the execution it retried."""
        if planned.listed is None:
            return self._rng
        return random.Random(  # noqa: S311  # sample data
            f"{self._ids.seed} {planned.flow} {planned.listed.retries or planned.listed.minutes_ago}"
        )

    def _execution_id(self, planned: _PlannedRun) -> ExecutionId:
        """The ID. That of a listed execution doesn't depend on the order of generation."""
        rng = (
            self._rng
            if planned.listed is None
            else random.Random(f"{self._ids.seed} {planned.flow} {planned.at}")  # noqa: S311  # sample data
        )
        return ExecutionId(uuid7_at(planned.at, rng.getrandbits(74)))

    def _add_steps(
        self,
        execution_id: ExecutionId,
        planned: _PlannedRun,
        plan: FlowPlan,
        sample_run: SampleRun,
        end: _Outcome,
        rows: list[PastStep],
    ) -> EpochMs:
        """Append the rows of the steps. Returns when the last one ended.

        A delay may make the execution wait.
        """
        replacements = self._replacements(planned)
        at = planned.at
        step_ids, first = self._step_ids[planned.flow], len(rows)
        for row in sample_run.rows:
            position = row.position
            if position == end.reached and not end.last_done:
                break
            step, failed = plan.steps[position - 1], end.failure if position == end.reached else None
            took = self._rng.randint(*(failed.takes if failed else step.takes))
            began = at - took if position == 1 else at
            at = at if position == 1 else at + took
            state = _STATES[end.state] if position == end.reached else StepState.SUCCESS
            done = state is StepState.SUCCESS
            rows.append(
                PastStep(
                    execution_id,
                    len(rows) - first,
                    1,
                    step_ids[position - 1],
                    state,
                    _fill_placeholders(row.step_input, replacements),
                    _fill_placeholders(row.output, replacements) if done else None,
                    encode_payload(failed.details()) if failed else None,
                    began,
                    at,
                    row.path,
                )
            )
            if position == end.reached:
                break
            if step.app == "delay" and end.wake_at is None and position < end.reached:
                at += (
                    int(str(step.parameters["delayForValue"])) * _DELAY[str(step.parameters["delayForUnit"])]
                )
                if at > self._now:
                    end.reached = position
                    end.state = ExecutionState.WAITING
                    end.wake_at = at
                    end.note, end.failure = f"Waiting until {format_local_time(at)}.", None
                    end.waits_for = WaitsFor.DELAY
                    return at
        return at

    def _execution(
        self,
        execution_id: ExecutionId,
        planned: _PlannedRun,
        plan: FlowPlan,
        end: _Outcome,
        finished: EpochMs,
        done: int,
    ) -> PastExecution:
        is_finished = end.state.finished
        origin = None
        if planned.listed is not None and planned.listed.retries is not None:
            origin_at = self._now - int(planned.listed.retries * MINUTE_MS)
            origin = self._execution_id(_PlannedRun(origin_at, 0, planned.flow, planned.listed))
        version = (
            plan.version - 1 if planned.at < self._now - 30 * DAY_MS and plan.version > 1 else plan.version
        )
        return PastExecution(
            id=execution_id,
            flow_id=self._flow_ids[planned.flow],
            flow_version=None if planned.test or plan.draft else version,
            status=end.state,
            internal_id=None if planned.test or plan.draft or origin else self._internal_id(planned),
            cursor=done,
            steps_done=done,
            steps_total=len(plan.steps),
            wake_at=end.wake_at,
            test_run=planned.test or plan.draft,
            note=end.note,
            created_at=planned.at,
            updated_at=finished if is_finished else planned.at,
            started_at=planned.at,
            finished_at=finished if is_finished else None,
            waits_for=end.waits_for,
            origin_id=origin,
            origin_kind=Origin.RETRY if origin else None,
        )


_STATES = {
    ExecutionState.FAILURE: StepState.FAILURE,
    ExecutionState.FILTERED: StepState.FILTERED,
    ExecutionState.SUCCESS: StepState.SUCCESS,
    ExecutionState.CANCELLED: StepState.SUCCESS,
    ExecutionState.WAITING: StepState.SUCCESS,
    ExecutionState.RUNNING: StepState.SUCCESS,
}


def _failed(position: int, failure: Failure) -> _Outcome:
    return _Outcome(position, ExecutionState.FAILURE, failure.happened, failure)


def _used_placeholders(runs: SampleRuns, internal_id: str) -> tuple[tuple[str, str], ...]:
    """The placeholders in the data of these runs, each with the part of an occasion that it stands for."""
    every = (*runs.runs, *(run for stopped in runs.stopped.values() for run in stopped))
    texts = [text for run in every for row in run.rows for text in (row.step_input, row.output) if text]
    placeholders = ((str(getattr(PLACEHOLDERS, part)), part) for part in OCCASION_PARTS)
    return tuple(one for one in placeholders if any(one[0] in text for text in (*texts, internal_id)))


def _fill_placeholders(text: str | None, replacements: list[tuple[str, str]]) -> str | None:
    """Insert the run's number and time into a payload."""
    if text is None:
        return None
    for placeholder, actual in replacements:
        text = text.replace(placeholder, actual)
    return text


async def build_workspace(
    db: Database, now: EpochMs, seal: Seal, *, seed: int = SEED, progress: Progress | None = None
) -> UserId:
    """Build the demo workspace in an empty database: flows and connections, then the history.

    Returns the owner.

    The same seed and time give the same rows, except for the encryption of credentials.
    """
    owner = await furnish(db, now, seal, seed)
    await store_history(db, now, seed=seed, progress=progress)
    return owner


async def store_history(
    db: Database, now: EpochMs, *, seed: int = SEED, progress: Progress | None = None
) -> int:
    """Store the history, newest first, so that the first page is complete at once.

    Returns the number of executions.

    `progress` is called with the number stored so far after each batch.
    """
    generator, stored = await asyncio.to_thread(HistoryGenerator, now, seed), 0
    batches = generator.batches()
    while rows := await asyncio.to_thread(next, batches, None):
        await load_history(db, *rows)
        stored += len(rows[0])
        if progress:
            progress(stored)
    return stored
