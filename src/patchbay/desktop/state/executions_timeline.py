"""One execution told step by step: what ran when, how it ended, and its error in words. Pure."""

from dataclasses import dataclass
from typing import Any

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.executions import Execution, ExecutionState, ExecutionStep, StepRef, StepState

SENTENCES = ("happened", "meaning", "todo")
_WORDS = {
    ExecutionState.QUEUED: "Queued", ExecutionState.RUNNING: "Running", ExecutionState.WAITING: "Waiting",
    ExecutionState.SUCCESS: "Success", ExecutionState.FAILURE: "Failure",
    ExecutionState.FILTERED: "Filtered", ExecutionState.CANCELLED: "Cancelled",
}  # fmt: skip


@dataclass(frozen=True)
class TimelineRow:
    """One step of the run; without a result it did not run. `start` and `length` are shares of the run."""

    step: StepRef
    attempts: tuple[ExecutionStep, ...] = ()
    start: float = 0.0
    length: float = 0.0
    duration_ms: int | None = None

    @property
    def result(self) -> ExecutionStep | None:
        """The last attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def state(self) -> StepState | None:
        return self.result.status if self.result else None


@dataclass(frozen=True)
class ErrorView:
    """An error as the message box tells it, and the raw answer below."""

    title: str
    text: str
    source: str
    raw: Json
    kind: str = ""
    status: int | None = None

    @property
    def sign_in_refused(self) -> bool:
        """Whether a new sign-in may help."""
        return self.kind == "AuthRequired" or (self.kind == "HttpError" and self.status in (401, 403))


def state_word(state: ExecutionState) -> str:
    return _WORDS[state]


def timeline(execution: Execution, results: tuple[ExecutionStep, ...]) -> tuple[TimelineRow, ...]:
    """A row for every step of the flow, in order, with bars to the scale of the whole run."""
    by_step: dict[str, list[ExecutionStep]] = {}
    for result in results:
        by_step.setdefault(result.step.id, []).append(result)
    steps = {step.id: step for step in execution.flow.steps}
    steps |= {result.step.id: result.step for result in results if result.step.id not in steps}
    begin = min((_begun(result) for result in results), default=execution.created_at)
    end = max((result.finished_at or _begun(result) for result in results), default=begin)
    scale = max(1, end - begin)
    return tuple(_row(step, tuple(by_step.get(step.id, ())), begin, scale) for step in steps.values())


def _row(step: StepRef, attempts: tuple[ExecutionStep, ...], begin: EpochMs, scale: int) -> TimelineRow:
    if not attempts:
        return TimelineRow(step)
    first, last = _begun(attempts[0]), attempts[-1]
    spent = None if last.finished_at is None else max(0, last.finished_at - first)
    start = min(1.0, (first - begin) / scale)
    length = 1.0 - start if spent is None else min(1.0 - start, spent / scale)
    return TimelineRow(step, attempts, start, length, spent)


def _begun(result: ExecutionStep) -> EpochMs:
    return result.started_at or result.created_at


def sentence(execution: Execution, rows: tuple[TimelineRow, ...]) -> str:
    """How it stands, as the head of the pane says it: "Failure at step 4 of 5"."""
    word = state_word(execution.state)
    total = execution.steps_total or len(rows)
    if execution.state is ExecutionState.SUCCESS:
        return f"Success, {_steps(total)}"
    at = next(
        (at for at, row in enumerate(rows, 1) if row.state is not StepState.SUCCESS and row.state), None
    )
    if at is None and not execution.state.finished:
        at = min(total, execution.steps_done + 1)
    at = at or execution.steps_done
    if execution.state is ExecutionState.QUEUED or not at:
        return word
    return f"{word} at step {at} of {total}"


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"all {count} steps"


def answering_row(execution: Execution, rows: tuple[TimelineRow, ...]) -> int:
    """The step to open first: the one that failed, else the last that ran."""
    ran = [at for at, row in enumerate(rows) if row.result]
    if execution.state is ExecutionState.FAILURE:
        failed = [at for at in ran if rows[at].state is StepState.FAILURE]
        return failed[-1] if failed else (ran[-1] if ran else 0)
    return ran[-1] if ran else 0


def step_name(step: StepRef) -> str:
    """What a step is called: its own name, else its event in words."""
    return step.name or spaced(step.key) or ("Trigger" if step.position == 1 else f"Step {step.position}")


def spaced(key: str | None) -> str:
    """ "createTask" → "Create task"."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in key or "")
    return words[:1].upper() + words[1:]


def error_view(row: TimelineRow, app_name: str) -> ErrorView | None:
    """What a step's error says; None when its last attempt has none."""
    details = row.result.error_details if row.result else None
    if not details:
        return None
    words = {key: _text(details.get(key)) for key in SENTENCES}
    status = details.get("status")
    tries = len(row.attempts)
    source = f"Answer from {app_name}" if "response" in details else "Details"
    return ErrorView(
        title=words["happened"] or f"{step_name(row.step)} failed.",
        text=" ".join(part for part in (words["meaning"], words["todo"]) if part),
        source=source + (f", after {tries} attempts" if tries > 1 else ""),
        raw=_raw(row, details),
        kind=_text(details.get("kind")),
        status=status if isinstance(status, int) else None,
    )


def _raw(row: TimelineRow, details: JsonObject) -> Json:
    raw: dict[str, Any] = {key: value for key, value in details.items() if key not in SENTENCES}
    if len(row.attempts) > 1:
        raw["attempts"] = [
            {"attempt": tried.attempt, "startedAt": tried.started_at, "error": tried.error_details}
            for tried in row.attempts
        ]
    return {"error": raw}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def as_json(execution: Execution, results: tuple[ExecutionStep, ...]) -> JsonObject:
    """The whole execution in the names of the interface."""
    return {**execution.wire(), "executionSteps": [result.wire() for result in results]}
