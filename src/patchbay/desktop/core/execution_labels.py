"""Texts about an execution: its timeline rows, its status and error, and what its filters compared. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patchbay.desktop.core.condition_labels import result_text
from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.domain.base import AppKey, EpochMs, ExecutionId, Json, JsonObject, StepId
from patchbay.domain.conditions import (
    parse_groups,
    quick_group_matches,
    unknown_operator,
)
from patchbay.domain.date_parsing import Moment
from patchbay.domain.desktop import waits_for_input
from patchbay.domain.executions import Execution, ExecutionState, ExecutionStep, StepRef, StepState
from patchbay.domain.flows import StructuralType
from patchbay.domain.variables import Reference, split

_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
SENTENCES = ("happened", "meaning", "todo")
_HIDDEN_ERROR_KEYS = frozenset({*SENTENCES, "kind", "app", "said"})
"""Error details that the message box shows already, or that only the program needs."""
_STATE_LABELS = {
    ExecutionState.QUEUED: tr("Queued", "state of an execution"),
    ExecutionState.RUNNING: tr("Running", "state of an execution"),
    ExecutionState.WAITING: tr("Waiting", "state of an execution"),
    ExecutionState.SUCCESS: tr("Success", "state of an execution"),
    ExecutionState.FAILURE: tr("Failure", "state of an execution"),
    ExecutionState.FILTERED: tr("Filtered", "state of an execution"),
    ExecutionState.CANCELLED: tr("Cancelled", "state of an execution"),
}

WAITING_FOR_INPUT = tr("Waiting for input", "state of an execution: a form or notification is open")

_STRUCTURE_LABELS = {
    StructuralType.PATHS: tr("Branches", "kind of step"),
    StructuralType.BRANCH: tr("Branch", "kind of step"),
    StructuralType.EACH: tr("For each", "kind of step"),
}

SHOWN_OF_ID = 13
"""IDs begin with the time, so the first eight characters are those of a whole minute."""

FILTER_APP = AppKey("filter")

_FILTER_OUTCOMES = {
    True: tr("Conditions match. The run continues."),
    False: tr("Conditions don't match. The run ends here."),
    None: tr("Whether the conditions match depends on a pattern. Test the step to check it."),
}


@dataclass(frozen=True)
class TimelineRow:
    """A row of the timeline: a step, a branch, or an `item` of a loop (counted from 0).

    Without a `state` it did not run. `start` and `length` are shares of the whole run. `path` is the position
    in loops as in `ExecutionStep`; for an item it includes its own number. `key` identifies the row, `folds`
    says whether it has rows below, and `note` is shown beside its name.
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
    """Of an item: its value."""
    warnings: tuple[str, ...] = ()
    """What was unusual about the last attempt."""

    @property
    def result(self) -> ExecutionStep | None:
        """The last attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def waited_ms(self) -> int:
        """How long the run waited between the attempts."""
        return sum(
            max(0, attempt_start(after) - before.finished_at)
            for before, after in zip(self.attempts, self.attempts[1:], strict=False)
            if before.finished_at is not None
        )


def attempt_start(result: ExecutionStep) -> EpochMs:
    """When each attempt began."""
    return result.started_at or result.created_at


@dataclass(frozen=True)
class ErrorView:
    """An error as the message box shows it, with the raw response below."""

    title: str
    text: str
    source: str
    raw: Json
    kind: str = ""
    status: int | None = None

    @property
    def credentials_rejected(self) -> bool:
        """Whether signing in again may help."""
        return self.kind == "AuthRequired" or (self.kind == "HttpError" and self.status in (401, 403))

    @property
    def outcome_unknown(self) -> bool:
        """Whether the step was interrupted, so that someone has to check whether it was completed."""
        return self.kind == "OutcomeUnknown"


def short_id(execution_id: ExecutionId) -> str:
    """The beginning of an ID, which finds the execution."""
    return execution_id[:SHOWN_OF_ID]


def state_label(state: ExecutionState) -> str:
    """The word for a state, such as “Running”."""
    return _STATE_LABELS[state]


def waits_for_person(execution: Execution, row: TimelineRow | None = None) -> bool:
    """Whether the step that runs now waits for the person at the computer. `row` is its row, if known."""
    is_running = row is not None and row.state is StepState.RUNNING
    return waits_for_input(execution, row.step if row is not None and is_running else None)


def shown_state(execution: Execution, row: TimelineRow | None = None) -> ExecutionState:
    """The state whose mark is shown: waiting, if a running step waits for a person."""
    return ExecutionState.WAITING if waits_for_person(execution, row) else execution.state


def execution_label(execution: Execution, row: TimelineRow | None = None) -> str:
    """The word for the state of an execution, such as “Running”."""
    return WAITING_FOR_INPUT if waits_for_person(execution, row) else state_label(execution.state)


def status_sentence(execution: Execution, row: TimelineRow | None) -> str:
    """The status of an execution, as shown above its steps: "Failure at step 4 of 5". `row` is the row it got
    to.
    """
    word, steps = execution_label(execution, row), execution.flow.steps
    total = len(steps) or execution.steps_total
    if _not_reported(execution):
        return tr("{state}, steps not reported", state=word)
    if execution.state is ExecutionState.SUCCESS:
        if _ran_one_step(execution) and total > 1:
            if row is None:
                return tr("{state}, 1 step tested", state=word)
            return tr("{state}, step {at} of {total} tested", state=word, at=row.step.position, total=total)
        has_structure = any(step.structural_type.is_container for step in steps)
        steps_run = execution.steps_total or total
        return word if has_structure else tr_count(steps_run, "Success, 1 step", "Success, all {n} steps")
    at = _current_step_number(execution, row, total)
    if execution.state is ExecutionState.QUEUED or not at:
        return word
    if row is not None and row.path:
        return tr("{state} at step {at}, item {item}", state=word, at=at, item=item_number(row.path))
    return tr("{state} at step {at} of {total}", state=word, at=at, total=max(at, total))


def _not_reported(execution: Execution) -> bool:
    """Whether the server reports how the run ended, but not the states of its steps.

    Its status may be that of the last step alone. Older copies of the history have 0 instead of None.
    """
    if execution.state is ExecutionState.SUCCESS:
        return not execution.steps_done
    return execution.state.finished and execution.steps_done is None


def _ran_one_step(execution: Execution) -> bool:
    """Whether it was the test of a single step; the test of a whole flow runs its trigger and an action."""
    return execution.test_run and execution.steps_done == 1


def _current_step_number(execution: Execution, row: TimelineRow | None, total: int) -> int:
    under_way, done = not execution.state.finished, execution.steps_done or 0
    if row is None or row.state is None:
        return min(total, done + 1) if under_way else min(total, done)
    moved_on = under_way and row.state is StepState.SUCCESS and row.path is None
    return min(max(total, row.step.position), row.step.position + (1 if moved_on else 0))


def item_number(path: str) -> str:
    """A number counted from 1: "2.0" becomes "3.1"."""
    return ".".join(str(int(part) + 1) for part in path.split("."))


def row_name(row: TimelineRow) -> str:
    """The name of a row: the number of an item, or the name of a branch or step."""
    if row.item is not None:
        return tr("Item {n}", "of a loop", n=number_text(row.item + 1))
    return step_name(row.step)


def step_name(step: StepRef) -> str:
    """The name of a step: its own, otherwise that of its event."""
    named = step.name or humanize_key(step.key) or _STRUCTURE_LABELS.get(step.structural_type)
    return named or (tr("Trigger") if step.position == 1 else tr("Step {n}", n=step.position))


def humanize_key(key: str | None) -> str:
    """ "createTask" → "Create task", "SQLQuery" → "SQL query"."""
    words = _WORD_BOUNDARY.sub(" ", key or "").split(" ")
    text = " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)
    return text[:1].upper() + text[1:]


def error_view(row: TimelineRow, app_name: str) -> ErrorView | None:
    """The error of a step; None if its last attempt has none."""
    details = row.result.error_details if row.result else None
    if not details:
        return None
    words = {key: _text(details.get(key)) for key in SENTENCES}
    status = details.get("status")
    return ErrorView(
        title=words["happened"] or tr("{step} failed.", step=step_name(row.step)),
        text=" ".join(part for part in (words["meaning"], words["todo"]) if part),
        source=_error_source(app_name if "response" in details else "", len(row.attempts)),
        raw=_raw(row, details),
        kind=_text(details.get("kind")),
        status=status if isinstance(status, int) else None,
    )


def _error_source(app_name: str, tries: int) -> str:
    """The heading of the raw details; `app_name` if they contain a response."""
    if tries <= 1:
        return tr("Response from {app}", app=app_name) if app_name else tr("Details")
    if app_name:
        return tr_count(
            tries,
            "Response from {app}, after {n} attempt",
            "Response from {app}, after {n} attempts",
            app=app_name,
        )
    return tr_count(tries, "Details, after {n} attempt", "Details, after {n} attempts")


def error_data(details: JsonObject | None) -> JsonObject | None:
    """The details of an error: the request and the service's response."""
    known = {"response" if key == "details" else key: value for key, value in (details or {}).items()}
    shown: JsonObject = {
        key: value for key, value in known.items() if key not in _HIDDEN_ERROR_KEYS and value is not None
    }
    if "response" not in shown and known.get("said"):
        shown["message"] = known["said"]
    return shown or None


def _raw(row: TimelineRow, details: JsonObject) -> Json:
    raw: dict[str, Any] = error_data(details) or {}
    if len(row.attempts) > 1:
        raw["attempts"] = [
            {"attempt": tried.attempt, "startedAt": tried.started_at, "error": _attempt(tried.error_details)}
            for tried in row.attempts
        ]
    return raw or None


def _attempt(details: JsonObject | None) -> JsonObject | None:
    """Why an attempt failed, with the details."""
    happened = {"happened": details["happened"]} if details and details.get("happened") else {}
    return {**happened, **(error_data(details) or {})} or None


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def as_json(execution: Execution, results: tuple[ExecutionStep, ...]) -> JsonObject:
    """The whole execution in wire format."""
    return {**execution.wire(), "executionSteps": [result.wire() for result in results]}


def replace_references(text: str, positions: Mapping[StepId, int]) -> str:
    """ "{{step.x.title}} had no value" → "“title” of step 2 had no value"."""
    return "".join(
        _reference_phrase(piece, positions) if isinstance(piece, Reference) else piece
        for piece in split(text)
    )


_RUN_VALUE_NAMES = {
    ("execution", "id"): tr("Execution ID"),
    ("flow", "id"): tr("Flow ID"),
    ("now",): tr("Current time"),
}


def run_value_name(reference: Reference) -> str:
    """The name of a value of the run, such as “Current time”."""
    return _RUN_VALUE_NAMES.get(reference.path, ".".join(reference.path))


def _reference_phrase(reference: Reference, positions: Mapping[StepId, int]) -> str:
    if reference.is_run_value:
        return run_value_name(reference)
    position = positions.get(reference.step_id)
    path = ".".join(reference.path)
    if position is None:
        return tr("“{path}” of a removed step", path=path)
    return tr("“{path}” of step {n}", path=path, n=position)


def comparison(result: ExecutionStep | None) -> str:
    """Whether the conditions of a filter matched, with each comparison; empty for other steps."""
    if result is None or result.step.app_key != FILTER_APP or result.status is StepState.FAILURE:
        return ""
    outcome = None
    if result.status is StepState.FILTERED or result.data_out:
        outcome = result.status is not StepState.FILTERED
    return describe_filter(result.data_in, Moment(attempt_start(result)), outcome)


def describe_filter(data_in: Json, moment: Moment, outcome: bool | None = None) -> str:
    """What a filter with this input does at this moment, followed by each comparison with its outcome.

    `outcome`: whether the conditions matched, if that is known.
    """
    groups = parse_groups(data_in.get("or")) if isinstance(data_in, dict) else []
    if not groups or unknown_operator(groups) is not None:
        return ""
    matches = quick_group_matches(groups, moment) if outcome is None else outcome
    lines = [_FILTER_OUTCOMES[matches]]
    for number, group in enumerate(groups):
        lines += [tr("or", "between groups of conditions")] if number else []
        lines += [result_text(condition, moment) for condition in group]
    return "\n".join(lines)
