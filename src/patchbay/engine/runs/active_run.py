"""`ActiveRun`: the state of a claimed run, and its transition after each step."""

from dataclasses import dataclass, field

from patchbay.domain.base import EpochMs
from patchbay.domain.clock import HOUR_MS, format_local_time
from patchbay.domain.engine_store import CalledFlowResult, FinishedStep, Permit, Run, RunTransition
from patchbay.domain.executions import ExecutionState, StepState, WaitsFor
from patchbay.engine.app_calls import StepResult
from patchbay.engine.plan import Plan, PlannedStep
from patchbay.engine.runs.execution_cursor import MAX_OUTPUT_CHARACTERS, ExecutionCursor
from patchbay.engine.runs.retries import max_attempts, retry_delay


@dataclass(slots=True)
class ActiveRun:
    """A claimed run: its position, the number of the next attempt there, and its initial `note`."""

    run: Run
    plan: Plan
    permit: Permit
    cursor: ExecutionCursor
    attempt: int
    note: str | None
    finished_steps: list[FinishedStep] = field(default_factory=list)
    """The finished steps that are stored, by seq."""
    _pending_step: FinishedStep | None = None
    """A finished step that the cursor has passed but that isn't stored yet."""

    @classmethod
    def begin(cls, run: Run, plan: Plan, permit: Permit) -> "ActiveRun":
        """Continue a claimed run after its finished steps."""
        cursor = ExecutionCursor.from_steps(plan, run.finished_steps)
        note = run.note if run.cursor == 1 and run.attempt == 1 else None
        return cls(run, plan, permit, cursor, run.attempt, note, list(run.finished_steps))

    @property
    def current_step(self) -> PlannedStep:
        """The step that runs now."""
        return self.plan.steps[self.cursor.index]

    def transition(
        self, result: StepResult, now: EpochMs, max_steps: int, *, stopping: bool, size: int | None = None
    ) -> RunTransition:
        """The run's next state after this result of its current step.

        `size` is that of the result's data, if known. Moves the cursor if the step has finished. Call
        `advance` once the transition is stored, or `roll_back` if it couldn't be stored.
        """
        if result.status is StepState.RUNNING:
            return self.waiting_transition(None, WaitsFor.FLOW, result.note)
        if result.status is StepState.FAILURE and self.attempt < max_attempts(self.current_step, result):
            return self._retry(result, now)
        self._pending_step = FinishedStep(result.status, result.data, size)
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
            is_short = result.park_until - now < HOUR_MS
            note = f"Waiting until {format_local_time(result.park_until, seconds=is_short)}."
            return self.waiting_transition(result.park_until, WaitsFor.DELAY, note)
        state = ExecutionState.QUEUED if stopping else ExecutionState.RUNNING
        return RunTransition(state=state, cursor=self.cursor.seq, note=self.note)

    def advance(self) -> None:
        """Confirm the transition, which has been stored."""
        if self._pending_step is not None:
            self.finished_steps.append(self._pending_step)
            self._pending_step = None
        self.attempt = 1

    def roll_back(self) -> None:
        """Undo the transition, which couldn't be stored."""
        if self._pending_step is not None:
            # A cursor can't step back, but replaying the stored steps leads to the same position.
            self.cursor = ExecutionCursor.from_steps(self.plan, self.finished_steps)
            self._pending_step = None

    def limit_transition(self, until: EpochMs, requested_by: str | None) -> RunTransition:
        """The transition to waiting for a hold that `requested_by` asked for, or for a rate limit."""
        if requested_by is not None:
            note = f"{requested_by} asked to wait until {format_local_time(until)} (rate limit exceeded)."
        else:
            app_name = self.current_step.app_name
            note = f"Waiting until {format_local_time(until)} because of the rate limit of {app_name}."
        return self.waiting_transition(until, WaitsFor.LIMIT, note)

    def waiting_transition(
        self, until: EpochMs | None, waits_for: WaitsFor, note: str | None
    ) -> RunTransition:
        """The transition to waiting at this position; `until` None waits for another run."""
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
            name = result.rejected_by or current_step.app_name
            note = f"{name} asked to wait until {format_local_time(at)} {where}."
            return self.waiting_transition(at, WaitsFor.LIMIT, note)
        return self.waiting_transition(
            at, WaitsFor.RETRY, f"{result.note} Retry at {format_local_time(at)} {where}."
        )

    def _end(self, result: StepResult) -> RunTransition:
        cursor, failed = self.cursor.seq, self.cursor.failed
        total = None if self.cursor.ended_early else cursor
        state, note = ExecutionState.SUCCESS, self.note
        if self.cursor.ended_early:
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
    """The note for a run that continued after a step failed; empty if none failed."""
    failed = cursor.failed
    if failed is None:
        return ""
    times = "" if cursor.failures == 1 else f" {cursor.failures} times"
    return f"Step {failed.index + 1} ({failed.label}) failed{times}; the following steps were run."


def too_much_data_note() -> str:
    """The note for a run that was stopped because its steps' output is too large."""
    return (
        f"Stopped because the output of its steps exceeds {MAX_OUTPUT_CHARACTERS // 1_000_000} MB. "
        "Fetch less at once, or call another flow for each item."
    )


def too_many_steps_note(max_steps: int) -> str:
    """The note for a run that was stopped because it ran too many steps."""
    return f"Stopped after {max_steps:,} steps, the limit for one execution."


def called_flow_step_result(call_result: CalledFlowResult) -> StepResult:
    """The result of a step that waited for the flow it called."""
    if call_result.status is StepState.SUCCESS:
        return StepResult(StepState.SUCCESS, call_result.data)
    error = call_result.error or {}
    return StepResult(StepState.FAILURE, error=error, note=str(error.get("happened") or "The flow failed."))
