"""What the runs of one flow look like: a few dozen stories, told once and reused with other numbers."""

import random
from dataclasses import dataclass

from patchbay.demo.blueprint import FlowPlan, StepPlan
from patchbay.demo.samples import Rendering, sample_of
from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.variables import resolve
from patchbay.storage.codec import to_text

NUMBER = 7_300_000_000_001
"""Stands for the running number until a story is used."""

TIME = "2001-02-03T04:05:06.789Z"
"""Stands for the moment of the run."""

_STORIES = 36


@dataclass(frozen=True, slots=True)
class Story:
    """The payloads of one run, as JSON text: what each step took in and put out."""

    inputs: tuple[str | None, ...]
    outputs: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """The stories of a flow: complete ones, and for each filter step those it ends."""

    stories: tuple[Story, ...]
    stopped: dict[int, tuple[Story, ...]]
    """By the position of the filter."""


def cast_of(plan: FlowPlan, step_ids: list[StepId], seed: int) -> Cast:
    rng = random.Random(f"{seed} cast {plan.name}")
    stories = tuple(_story(plan, rng, None) for _ in range(_STORIES))
    stopped = {
        place: tuple(_story(plan, rng, step.stops.trigger) for _ in range(_STORIES // 4))
        for place, step in enumerate(plan.steps, 1)
        if step.stops
    }
    return Cast(stories, stopped)


def _story(plan: FlowPlan, rng: random.Random, changes: dict[str, Json] | None) -> Story:
    rendering = Rendering(rng, NUMBER, TIME)
    outputs: dict[str, Json] = {}
    given: list[str | None] = []
    for position, step in enumerate(plan.steps, 1):
        data_in: JsonObject = {key: resolve(value, outputs) for key, value in step.parameters.items()}
        data_out = rendering.fill(_sample(step), data_in)
        if position == 1 and changes:
            for place, value in changes.items():
                _put(data_out, place.split("."), value)
        given.append(to_text(data_in))
        outputs[str(position)] = data_out
    return Story(tuple(given), tuple(map(to_text, outputs.values())))


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
