"""What the runs of one flow look like: a few dozen stories, told once and reused with other numbers."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from patchbay.demo.blueprint import FlowPlan, StepPlan
from patchbay.demo.samples import SampleRenderer, get_sample
from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.conditions import all_groups, matching_groups
from patchbay.domain.flows import StructuralType
from patchbay.domain.variables import resolve
from patchbay.storage.codec import encode_payload

NUMBER_PLACEHOLDER = 7_300_000_000_001
"""Stands for the running number until a story is used."""

TIME_PLACEHOLDER = "2001-02-03T04:05:06.789Z"
"""Stands for the moment of the run."""

_SAMPLE_COUNT = 36


@dataclass(frozen=True, slots=True)
class SampleStep:
    """What the step at a position took in and put out, as JSON text; `path` as in `ExecutionStep`."""

    position: int
    path: str | None
    step_input: str | None
    output: str | None


@dataclass(frozen=True, slots=True)
class SampleRun:
    """The steps of one run in the order they ran, and what references found at its end, by position."""

    rows: tuple[SampleStep, ...]
    outputs: Mapping[str, Json]

    def reaches(self, position: int) -> bool:
        return any(row.position == position for row in self.rows)


@dataclass(frozen=True, slots=True)
class SampleRuns:
    """The stories of a flow: complete ones, and for each filter step those it ends."""

    runs: tuple[SampleRun, ...]
    stopped: dict[int, tuple[SampleRun, ...]]
    """By the position of the filter."""


def make_sample_runs(plan: FlowPlan, step_ids: Sequence[StepId], seed: int) -> SampleRuns:
    rng = random.Random(f"{seed} cast {plan.name}")  # nosec B311  # sample data
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
    """Walks one run through the steps of a plan, as the engine would."""

    def __init__(self, plan: FlowPlan, step_ids: Sequence[StepId], rng: random.Random) -> None:
        self._plan, self._ids = plan, step_ids
        self._renderer = SampleRenderer(rng, NUMBER_PLACEHOLDER, TIME_PLACEHOLDER)
        self._outputs: dict[str, Json] = {}

    def sample_run(self, changes: dict[str, Json] | None) -> SampleRun:
        """`changes` are put into what the trigger gives, by dotted place."""
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
        output = self._renderer.render(_sample(step), step_input)
        for dotted_path, value in (changes or {}).items():
            _put(output, dotted_path.split("."), value)
        self._outputs[str(position)] = output
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
            self._outputs[str(position)] = {"item": item, "index": at, "number": at + 1, "count": len(items)}
            yield from self._steps_inside(position, f"{path}.{at}" if path else str(at))

    def _paths(self, position: int, step: StepPlan, path: str | None) -> Iterator[SampleStep]:
        branches = [(at, held) for at, held in enumerate(self._plan.steps, 1) if held.inside == position]
        taken, branch = next((at, held) for at, held in branches if self._matches(held))
        output: JsonObject = {"taken": [self._ids[taken - 1]], "names": [branch.name]}
        yield SampleStep(position, path, encode_payload({**step.parameters}), encode_payload(output))
        yield from self._steps_inside(taken, path)

    def _matches(self, branch: StepPlan) -> bool:
        conditions = resolve([*(branch.conditions or ())], self._outputs)
        return bool(matching_groups(all_groups(conditions if isinstance(conditions, list) else [])))


def _sample(step: StepPlan) -> Json:
    return step.gives if step.gives is not None else get_sample(step.app or "", step.key or "")


def _put(data: Json, path: list[str], value: Json) -> None:
    """Replace the value at a dotted place."""
    for part in path[:-1]:
        if isinstance(data, dict):
            data = data[part]
        elif isinstance(data, list):
            data = data[int(part)]
    if isinstance(data, dict):
        data[path[-1]] = value
