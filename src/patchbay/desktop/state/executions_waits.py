"""What an unfinished execution waits for, in words that count down. Pure."""

from patchbay.desktop.state.executions_filter import moment
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState, WaitsFor

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


def waiting_words(execution: Execution, now: EpochMs) -> str:
    """ "Goes on at 15:37 (in 36 min 2 s), when its delay is over."; empty for one that does not wait."""
    if execution.state is ExecutionState.QUEUED:
        return "Waits for its turn: other executions are under way, or runs are paused."
    if execution.state is not ExecutionState.WAITING:
        return ""
    if execution.waits_for is WaitsFor.FLOW:
        return "Waits for the flow it called."
    if execution.wake_at is None:
        return execution.note or "Waits."
    left = f"{moment(execution.wake_at, now).removeprefix('today ')} ({countdown(execution.wake_at - now)})"
    return {
        WaitsFor.DELAY: f"Goes on at {left}, when its delay is over.",
        WaitsFor.RETRY: f"Tries the step again at {left}.",
        WaitsFor.LIMIT: f"Goes on at {left}, when the limit of calls allows it.",
    }.get(execution.waits_for or WaitsFor.DELAY, f"Goes on at {left}.")


def countdown(ms: int) -> str:
    """ "in 8 s", "in 3 min 5 s", "in 2 h 5 min", "in 3 d 4 h"; "any moment" once it is due."""
    if ms < SECOND:
        return "any moment"
    if ms < MINUTE:
        return f"in {ms // SECOND} s"
    if ms < HOUR:
        return f"in {ms // MINUTE} min {ms % MINUTE // SECOND} s"
    if ms < DAY:
        return f"in {ms // HOUR} h {ms % HOUR // MINUTE} min"
    return f"in {ms // DAY} d {ms % DAY // HOUR} h"
