"""How a test went, in words."""

from patchbay.desktop.ui.kit.text import clock_time, duration
from patchbay.domain.executions import ExecutionStep, StepState

_STATE_LABELS = {
    StepState.SUCCESS: "Success",
    StepState.FAILURE: "Failure",
    StepState.FILTERED: "Stopped by the filter",
    StepState.CANCELLED: "Cancelled",
}


def result_text(result: ExecutionStep) -> str:
    """The word for the state; on the next line when it was and how long it took."""
    label = _STATE_LABELS.get(result.status, "Running")
    finished_at = result.finished_at or result.created_at
    return " · ".join([f"{label}\n{clock_time(finished_at, seconds=True)}", *_duration_parts(result)])


def _duration_parts(result: ExecutionStep) -> list[str]:
    if result.started_at is None or result.finished_at is None:
        return []
    return [duration(result.finished_at - result.started_at)]
