"""The words of the time columns of a flow row."""

from patchbay.desktop.state.flows_rows import FlowRow
from patchbay.desktop.ui.kit.marks import mark_of
from patchbay.desktop.ui.kit.text import DAY, HOUR, MINUTE, age, clock_time, full_time, when
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState
from patchbay.domain.flow_calls import CALLED_TRIGGER, FLOW_FAILED_TRIGGER, is_event
from patchbay.domain.flows import FlowStatus


def last_run(row: FlowRow, now: EpochMs) -> tuple[str, str]:
    """The state of the newest run and, below it, when that was or what it does; dashes while not known."""
    if row.activity is None:
        return "–", ""
    run = row.activity.last
    if run is None:
        return "Not run", "Never run"
    return mark_of(run.state).word, _run_detail_text(run, now)


def _run_detail_text(run: Execution, now: EpochMs) -> str:
    if run.state is ExecutionState.RUNNING and run.steps_done is not None:
        return f"step {min(run.steps_done + 1, run.steps_total)} of {run.steps_total}"
    if run.state is ExecutionState.WAITING and run.wake_at:
        return f"until {when(run.wake_at, now)}"
    if now - run.created_at >= DAY:
        return when(run.created_at, now)
    age_text = age(run.created_at, now)
    return age_text if age_text == "now" else f"{age_text} ago"


def next_run(row: FlowRow, now: EpochMs) -> tuple[str, str]:
    """When the flow starts next, and below it how far away that is."""
    if not row.flow.active:
        return "–", ""
    if row.flow.status is FlowStatus.PAUSED:
        return "When resumed", ""
    start_at = row.activity.next_run_at if row.activity else None
    if start_at is None or row.starts_by_webhook:
        return _started_by(row)
    start_text = clock_time(start_at) if start_at - now < DAY else when(start_at, now)
    return start_text, until(start_at, now)


def _started_by(row: FlowRow) -> tuple[str, str]:
    """What starts a flow that no clock starts."""
    trigger = row.flow.trigger
    if trigger is not None and is_event(trigger, CALLED_TRIGGER):
        return "On call", "by another flow"
    if trigger is not None and is_event(trigger, FLOW_FAILED_TRIGGER):
        return "On failure", "of a flow"
    return ("On webhook", "when called") if row.starts_by_webhook else ("–", "")


def until(start_at: EpochMs, now: EpochMs) -> str:
    remaining_ms = start_at - now
    if remaining_ms < MINUTE:
        return "in a moment"
    if remaining_ms < HOUR:
        return f"in {remaining_ms // MINUTE} min"
    return f"in {remaining_ms // HOUR} h" if remaining_ms < DAY else f"in {remaining_ms // DAY} d"


def accessible_text(row: FlowRow, now: EpochMs) -> str:
    """The whole row in a sentence, for screen readers."""
    state, detail = last_run(row, now)
    next_run_text = " ".join(part for part in next_run(row, now) if part not in ("", "–"))
    parts = [row.flow.name, ", ".join(piece.text for piece in row.pieces)]
    parts += [str(row.flow.status), f"last run {state}, {detail}"]
    return ". ".join(parts + ([f"next run {next_run_text}"] if next_run_text else []))


def run_tooltip(row: FlowRow, now: EpochMs) -> str:
    """The newest run in full."""
    if row.activity is None:
        return ""
    run = row.activity.last
    if run is None:
        return "This flow has not run yet"
    note = f"\n{run.note}" if run.note else ""
    return f"{mark_of(run.state).word}, {full_time(run.created_at, now)}{note}"
