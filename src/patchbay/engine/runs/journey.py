"""A claimed run on its way, and where each outcome takes it."""

from dataclasses import dataclass, field
from datetime import datetime

from patchbay.domain.base import EpochMs
from patchbay.domain.executions import ExecutionState, StepState, WaitsFor
from patchbay.domain.runs import Continue, Mark, Permit, Run
from patchbay.engine.calling.calls import StepResult
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.retries import most_attempts, pause
from patchbay.engine.runs.walk import MOST_HELD, Walk


@dataclass(slots=True)
class Journey:
    """A claimed run: where it is, the attempt about to be made there, and how it began (`note`)."""

    run: Run
    plan: Plan
    permit: Permit
    walk: Walk
    attempt: int
    note: str | None
    marks: list[Mark] = field(default_factory=list)
    """The steps that are stored, by seq."""
    _made: Mark | None = None
    """A step over which the walk has gone, and which is not stored yet."""

    @classmethod
    def begin(cls, run: Run, plan: Plan, permit: Permit) -> "Journey":
        walk = Walk.along(plan, run.marks)
        note = run.note if run.cursor == 1 and run.attempt == 1 else None
        return cls(run, plan, permit, walk, run.attempt, note, list(run.marks))

    @property
    def here(self) -> PlannedStep:
        return self.walk.here

    def after(self, result: StepResult, now: EpochMs, max_steps: int, *, stopping: bool) -> Continue:
        """Where the run goes now that the step here ended so. The walk moves, unless the step is tried again.

        `go_on` or `take_back` follows, as it was stored or not.
        """
        if result.status is StepState.RUNNING:
            return self.wait(None, WaitsFor.FLOW, result.note)
        if result.status is StepState.FAILURE and self.attempt < most_attempts(self.here, result):
            return self._try_again(result, now)
        self._made = Mark(result.status, result.data)
        self.walk.step(*self._made)
        if self.walk.ended:
            return self._end(result)
        if self.walk.too_large:
            return Continue(state=ExecutionState.FAILURE, cursor=self.walk.seq, note=too_much_data())
        if self.walk.seq >= max_steps:
            return Continue(
                state=ExecutionState.FAILURE, cursor=self.walk.seq, note=too_many_steps(max_steps)
            )
        if result.park_until is not None and result.park_until > now:
            note = f"Waits until {local(result.park_until)}."
            return self.wait(result.park_until, WaitsFor.DELAY, note)
        state = ExecutionState.QUEUED if stopping else ExecutionState.RUNNING
        return Continue(
            state=state, cursor=self.walk.seq, wake_at=None, waits_for=None, note=self.note, steps_total=None
        )

    def go_on(self) -> None:
        """What `after` said is stored, and the run goes on."""
        if self._made is not None:
            self.marks.append(self._made)
            self._made = None
        self.attempt = 1

    def take_back(self) -> None:
        """What `after` said could not be stored: be where the run was before."""
        if self._made is not None:
            self.walk, self._made = Walk.along(self.plan, self.marks), None

    def held_back(self, until: EpochMs, held_by: str | None) -> Continue:
        """Sleep before the step here: its service asked to wait (`held_by`), or a rate limit is reached."""
        if held_by is not None:
            note = f"{held_by} asked to wait until {local(until)} (too many requests)."
        else:
            note = f"Waits for its turn until {local(until)}: {self.here.app_name} has a rate limit."
        return self.wait(until, WaitsFor.LIMIT, note)

    def wait(self, until: EpochMs | None, waits_for: WaitsFor, note: str | None) -> Continue:
        """Go to sleep at this place; None: until somebody wakes it."""
        return Continue(
            state=ExecutionState.WAITING, cursor=self.walk.seq, wake_at=until, waits_for=waits_for, note=note
        )

    def _try_again(self, result: StepResult, now: EpochMs) -> Continue:
        here, most = self.here, most_attempts(self.here, result)
        at = now + int(pause(here, result, self.attempt) * 1000)
        where = f"(attempt {self.attempt} of {most} at step {here.index + 1})"
        if result.retry_after is not None:
            note = f"{result.refused_by or here.app_name} asked to wait until {local(at)} {where}."
            return self.wait(at, WaitsFor.LIMIT, note)
        return self.wait(at, WaitsFor.RETRY, f"{result.note} Tried again at {local(at)} {where}.")

    def _end(self, result: StepResult) -> Continue:
        cursor, failed = self.walk.seq, self.walk.failed
        total = None if self.walk.stopped else cursor
        state, note = ExecutionState.SUCCESS, self.note
        if self.walk.stopped:
            state, note = _ENDINGS[result.status], result.note
        if failed is not None and state in (ExecutionState.SUCCESS, ExecutionState.FILTERED):
            state, note = ExecutionState.FAILURE, passed_over(self.walk)
        return Continue(state=state, cursor=cursor, note=note, steps_total=total)


_ENDINGS = {
    StepState.FAILURE: ExecutionState.FAILURE,
    StepState.FILTERED: ExecutionState.FILTERED,
    StepState.CANCELLED: ExecutionState.CANCELLED,
}


def passed_over(walk: Walk) -> str:
    """Which step failed although the run went on; empty when none did."""
    failed = walk.failed
    if failed is None:
        return ""
    times = "" if walk.failures == 1 else f" {walk.failures} times"
    return f"Step {failed.index + 1} ({failed.label}) failed{times}; the steps after it were run."


def too_much_data() -> str:
    return (
        f"Stopped because the output of its steps exceeds {MOST_HELD // 1_000_000} MB. "
        "Fetch less at once, or call another flow for each item."
    )


def too_many_steps(max_steps: int) -> str:
    return f"Stopped after {max_steps:,} steps, which is the most one execution may make."


def local(at: EpochMs) -> str:
    """A time as notes tell it, on this computer's clock."""
    return datetime.fromtimestamp(at / 1000).strftime("%Y-%m-%d %H:%M")
