"""What the runs of one flow look like: a few dozen stories, told once and reused with other numbers."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from patchbay.demo.blueprint import FlowPlan, StepPlan
from patchbay.demo.samples import Rendering, sample_of
from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.conditions import all_groups, matching
from patchbay.domain.flows import StructuralType
from patchbay.domain.variables import resolve
from patchbay.storage.codec import to_text

NUMBER = 7_300_000_000_001
"""Stands for the running number until a story is used."""

TIME = "2001-02-03T04:05:06.789Z"
"""Stands for the moment of the run."""

_STORIES = 36


@dataclass(frozen=True, slots=True)
class Row:
    """What the step at a position took in and put out, as JSON text; `path` as in `ExecutionStep`."""

    place: int
    path: str | None
    given: str | None
    output: str | None


@dataclass(frozen=True, slots=True)
class Story:
    """The steps of one run in the order they ran, and what references found at its end, by position."""

    rows: tuple[Row, ...]
    outputs: Mapping[str, Json]

    def reaches(self, place: int) -> bool:
        return any(row.place == place for row in self.rows)


@dataclass(frozen=True, slots=True)
class Cast:
    """The stories of a flow: complete ones, and for each filter step those it ends."""

    stories: tuple[Story, ...]
    stopped: dict[int, tuple[Story, ...]]
    """By the position of the filter."""


def cast_of(plan: FlowPlan, step_ids: Sequence[StepId], seed: int) -> Cast:
    rng = random.Random(f"{seed} cast {plan.name}")  # nosec B311  # sample data
    stories = tuple(_Teller(plan, step_ids, rng).story(None) for _ in range(_STORIES))
    stopped = {
        place: tuple(_Teller(plan, step_ids, rng).story(step.stops.trigger) for _ in range(_STORIES // 4))
        for place, step in enumerate(plan.steps, 1)
        if step.stops
    }
    return Cast(stories, stopped)


class _Teller:
    """Walks one run through the steps of a plan, as the engine would."""

    def __init__(self, plan: FlowPlan, step_ids: Sequence[StepId], rng: random.Random) -> None:
        self._plan, self._ids = plan, step_ids
        self._rendering = Rendering(rng, NUMBER, TIME)
        self._outputs: dict[str, Json] = {}

    def story(self, changes: dict[str, Json] | None) -> Story:
        """`changes` are put into what the trigger gives, by dotted place."""
        return Story(tuple(self._held_by(None, None, changes)), self._outputs)

    def _held_by(
        self, holder: int | None, path: str | None, changes: dict[str, Json] | None = None
    ) -> Iterator[Row]:
        for place, step in enumerate(self._plan.steps, 1):
            if step.inside != holder:
                continue
            if step.kind is StructuralType.EACH:
                yield from self._loop(place, step, path)
            elif step.kind is StructuralType.PATHS:
                yield from self._paths(place, step, path)
            else:
                yield self._single(place, step, path, changes if place == 1 else None)

    def _single(self, place: int, step: StepPlan, path: str | None, changes: dict[str, Json] | None) -> Row:
        given: JsonObject = {key: resolve(value, self._outputs) for key, value in step.parameters.items()}
        output = self._rendering.fill(_sample(step), given)
        for where, value in (changes or {}).items():
            _put(output, where.split("."), value)
        self._outputs[str(place)] = output
        return Row(place, path, to_text(given), to_text(output))

    def _loop(self, place: int, step: StepPlan, path: str | None) -> Iterator[Row]:
        found = resolve(step.parameters["list"], self._outputs)
        items = found if isinstance(found, list) else []
        yield Row(place, path, to_text({"list": items}), to_text({"items": items, "count": len(items)}))
        for at, item in enumerate(items):
            self._outputs[str(place)] = {"item": item, "index": at, "number": at + 1, "count": len(items)}
            yield from self._held_by(place, f"{path}.{at}" if path else str(at))

    def _paths(self, place: int, step: StepPlan, path: str | None) -> Iterator[Row]:
        branches = [(at, held) for at, held in enumerate(self._plan.steps, 1) if held.inside == place]
        taken, branch = next((at, held) for at, held in branches if self._matches(held))
        output: JsonObject = {"taken": [self._ids[taken - 1]], "names": [branch.name]}
        yield Row(place, path, to_text({**step.parameters}), to_text(output))
        yield from self._held_by(taken, path)

    def _matches(self, branch: StepPlan) -> bool:
        conditions = resolve([*(branch.conditions or ())], self._outputs)
        return bool(matching(all_groups(conditions if isinstance(conditions, list) else [])))


def _sample(step: StepPlan) -> Json:
    return step.gives if step.gives is not None else sample_of(step.app or "", step.key or "")


def _put(data: Json, path: list[str], value: Json) -> None:
    """Replace the value at a dotted place."""
    for part in path[:-1]:
        if isinstance(data, dict):
            data = data[part]
        elif isinstance(data, list):
            data = data[int(part)]
    if isinstance(data, dict):
        data[path[-1]] = value
