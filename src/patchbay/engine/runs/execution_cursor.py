"""The position of a run in the tree of its steps.

An execution stores the number of its next step and its finished steps. Replaying these in order restores the
position, including nested loops and branches, because a cursor depends on nothing else: the same steps always
lead to the same position.
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
    """A loop that is running.

    `index` is the index of its `each` step in the plan, `end` the index after it.
    """

    index: int
    end: int
    items: list[Json]
    item_index: int = 0
    results: list[Json] = field(default_factory=list)


@dataclass(slots=True)
class _BranchFrame:
    """A branches step that is running: its current branch ends before `end`, the `pending` ones follow."""

    index: int
    end: int
    pending: list[int]


MAX_OUTPUT_CHARACTERS = 100_000_000
"""Maximum size of all outputs of one run, in characters: all of them are in memory."""


class ExecutionCursor:
    """A position in the steps of a plan, with the outputs of the steps before it.

    `index` is the index in the plan, and `seq` the number of steps that were run. `outputs` are the values
    that references resolve to: inside a loop, those of the current item.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.index = 0
        self.seq = 0
        self.outputs: dict[StepId, Json] = {}
        self.failed: PlannedStep | None = None
        """The first failed step after which the run continued."""
        self.failures = 0
        self.ended_early = False
        """Whether the run was ended early by a failure, a filter, or a person."""
        self.output_size = 0
        """The approximate size of all outputs in characters, including those of each loop item."""
        self._frames: list[_LoopFrame | _BranchFrame] = []
        self._last_output: Json = None

    @classmethod
    def from_steps(cls, plan: Plan, finished_steps: Iterable[FinishedStep]) -> "ExecutionCursor":
        """The position after these finished steps, in the order of their `seq`."""
        cursor = cls(plan)
        for finished in finished_steps:
            cursor.step(*finished)
        return cursor

    @property
    def too_large(self) -> bool:
        """Whether the outputs exceed the memory limit of a run."""
        return self.output_size > MAX_OUTPUT_CHARACTERS

    @property
    def ended(self) -> bool:
        """Whether no step is left."""
        return self.index >= len(self.plan.steps)

    @property
    def current_step(self) -> PlannedStep:
        """The step where the run continues."""
        return self.plan.steps[self.index]

    @property
    def path(self) -> str | None:
        """The item indexes of the loops around this position, from 0: "2", in nested loops "2.0"."""
        if not self._frames:
            return None
        return (
            ".".join(str(frame.item_index) for frame in self._frames if isinstance(frame, _LoopFrame)) or None
        )

    def step(self, status: StepState, output: Json = None, size: int | None = None) -> None:
        """Record how the current step ended, and move to the next one or the end of the run.

        `size` is that of the output, if known.
        """
        current_step = self.current_step
        self.seq += 1
        if status is StepState.SUCCESS:
            self._succeeded(current_step, output, size)
        elif status is StepState.FILTERED:
            # A filter inside a loop skips the rest of its item; outside of loops it ends the run.
            self._leave_item(
                next((frame for frame in reversed(self._frames) if isinstance(frame, _LoopFrame)), None)
            )
        elif status is StepState.FAILURE:
            self._failed(current_step)
        else:
            self._end()

    def _succeeded(self, current_step: PlannedStep, output: Json, size: int | None) -> None:
        if current_step.kind is StructuralType.EACH:
            self._enter_loop(current_step, output)
        elif current_step.kind is StructuralType.PATHS:
            self._enter_branches(current_step, output)
        else:
            self.outputs[current_step.step.id] = self._last_output = output
            self.output_size += size_of(output, MAX_OUTPUT_CHARACTERS) if size is None else size
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
        # As if an empty branch before the first had just ended: `_move_to` then enters the first pending
        # branch, or continues after the step if there is none.
        branch_frame = _BranchFrame(current_step.index, current_step.index + 1, pending)
        self._frames.append(branch_frame)
        self._move_to(branch_frame.end)

    def _begin_item(self, loop: _LoopFrame) -> None:
        steps = self.plan.steps
        # Outputs of the previous item must not be visible in this one, for example in another branch.
        for inner in steps[loop.index + 1 : loop.end]:
            self.outputs.pop(inner.step.id, None)
        self._last_output = None
        self.outputs[steps[loop.index].step.id] = loop_item_output(loop.items, loop.item_index)
        self.index = loop.index + 1

    def _move_to(self, index: int) -> None:
        """Go to the step at `index`, or where an enclosing branch or loop continues if `index` is past its
        end.
        """
        # A step can end several levels at once, for example a branch and the loop around it.
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

    def _tolerant_loop(self) -> _LoopFrame | None:
        """The innermost enclosing loop that continues with its next item if one fails."""
        loops = (frame for frame in reversed(self._frames) if isinstance(frame, _LoopFrame))
        return next((loop for loop in loops if self.plan.steps[loop.index].step.continue_on_error), None)

    def _leave_item(self, loop: _LoopFrame | None) -> None:
        """Skip the rest of this loop item; without a loop, end the run."""
        if loop is None:
            self._end()
            return
        while self._frames[-1] is not loop:
            self._frames.pop()
        self._last_output = None
        self._move_to(loop.end)

    def _end(self) -> None:
        self.ended_early = True
        self._frames.clear()
        self.index = len(self.plan.steps)
