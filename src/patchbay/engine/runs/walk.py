"""Where a run is in the tree of its steps.

A run keeps no other record of its place than its finished steps: told of them one after the other, a walk
arrives where the run has to go on. It is pure, so the same steps always lead to the same place.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from patchbay.domain.base import Json, StepId
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StructuralType
from patchbay.domain.runs import Mark
from patchbay.domain.sizes import size_of
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.structure import after_loop, in_loop


@dataclass(slots=True)
class _Loop:
    """A list being gone through. `index` is the plan's index of the `each` step."""

    index: int
    end: int
    items: list[Json]
    at: int = 0
    results: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class _Fork:
    """Branches that were taken, the first of them being gone through until `end`."""

    index: int
    end: int
    todo: list[int]


MOST_HELD = 100_000_000
"""Characters that the outputs of one run's steps may take together: all of them are in memory."""


class Walk:
    """A place among the steps of a plan, and what the steps before it put out.

    `index` is the place in the plan, `seq` how many steps the run has made, `outputs` what references find.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.index = 0
        self.seq = 0
        self.outputs: dict[StepId, Json] = {}
        self.failed: PlannedStep | None = None
        """The first step that failed and was passed over."""
        self.failures = 0
        self.stopped = False
        """The run ended where it was, by a failure, a filter or a person, not behind its last step."""
        self.held = 0
        """About how many characters the outputs take, those of each item of a loop included."""
        self._frames: list[_Loop | _Fork] = []
        self._last: Json = None

    @classmethod
    def along(cls, plan: Plan, marks: Iterable[Mark]) -> "Walk":
        """The walk that made these steps, given in the order of their `seq`."""
        walk = cls(plan)
        for mark in marks:
            walk.step(mark.status, mark.output)
        return walk

    @property
    def too_large(self) -> bool:
        """Whether the outputs take more memory than one run may."""
        return self.held > MOST_HELD

    @property
    def ended(self) -> bool:
        return self.index >= len(self.plan.steps)

    @property
    def here(self) -> PlannedStep:
        return self.plan.steps[self.index]

    @property
    def path(self) -> str | None:
        """The items of the loops around this place, counted from 0: "2", in a loop within a loop "2.0"."""
        if not self._frames:
            return None
        return ".".join(str(frame.at) for frame in self._frames if isinstance(frame, _Loop)) or None

    def step(self, status: StepState, output: Json = None) -> None:
        """The step here has ended so: go to the next one, or to the end of the run."""
        here = self.here
        self.seq += 1
        if status is StepState.SUCCESS:
            self._succeeded(here, output)
        elif status is StepState.FILTERED:
            self._leave_item(self._innermost())
        elif status is StepState.FAILURE:
            self._failed(here)
        else:
            self._end()

    def _succeeded(self, here: PlannedStep, output: Json) -> None:
        if here.kind is StructuralType.EACH:
            self._enter_loop(here, output)
        elif here.kind is StructuralType.PATHS:
            self._enter_branches(here, output)
        else:
            self.outputs[here.step.id] = self._last = output
            self.held += size_of(output, MOST_HELD)
            self._arrive(here.end)

    def _failed(self, here: PlannedStep) -> None:
        if here.step.continue_on_error and here.kind is not StructuralType.EACH:
            self._pass_over(here)
            self._arrive(here.end)
            return
        around = self._forgiving()
        if around is not None:
            self._pass_over(here)
        self._leave_item(around)

    def _pass_over(self, here: PlannedStep) -> None:
        self.outputs.pop(here.step.id, None)
        self.failed = self.failed or here
        self.failures += 1

    # Loops and branches

    def _enter_loop(self, here: PlannedStep, output: Json) -> None:
        found = output.get("items") if isinstance(output, dict) else None
        items = found if isinstance(found, list) else []
        loop = _Loop(here.index, here.end, items)
        if not items or here.index + 1 == here.end:
            self.outputs[here.step.id] = after_loop(loop.items, [])
            self._arrive(here.end)
            return
        self._frames.append(loop)
        self._begin_item(loop)

    def _enter_branches(self, here: PlannedStep, output: Json) -> None:
        self.outputs[here.step.id] = output
        taken = output.get("taken") if isinstance(output, dict) else None
        chosen = set(taken) if isinstance(taken, list) else set()
        steps = self.plan.steps
        todo = [step.index for step in steps[here.index + 1 : here.end] if step.step.id in chosen]
        fork = _Fork(here.index, here.index + 1, todo)
        self._frames.append(fork)
        self._arrive(fork.end)

    def _begin_item(self, loop: _Loop) -> None:
        steps = self.plan.steps
        for inner in steps[loop.index + 1 : loop.end]:
            self.outputs.pop(inner.step.id, None)
        self._last = None
        self.outputs[steps[loop.index].step.id] = in_loop(loop.items, loop.at)
        self.index = loop.index + 1

    def _arrive(self, index: int) -> None:
        """Go to the step at `index`, unless what it is behind was the end of a branch or of a loop's item."""
        while self._frames and index >= self._frames[-1].end:
            frame = self._frames[-1]
            if isinstance(frame, _Fork):
                if frame.todo:
                    branch = self.plan.steps[frame.todo.pop(0)]
                    frame.end, index = branch.end, branch.index + 1
                    continue
            else:
                frame.results.append(self._last)
                frame.at += 1
                if frame.at < len(frame.items):
                    self._begin_item(frame)
                    return
                done = after_loop(frame.items, frame.results)
                self._last = self.outputs[self.plan.steps[frame.index].step.id] = done
            self._frames.pop()
            index = self.plan.steps[frame.index].end
        self.index = index

    def _innermost(self) -> _Loop | None:
        return next((frame for frame in reversed(self._frames) if isinstance(frame, _Loop)), None)

    def _forgiving(self) -> _Loop | None:
        """The innermost loop around that goes on with its next item when one fails."""
        loops = (frame for frame in reversed(self._frames) if isinstance(frame, _Loop))
        return next((loop for loop in loops if self.plan.steps[loop.index].step.continue_on_error), None)

    def _leave_item(self, loop: _Loop | None) -> None:
        """Leave the rest of this item out; without a loop the run ends here."""
        if loop is None:
            self._end()
            return
        while self._frames[-1] is not loop:
            self._frames.pop()
        self._last = None
        self._arrive(loop.end)

    def _end(self) -> None:
        self.stopped = True
        self._frames.clear()
        self.index = len(self.plan.steps)
