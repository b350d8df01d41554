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
    return mark_of(run.state).word, _run_detail(run, now)


def _run_detail(run: Execution, now: EpochMs) -> str:
    if run.state is ExecutionState.RUNNING and run.steps_done is not None:
        return f"step {min(run.steps_done + 1, run.steps_total)} of {run.steps_total}"
    if run.state is ExecutionState.WAITING and run.wake_at:
        return f"until {when(run.wake_at, now)}"
    if now - run.created_at >= DAY:
        return when(run.created_at, now)
    passed = age(run.created_at, now)
    return passed if passed == "now" else f"{passed} ago"


def next_run(row: FlowRow, now: EpochMs) -> tuple[str, str]:
    """When the flow starts next, and below it how far away that is."""
    if not row.flow.active:
        return "–", ""
    if row.flow.status is FlowStatus.PAUSED:
        return "When resumed", ""
    moment = row.activity.next_run_at if row.activity else None
    if moment is None or row.starts_by_webhook:
        return _started_by(row)
    short = clock_time(moment) if moment - now < DAY else when(moment, now)
    return short, until(moment, now)


def _started_by(row: FlowRow) -> tuple[str, str]:
    """What starts a flow that no clock starts."""
    trigger = row.flow.trigger
    if trigger is not None and is_event(trigger, CALLED_TRIGGER):
        return "On call", "by another flow"
    if trigger is not None and is_event(trigger, FLOW_FAILED_TRIGGER):
        return "On failure", "of a flow"
    return ("On webhook", "when called") if row.starts_by_webhook else ("–", "")


def until(moment: EpochMs, now: EpochMs) -> str:
    left = moment - now
    if left < MINUTE:
        return "in a moment"
    if left < HOUR:
        return f"in {left // MINUTE} min"
    return f"in {left // HOUR} h" if left < DAY else f"in {left // DAY} d"


def spoken(row: FlowRow, now: EpochMs) -> str:
    """The whole row in a sentence, for screen readers."""
    state, detail = last_run(row, now)
    following = " ".join(part for part in next_run(row, now) if part not in ("", "–"))
    parts = [row.flow.name, ", ".join(piece.text for piece in row.pieces)]
    parts += [str(row.flow.status), f"last run {state}, {detail}"]
    return ". ".join(parts + ([f"next run {following}"] if following else []))


def run_tooltip(row: FlowRow, now: EpochMs) -> str:
    """The newest run in full."""
    if row.activity is None:
        return ""
    run = row.activity.last
    if run is None:
        return "This flow has not run yet"
    note = f"\n{run.note}" if run.note else ""
    return f"{mark_of(run.state).word}, {full_time(run.created_at, now)}{note}"
