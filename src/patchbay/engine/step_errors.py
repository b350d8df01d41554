"""Errors as they are stored with an execution, and which of them are temporary."""

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
from patchbay.integration.allowed_programs import ProgramFailed
from patchbay.integration.app_definition import RequestTarget

_log = logging.getLogger(__name__)

_MAX_LOGGED_FRAMES = 30
"""The innermost ones; an endless recursion has a thousand."""
OUTCOME_UNKNOWN = "OutcomeUnknown"
STOPPED_TWICE = "StoppedTwice"
APP_FAULT = "AppFault"
_TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses of temporary failures."""


def error_details(error: Exception, label: str) -> JsonObject:
    """The `error_details` of a step.

    `label` names the step ("Redmine · Create issue") in errors of an app.

    An error of a third party includes its status and response. Anything but an `AppError` is a bug in the
    app: the log then has the locations but not the message of the exception, which may contain a key.
    """
    if isinstance(error, AppError):
        return _details(error)
    frames = traceback.extract_tb(error.__traceback__)
    innermost = frames[-_MAX_LOGGED_FRAMES:]
    locations = "\n".join(f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in innermost)
    _log.error("%s stopped with %s\n%s", label, type(error).__name__, locations)
    return {
        "kind": APP_FAULT,
        "happened": f"{label} failed with an unexpected error ({type(error).__name__}).",
        "meaning": "This is a bug in the app, not in your flow.",
        "todo": "Find the error in the log, and send the log to the app's author.",
    }


def _details(error: AppError) -> JsonObject:
    details: JsonObject = {
        "kind": error.kind,
        "happened": error.happened,
        "meaning": error.meaning,
        "todo": error.todo,
    }
    if isinstance(error, ThirdPartyError):
        details |= {
            "app": error.app,
            "said": error.said,
            "status": error.status,
            "response": error.details,
            "request": error.request,
        }
    return details | error.output if isinstance(error, ProgramFailed) else details


def unusable_item_error(problem: JsonObject) -> ValidationFailed:
    """The error for a test or manual run whose only item would be skipped."""
    happened = str(problem["happened"])
    return ValidationFailed({"item": [happened]}, happened=happened, todo=str(problem["todo"]))


def interrupted(label: str, app_name: str, target: RequestTarget | None = None) -> JsonObject:
    """The details of a step that a crash interrupted and that must not be repeated automatically.

    `target` is the request that it was sending.
    """
    service = target.host if target is not None and target.host else app_name
    sent = f" ({target.line})" if target is not None else ""
    details: JsonObject = {
        "kind": OUTCOME_UNKNOWN,
        "happened": f"{INTERRUPTED}{label}{sent} was running.",
        "meaning": f"{service} may or may not have completed it, so it wasn't repeated.",
        "todo": f"Check in {service} whether it was done. If not, retry from here. If so, continue after it.",
    }
    return details if target is None else {**details, "request": target.line}


def stopped_twice_details(label: str) -> JsonObject:
    """The details of a step that was running both times when Patchbay stopped unexpectedly."""
    return {
        "kind": STOPPED_TWICE,
        "happened": f"Patchbay stopped unexpectedly twice while running {label}.",
        "meaning": "The step may be the cause, so it wasn't run a third time.",
        "todo": "Check the input of the step, then retry the execution.",
    }


def step_timeout_error(label: str, app_name: str, seconds: float) -> TimedOut:
    """The error for a step that timed out."""
    return TimedOut(
        f"{label} timed out after {seconds:,.0f} second{'' if seconds == 1 else 's'}.",
        meaning=f"{app_name} may have completed it anyway.",
        todo=f"Check in {app_name} whether it was done. If the step needs more time, raise its timeout.",
    )


def cancelled_step_details(label: str, app_name: str) -> JsonObject:
    """The details of a step that was running when a person cancelled the execution."""
    return {
        "kind": "Cancelled",
        "happened": f"The execution was cancelled while {label} was running.",
        "meaning": f"{app_name} may or may not have completed it.",
        "todo": f"Check in {app_name} whether it was done.",
    }


def cancelled_before_step_details(label: str) -> JsonObject:
    """The details of a step before which a person cancelled the execution."""
    return {
        "kind": "Cancelled",
        "happened": f"The execution was cancelled before {label} ran.",
        "meaning": "Nothing was called.",
        "todo": "",
    }


def engine_fault_details() -> JsonObject:
    """The details of a run that was ended by a bug in the engine."""
    return {
        "kind": "EngineFault",
        "happened": "This execution was stopped by a bug in Patchbay.",
        "meaning": "The steps it had finished are kept.",
        "todo": "Retry it. If it happens again, report it with the log.",
    }


def requested_wait_seconds(error: Exception) -> float | None:
    """Seconds that the third party asked to wait before a retry; None if it didn't."""
    if isinstance(error, ThirdPartyError) and error.status == 429:
        return error.retry_after
    return error.retry_after if isinstance(error, RateLimited) else None


def is_transient(error: Exception) -> bool:
    """Whether the error is temporary: the service couldn't be reached, timed out, or is overloaded."""
    if isinstance(error, ThirdPartyError):
        return error.status in _TRANSIENT_STATUSES
    return isinstance(error, (Unreachable, TimedOut, RateLimited))


def rejects_credentials(error: Exception) -> bool:
    """Whether the third party rejected the credentials."""
    return isinstance(error, ThirdPartyError) and error.rejects_credentials
