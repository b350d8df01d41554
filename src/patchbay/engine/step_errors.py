"""Errors as an execution keeps them: what happened, what it means, what to do."""

import logging
import traceback

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import (
    AppError,
    RateLimited,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)
from patchbay.domain.executions import INTERRUPTED
from patchbay.integration.app_definition import RequestTarget

_log = logging.getLogger(__name__)

OUTCOME_UNKNOWN = "OutcomeUnknown"
STOPPED_TWICE = "StoppedTwice"
APP_FAULT = "AppFault"
_TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses by which a service says that it cannot answer at the moment."""


def error_details(error: Exception, label: str) -> JsonObject:
    """The `error_details` of a step. `label` names the step ("Redmine · Create issue") for faults of an app.

    A third party's refusal keeps its status and its answer. Anything that is no `AppError` is a mistake in
    the app's code: the person gets a sentence, the log gets the place without the message, because the
    message of a foreign exception may quote a key.
    """
    if isinstance(error, AppError):
        return _details(error)
    _log.error("%s stopped with %s\n%s", label, type(error).__name__, _stack_locations(error))
    return {
        "kind": APP_FAULT,
        "happened": f"{label} failed with an unexpected error ({type(error).__name__}).",
        "meaning": "This is a bug in the app, not in your flow.",
        "todo": "Find the error in the log, and send the log to the app's author.",
    }


def _stack_locations(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return "\n".join(f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames)


def _details(error: AppError) -> JsonObject:
    details: JsonObject = {
        "kind": error.kind, "happened": error.happened, "meaning": error.meaning, "todo": error.todo,
    }  # fmt: skip
    if isinstance(error, ThirdPartyError):
        details |= {
            "app": error.app, "said": error.said, "status": error.status,
            "response": error.details, "request": error.request,
        }  # fmt: skip
    return details


def unusable_item_error(problem: JsonObject) -> ValidationFailed:
    """The error where an item that would be skipped is the only one there is."""
    happened = str(problem["happened"])
    return ValidationFailed({"item": [happened]}, happened=happened, todo=str(problem["todo"]))


def interrupted(label: str, app_name: str, target: RequestTarget | None = None) -> JsonObject:
    """The details of a step that a crash cut off and that must not be repeated unasked.

    `target` is the request that it was sending.
    """
    service = target.host if target is not None and target.host else app_name
    sent = f" ({target.line})" if target is not None else ""
    details: JsonObject = {
        "kind": OUTCOME_UNKNOWN,
        "happened": f"{INTERRUPTED}{label}{sent} was running.",
        "meaning": f"Whether {service} carried it out is unknown, so it was not repeated.",
        "todo": f"Check at {service} whether it was done. If it wasn’t, retry from here. "
        "If it was, continue after it.",
    }
    return details if target is None else {**details, "request": target.line}


def stopped_twice_details(label: str) -> JsonObject:
    """The details of a step that was running both times when Patchbay stopped unexpectedly."""
    return {
        "kind": STOPPED_TWICE,
        "happened": f"Patchbay stopped unexpectedly twice while running {label}.",
        "meaning": "The step may be the cause, so it was not run a third time.",
        "todo": "Check what goes into the step, then retry the execution.",
    }


def step_timeout_error(label: str, app_name: str, seconds: float) -> TimedOut:
    """A step that was cut off because it did not end in its time."""
    return TimedOut(
        f"{label} did not finish within {seconds:,.0f} second{'' if seconds == 1 else 's'}.",
        meaning=f"It was cut off; {app_name} may have carried it out all the same.",
        todo="Look there whether it was done. A step that needs longer gets more time in its settings.",
    )


def cancelled_step_details(label: str, app_name: str) -> JsonObject:
    """The details of a step that a person cut off."""
    return {
        "kind": "Cancelled",
        "happened": f"The execution was cancelled while {label} was running.",
        "meaning": f"Whether {app_name} carried it out is unknown.",
        "todo": f"Look in {app_name} if it matters.",
    }


def engine_fault_details() -> JsonObject:
    """The details of a run that a mistake in the engine ended."""
    return {
        "kind": "EngineFault",
        "happened": "Patchbay met a fault of its own in this execution.",
        "meaning": "The execution was stopped; what it had done is kept.",
        "todo": "Retry it. If it happens again, report it with the log.",
    }


def requested_wait_seconds(error: Exception) -> float | None:
    """How long a third party asked us to wait before trying again; None when it did not."""
    if isinstance(error, ThirdPartyError) and error.status == 429:
        return error.retry_after
    return error.retry_after if isinstance(error, RateLimited) else None


def is_transient(error: Exception) -> bool:
    """Whether the same call may well work later: nobody answered, or the service has trouble."""
    if isinstance(error, ThirdPartyError):
        return error.status in _TRANSIENT_STATUSES
    return isinstance(error, (Unreachable, TimedOut, RateLimited))


def rejects_credentials(error: Exception) -> bool:
    """Whether the third party would not accept the connection."""
    return isinstance(error, ThirdPartyError) and error.rejects_credentials
