"""How a test went, in words."""

from patchbay.desktop.ui.kit.text import clock_time, duration
from patchbay.domain.executions import ExecutionStep, StepState

_WORDS = {
    StepState.SUCCESS: "Success",
    StepState.FAILURE: "Failure",
    StepState.FILTERED: "Stopped by the filter",
    StepState.CANCELLED: "Cancelled",
}


def result_words(result: ExecutionStep) -> str:
    """The word for the state; on the next line when it was and how long it took."""
    word = _WORDS.get(result.status, "Running")
    moment = result.finished_at or result.created_at
    return " · ".join([f"{word}\n{clock_time(moment, seconds=True)}", *_took(result)])


def _took(result: ExecutionStep) -> list[str]:
    if result.started_at is None or result.finished_at is None:
        return []
    return [duration(result.finished_at - result.started_at)]
