"""Long values cut to what lists and answers can carry. A cut text, list or object ends with “…”."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.executions import ExecutionStep
from patchbay.domain.flows import Flow, Step
from patchbay.domain.organise import Template
from patchbay.domain.sizes import VALUE_SIZE, size_of

T = TypeVar("T")

FLOW_LISTED = 16 * 1024
"""Characters of the parameters and conditions of one flow that lists show. Larger ones are shortened."""
TEXT_LISTED = 200
"""Characters of each text in shortened parameters."""
DATA_SHOWN = 5_000_000
"""Characters of the data of all steps in one answer. However it is escaped, it takes less than 32 MB."""
DATA_CUT = "The data is too large to show in full."
_MARK = "…"
_DEEPEST = 50
_LONG = {"parameters", "branchConditions"}


def listed_flow(flow: Flow) -> Flow:
    """The flow as lists show it."""
    steps = listed_steps(flow.steps)
    return flow if steps is flow.steps else flow.model_copy(update={"steps": steps})


def listed_steps(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of a flow as lists show them: the same, or with shortened parameters and conditions."""
    if sum(step.size(FLOW_LISTED) for step in steps) <= FLOW_LISTED:
        return steps
    cut = _Cut(FLOW_LISTED, TEXT_LISTED)
    return tuple(step.model_copy(update=_cut_step(step, cut)) for step in steps)


def listed_template(template: Template) -> Template:
    """The template as lists show it."""
    steps = template.flow_data.get("steps")
    if not isinstance(steps, list) or size_of(steps, FLOW_LISTED) <= FLOW_LISTED:
        return template
    cut = _Cut(FLOW_LISTED, TEXT_LISTED)
    shown: list[Json] = [
        {key: cut.of(value) if key in _LONG else value for key, value in step.items()}
        if isinstance(step, dict)
        else cut.of(step)
        for step in steps
    ]
    return template.model_copy(update={"flow_data": {**template.flow_data, "steps": shown}})


def fitting_steps(steps: Sequence[ExecutionStep], room: int = DATA_SHOWN) -> tuple[ExecutionStep, ...]:
    """Executed steps whose data fits into one answer; the largest data is shortened first."""
    sizes = [size_of(value, room) for step in steps for value in _data(step).values()]
    if sum(sizes) <= room:
        return tuple(steps)
    most = _fair_share(sizes, room)
    return tuple(_fitting(step, most) for step in steps)


def _cut_step(step: Step, cut: "_Cut") -> dict[str, object]:
    conditions = step.branch_conditions
    return {
        "parameters": cut.of(step.parameters),
        "branch_conditions": conditions and tuple(map(cut.of, cut.while_room(conditions))),
    }


def _data(step: ExecutionStep) -> JsonObject:
    return {name: getattr(step, name) for name in ("data_in", "data_out", "error_details")}


def _fitting(step: ExecutionStep, most: int) -> ExecutionStep:
    long = {name: value for name, value in _data(step).items() if size_of(value, most) > most}
    if not long:
        return step
    cut = {name: _Cut(most, most).of(value) for name, value in long.items()}
    return step.model_copy(update={**cut, "shortened": True, "warnings": (*step.warnings, DATA_CUT)})


def _fair_share(sizes: Sequence[int], room: int) -> int:
    """How much each may take, so that together they fit and small ones stay whole."""
    for number, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - number)
        if size > share:
            return share
        room -= size
    return room


class _Cut:
    """Shortens values one after the other until the room for all of them is used up."""

    def __init__(self, room: int, text: int) -> None:
        self._room, self._text = room, text

    def of(self, value: Json, depth: int = 0) -> Json:
        """The value with long texts cut, and without the entries there is no room for."""
        if isinstance(value, str):
            return self._text_of(value)
        if not isinstance(value, (dict, list)):
            self._room -= size_of(value, 0)
            return value
        self._room -= VALUE_SIZE
        if depth == _DEEPEST and value:
            return _MARK
        if isinstance(value, list):
            items = [self.of(item, depth + 1) for item in self.while_room(value)]
            return items if len(items) == len(value) else [*items, _MARK]
        kept = {self._text_of(key): self.of(value[key], depth + 1) for key in self.while_room(value)}
        return kept if len(kept) == len(value) else {**kept, _MARK: _MARK}

    def while_room(self, entries: Iterable[T]) -> Iterator[T]:
        for entry in entries:
            if self._room <= 0:
                return
            yield entry

    def _text_of(self, value: str) -> str:
        longest = max(0, min(self._text, self._room))
        self._room -= VALUE_SIZE + min(len(value), longest)
        return value if len(value) <= longest else value[:longest] + _MARK
