"""Truncation of large values in lists and responses. A truncated text, list, or object ends with “…”."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.executions import ExecutionStep
from patchbay.domain.flows import Flow, Step
from patchbay.domain.folders import Template
from patchbay.domain.json_limits import VALUE_SIZE, size_of

T = TypeVar("T")

MAX_LISTED_FLOW_SIZE = 16 * 1024
"""Maximum size of one flow's parameters and conditions in lists, in characters. Larger ones are truncated."""
MAX_LISTED_TEXT_LENGTH = 200
"""Characters of each text in truncated parameters."""
MAX_DATA_SIZE = 5_000_000
"""Characters of the data of all steps in one response, which is then less than 32 MB however it is escaped.
"""
DATA_SHORTENED_WARNING = "The data is too large to show in full."
_ELLIPSIS = "…"
_MAX_DEPTH = 50
_SHORTENED_FIELDS = {"parameters", "branchConditions"}


def shorten_flow(flow: Flow) -> Flow:
    """Truncate a flow for lists."""
    steps = shorten_steps(flow.steps)
    return flow if steps is flow.steps else flow.model_copy(update={"steps": steps})


def shorten_steps(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Truncate the parameters and conditions of a flow's steps for lists, if they are large."""
    if sum(step.size(MAX_LISTED_FLOW_SIZE) for step in steps) <= MAX_LISTED_FLOW_SIZE:
        return steps
    cut = _Shortener(MAX_LISTED_FLOW_SIZE, MAX_LISTED_TEXT_LENGTH)
    return tuple(step.model_copy(update=_shortened_fields(step, cut)) for step in steps)


def shorten_template(template: Template) -> Template:
    """Truncate a template for lists."""
    steps = template.flow_data.get("steps")
    if not isinstance(steps, list) or size_of(steps, MAX_LISTED_FLOW_SIZE) <= MAX_LISTED_FLOW_SIZE:
        return template
    cut = _Shortener(MAX_LISTED_FLOW_SIZE, MAX_LISTED_TEXT_LENGTH)
    shown: list[Json] = [
        {key: cut.shorten(value) if key in _SHORTENED_FIELDS else value for key, value in step.items()}
        if isinstance(step, dict)
        else cut.shorten(step)
        for step in steps
    ]
    return template.model_copy(update={"flow_data": {**template.flow_data, "steps": shown}})


def shorten_step_data(
    steps: Sequence[ExecutionStep], budget: int = MAX_DATA_SIZE
) -> tuple[ExecutionStep, ...]:
    """Truncate the data of executed steps so that it fits into one response, starting with the largest."""
    sizes = [size_of(value, budget) for step in steps for value in _data(step).values()]
    if sum(sizes) <= budget:
        return tuple(steps)
    max_size = _fair_share(sizes, budget)
    return tuple(_shorten_one_step(step, max_size) for step in steps)


def _shortened_fields(step: Step, cut: "_Shortener") -> dict[str, object]:
    conditions = step.branch_conditions
    return {
        "parameters": cut.shorten(step.parameters),
        "branch_conditions": conditions and tuple(map(cut.shorten, cut.take_while_budget(conditions))),
    }


def _data(step: ExecutionStep) -> JsonObject:
    return {name: getattr(step, name) for name in ("data_in", "data_out", "error_details")}


def _shorten_one_step(step: ExecutionStep, max_size: int) -> ExecutionStep:
    long = {name: value for name, value in _data(step).items() if size_of(value, max_size) > max_size}
    if not long:
        return step
    cut = {name: _Shortener(max_size, max_size).shorten(value) for name, value in long.items()}
    return step.model_copy(
        update={**cut, "shortened": True, "warnings": (*step.warnings, DATA_SHORTENED_WARNING)}
    )


def _fair_share(sizes: Sequence[int], budget: int) -> int:
    """The maximum size for each, so that all fit into the budget and small ones stay complete."""
    for number, size in enumerate(sorted(sizes)):
        share = budget // (len(sizes) - number)
        if size > share:
            return share
        budget -= size
    return budget


class _Shortener:
    """Truncates values one after the other, within a shared budget."""

    def __init__(self, budget: int, text: int) -> None:
        self._budget = budget
        self._max_text_length = text

    def shorten(self, value: Json, depth: int = 0) -> Json:
        """Truncate long texts, and drop entries that exceed the budget."""
        if isinstance(value, str):
            return self._shorten_text(value)
        if not isinstance(value, (dict, list)):
            self._budget -= size_of(value, VALUE_SIZE)
            return value
        self._budget -= VALUE_SIZE
        if depth == _MAX_DEPTH and value:
            return _ELLIPSIS
        if isinstance(value, list):
            items = [self.shorten(item, depth + 1) for item in self.take_while_budget(value)]
            return items if len(items) == len(value) else [*items, _ELLIPSIS]
        kept = {
            self._shorten_text(key): self.shorten(value[key], depth + 1)
            for key in self.take_while_budget(value)
        }
        return kept if len(kept) == len(value) else {**kept, _ELLIPSIS: _ELLIPSIS}

    def take_while_budget(self, entries: Iterable[T]) -> Iterator[T]:
        for entry in entries:
            if self._budget <= 0:
                return
            yield entry

    def _shorten_text(self, value: str) -> str:
        longest = max(0, min(self._max_text_length, self._budget))
        self._budget -= VALUE_SIZE + min(len(value), longest)
        return value if len(value) <= longest else value[:longest] + _ELLIPSIS
