"""A claimed run on its way, and where each outcome takes it."""

from dataclasses import dataclass, field
from datetime import datetime

from patchbay.domain.base import EpochMs
from patchbay.domain.engine_store import FinishedStep, Permit, Run, RunTransition
from patchbay.domain.executions import ExecutionState, StepState, WaitsFor
from patchbay.engine.app_calls import StepResult
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.execution_cursor import MAX_OUTPUT_CHARACTERS, ExecutionCursor
from patchbay.engine.runs.retries import max_attempts, retry_delay


@dataclass(slots=True)
class ActiveRun:
    """A claimed run: where it is, the attempt about to be made there, and how it began (`note`)."""

    run: Run
    plan: Plan
    permit: Permit
    cursor: ExecutionCursor
    attempt: int
    note: str | None
    marks: list[FinishedStep] = field(default_factory=list)
    """The steps that are stored, by seq."""
    _pending_step: FinishedStep | None = None
    """A step over which the walk has gone, and which is not stored yet."""

    @classmethod
    def begin(cls, run: Run, plan: Plan, permit: Permit) -> "ActiveRun":
        cursor = ExecutionCursor.from_steps(plan, run.marks)
        note = run.note if run.cursor == 1 and run.attempt == 1 else None
        return cls(run, plan, permit, cursor, run.attempt, note, list(run.marks))

    @property
    def current_step(self) -> PlannedStep:
        return self.cursor.current_step

    def transition(
        self, result: StepResult, now: EpochMs, max_steps: int, *, stopping: bool
    ) -> RunTransition:
        """Where the run goes now that the step here ended so. The walk moves, unless the step is tried again.

        `advance` or `roll_back` follows, as it was stored or not.
        """
        if result.status is StepState.RUNNING:
            return self.wait(None, WaitsFor.FLOW, result.note)
        if result.status is StepState.FAILURE and self.attempt < max_attempts(self.current_step, result):
            return self._retry(result, now)
        self._pending_step = FinishedStep(result.status, result.data)
        self.cursor.step(*self._pending_step)
        if self.cursor.ended:
            return self._end(result)
        if self.cursor.too_large:
            return RunTransition(
                state=ExecutionState.FAILURE, cursor=self.cursor.seq, note=too_much_data_note()
            )
        if self.cursor.seq >= max_steps:
            return RunTransition(
                state=ExecutionState.FAILURE, cursor=self.cursor.seq, note=too_many_steps_note(max_steps)
            )
        if result.park_until is not None and result.park_until > now:
            note = f"Waits until {format_local_time(result.park_until)}."
            return self.wait(result.park_until, WaitsFor.DELAY, note)
        state = ExecutionState.QUEUED if stopping else ExecutionState.RUNNING
        return RunTransition(
            state=state,
            cursor=self.cursor.seq,
            wake_at=None,
            waits_for=None,
            note=self.note,
            steps_total=None,
        )

    def advance(self) -> None:
        """What `transition` said is stored, and the run goes on."""
        if self._pending_step is not None:
            self.marks.append(self._pending_step)
            self._pending_step = None
        self.attempt = 1

    def roll_back(self) -> None:
        """What `transition` said could not be stored: be where the run was before."""
        if self._pending_step is not None:
            self.cursor, self._pending_step = ExecutionCursor.from_steps(self.plan, self.marks), None

    def wait_for_limit(self, until: EpochMs, held_by: str | None) -> RunTransition:
        """Sleep before the step here: its service asked to wait (`held_by`), or a rate limit is reached."""
        if held_by is not None:
            note = f"{held_by} asked to wait until {format_local_time(until)} (too many requests)."
        else:
            note = f"Waits for its turn until {format_local_time(until)}: {self.current_step.app_name} has a rate limit."
        return self.wait(until, WaitsFor.LIMIT, note)

    def wait(self, until: EpochMs | None, waits_for: WaitsFor, note: str | None) -> RunTransition:
        """Go to sleep at this place; None: until somebody wakes it."""
        return RunTransition(
            state=ExecutionState.WAITING,
            cursor=self.cursor.seq,
            wake_at=until,
            waits_for=waits_for,
            note=note,
        )

    def _retry(self, result: StepResult, now: EpochMs) -> RunTransition:
        current_step, most = self.current_step, max_attempts(self.current_step, result)
        at = now + int(retry_delay(current_step, result, self.attempt) * 1000)
        where = f"(attempt {self.attempt} of {most} at step {current_step.index + 1})"
        if result.retry_after is not None:
            note = f"{result.refused_by or current_step.app_name} asked to wait until {format_local_time(at)} {where}."
            return self.wait(at, WaitsFor.LIMIT, note)
        return self.wait(at, WaitsFor.RETRY, f"{result.note} Tried again at {format_local_time(at)} {where}.")

    def _end(self, result: StepResult) -> RunTransition:
        cursor, failed = self.cursor.seq, self.cursor.failed
        total = None if self.cursor.stopped else cursor
        state, note = ExecutionState.SUCCESS, self.note
        if self.cursor.stopped:
            state, note = _END_STATES[result.status], result.note
        if failed is not None and state in (ExecutionState.SUCCESS, ExecutionState.FILTERED):
            state, note = ExecutionState.FAILURE, continued_after_failure_note(self.cursor)
        return RunTransition(state=state, cursor=cursor, note=note, steps_total=total)


_END_STATES = {
    StepState.FAILURE: ExecutionState.FAILURE,
    StepState.FILTERED: ExecutionState.FILTERED,
    StepState.CANCELLED: ExecutionState.CANCELLED,
}


def continued_after_failure_note(cursor: ExecutionCursor) -> str:
    """Which step failed although the run went on; empty when none did."""
    failed = cursor.failed
    if failed is None:
        return ""
    times = "" if cursor.failures == 1 else f" {cursor.failures} times"
    return f"Step {failed.index + 1} ({failed.label}) failed{times}; the steps after it were run."


def too_much_data_note() -> str:
    return (
        f"Stopped because the output of its steps exceeds {MAX_OUTPUT_CHARACTERS // 1_000_000} MB. "
        "Fetch less at once, or call another flow for each item."
    )


def too_many_steps_note(max_steps: int) -> str:
    return f"Stopped after {max_steps:,} steps, which is the most one execution may make."


def format_local_time(at: EpochMs) -> str:
    """A time as notes tell it, on this computer's clock."""
    return datetime.fromtimestamp(at / 1000).strftime("%Y-%m-%d %H:%M")
