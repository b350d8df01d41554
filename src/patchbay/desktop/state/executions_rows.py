"""A row of the timeline: a step with its attempts, an item of a loop, or a branch. Pure."""

from dataclasses import dataclass

from patchbay.domain.base import EpochMs, Json
from patchbay.domain.executions import ExecutionStep, StepRef, StepState


@dataclass(frozen=True)
class TimelineRow:
    """One step of the run, or what holds steps: an `item` of a loop (counted from 0), a branch.

    Without a `state` it did not run. `start` and `length` are shares of the whole run. `path` is the place in
    loops as `ExecutionStep` has it, for an item with its own number. `key` names the row among all others;
    `folds` says whether it has rows below, `note` what it tells beside its name.
    """

    step: StepRef
    attempts: tuple[ExecutionStep, ...] = ()
    start: float = 0.0
    length: float = 0.0
    duration_ms: int | None = None
    state: StepState | None = None
    key: str = ""
    path: str | None = None
    item: int | None = None
    depth: int = 0
    folds: bool = False
    open: bool = False
    note: str = ""
    value: Json = None
    """Of an item: the value it was run with."""
    warnings: tuple[str, ...] = ()
    """What was odd about the last attempt, in words."""

    @property
    def result(self) -> ExecutionStep | None:
        """The last attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def waited_ms(self) -> int:
        """How long the run waited between the attempts."""
        return sum(
            max(0, begun(after) - before.finished_at)
            for before, after in zip(self.attempts, self.attempts[1:], strict=False)
            if before.finished_at is not None
        )


def begun(result: ExecutionStep) -> EpochMs:
    """When an attempt began."""
    return result.started_at or result.created_at
