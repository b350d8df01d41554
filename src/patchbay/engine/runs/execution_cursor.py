"""Where a run is in the tree of its steps.

A run keeps no other record of its place than its finished steps: told of them one after the other, a walk
arrives where the run has to go on. It is pure, so the same steps always lead to the same place.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from patchbay.domain.base import Json, StepId
from patchbay.domain.engine_store import FinishedStep
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StructuralType
from patchbay.domain.json_limits import size_of
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.branches_and_loops import loop_end_output, loop_item_output


@dataclass(slots=True)
class _LoopFrame:
    """A list being gone through. `index` is the plan's index of the `each` step."""

    index: int
    end: int
    items: list[Json]
    item_index: int = 0
    results: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class _BranchFrame:
    """Branches that were taken, the first of them being gone through until `end`."""

    index: int
    end: int
    pending: list[int]


MAX_OUTPUT_CHARACTERS = 100_000_000
"""Characters that the outputs of one run's steps may take together: all of them are in memory."""


class ExecutionCursor:
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
        self.output_size = 0
        """About how many characters the outputs take, those of each item of a loop included."""
        self._frames: list[_LoopFrame | _BranchFrame] = []
        self._last_output: Json = None

    @classmethod
    def from_steps(cls, plan: Plan, marks: Iterable[FinishedStep]) -> "ExecutionCursor":
        """The walk that made these steps, given in the order of their `seq`."""
        cursor = cls(plan)
        for mark in marks:
            cursor.step(mark.status, mark.output)
        return cursor

    @property
    def too_large(self) -> bool:
        """Whether the outputs take more memory than one run may."""
        return self.output_size > MAX_OUTPUT_CHARACTERS

    @property
    def ended(self) -> bool:
        return self.index >= len(self.plan.steps)

    @property
    def current_step(self) -> PlannedStep:
        return self.plan.steps[self.index]

    @property
    def path(self) -> str | None:
        """The items of the loops around this place, counted from 0: "2", in a loop within a loop "2.0"."""
        if not self._frames:
            return None
        return (
            ".".join(str(frame.item_index) for frame in self._frames if isinstance(frame, _LoopFrame)) or None
        )

    def step(self, status: StepState, output: Json = None) -> None:
        """The step here has ended so: go to the next one, or to the end of the run."""
        current_step = self.current_step
        self.seq += 1
        if status is StepState.SUCCESS:
            self._succeeded(current_step, output)
        elif status is StepState.FILTERED:
            self._leave_item(self._innermost())
        elif status is StepState.FAILURE:
            self._failed(current_step)
        else:
            self._end()

    def _succeeded(self, current_step: PlannedStep, output: Json) -> None:
        if current_step.kind is StructuralType.EACH:
            self._enter_loop(current_step, output)
        elif current_step.kind is StructuralType.PATHS:
            self._enter_branches(current_step, output)
        else:
            self.outputs[current_step.step.id] = self._last_output = output
            self.output_size += size_of(output, MAX_OUTPUT_CHARACTERS)
            self._move_to(current_step.end)

    def _failed(self, current_step: PlannedStep) -> None:
        if current_step.step.continue_on_error and current_step.kind is not StructuralType.EACH:
            self._record_tolerated_failure(current_step)
            self._move_to(current_step.end)
            return
        around = self._tolerant_loop()
        if around is not None:
            self._record_tolerated_failure(current_step)
        self._leave_item(around)

    def _record_tolerated_failure(self, current_step: PlannedStep) -> None:
        self.outputs.pop(current_step.step.id, None)
        self.failed = self.failed or current_step
        self.failures += 1

    # Loops and branches

    def _enter_loop(self, current_step: PlannedStep, output: Json) -> None:
        found = output.get("items") if isinstance(output, dict) else None
        items = found if isinstance(found, list) else []
        loop = _LoopFrame(current_step.index, current_step.end, items)
        if not items or current_step.index + 1 == current_step.end:
            self.outputs[current_step.step.id] = loop_end_output(loop.items, [])
            self._move_to(current_step.end)
            return
        self._frames.append(loop)
        self._begin_item(loop)

    def _enter_branches(self, current_step: PlannedStep, output: Json) -> None:
        self.outputs[current_step.step.id] = output
        taken = output.get("taken") if isinstance(output, dict) else None
        chosen = set(taken) if isinstance(taken, list) else set()
        steps = self.plan.steps
        pending = [
            step.index for step in steps[current_step.index + 1 : current_step.end] if step.step.id in chosen
        ]
        branch_frame = _BranchFrame(current_step.index, current_step.index + 1, pending)
        self._frames.append(branch_frame)
        self._move_to(branch_frame.end)

    def _begin_item(self, loop: _LoopFrame) -> None:
        steps = self.plan.steps
        for inner in steps[loop.index + 1 : loop.end]:
            self.outputs.pop(inner.step.id, None)
        self._last_output = None
        self.outputs[steps[loop.index].step.id] = loop_item_output(loop.items, loop.item_index)
        self.index = loop.index + 1

    def _move_to(self, index: int) -> None:
        """Go to the step at `index`, unless what it is behind was the end of a branch or of a loop's item."""
        while self._frames and index >= self._frames[-1].end:
            frame = self._frames[-1]
            if isinstance(frame, _BranchFrame):
                if frame.pending:
                    branch = self.plan.steps[frame.pending.pop(0)]
                    frame.end, index = branch.end, branch.index + 1
                    continue
            else:
                frame.results.append(self._last_output)
                frame.item_index += 1
                if frame.item_index < len(frame.items):
                    self._begin_item(frame)
                    return
                done = loop_end_output(frame.items, frame.results)
                self._last_output = self.outputs[self.plan.steps[frame.index].step.id] = done
            self._frames.pop()
            index = self.plan.steps[frame.index].end
        self.index = index

    def _innermost(self) -> _LoopFrame | None:
        return next((frame for frame in reversed(self._frames) if isinstance(frame, _LoopFrame)), None)

    def _tolerant_loop(self) -> _LoopFrame | None:
        """The innermost loop around that goes on with its next item when one fails."""
        loops = (frame for frame in reversed(self._frames) if isinstance(frame, _LoopFrame))
        return next((loop for loop in loops if self.plan.steps[loop.index].step.continue_on_error), None)

    def _leave_item(self, loop: _LoopFrame | None) -> None:
        """Leave the rest of this item out; without a loop the run ends here."""
        if loop is None:
            self._end()
            return
        while self._frames[-1] is not loop:
            self._frames.pop()
        self._last_output = None
        self._move_to(loop.end)

    def _end(self) -> None:
        self.stopped = True
        self._frames.clear()
        self.index = len(self.plan.steps)
