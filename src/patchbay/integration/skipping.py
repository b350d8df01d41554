"""Skipped trigger items: an item that can't be handled is recorded, and the items after it go on."""

import logging
import traceback

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import (
    AppError,
    ComputationStopped,
    Conflict,
    NotFound,
    ThirdPartyError,
    ValidationFailed,
)

_log = logging.getLogger(__name__)

ITEM_SKIPPED = "ItemSkipped"
"""Kind of the error details of a skipped item."""
MAX_NAME = 200
_MAX_REASON = 500
_ABOUT_THE_ITEM = (ValidationFailed, NotFound, Conflict, ComputationStopped)
_NOT_ABOUT_THE_ITEM = frozenset({401, 403, 407, 408, 425, 429})
"""Statuses between 400 and 499 that say something about the connection or the moment."""


def concerns_only_item(error: Exception) -> bool:
    """Whether an error raised while one item was handled says nothing about the items after it.

    Trouble with the service, the connection, the database or the network concerns all of them: the whole poll
    fails then, and is tried again. So do errors of the system (`OSError`: no connection, too many open
    files). Any other exception is a mistake in the app's code.
    """
    if isinstance(error, ThirdPartyError):
        status = error.status or 0
        return 400 <= status < 500 and status not in _NOT_ABOUT_THE_ITEM and not error.rejects_credentials
    if isinstance(error, AppError):
        return isinstance(error, _ABOUT_THE_ITEM)
    return not isinstance(error, OSError)


def skipped_item_details(app_name: str, internal_id: str, name: str, reason: Exception | str) -> JsonObject:
    """The error details of the execution that tells of a skipped item."""
    shown = f"“{_one_line(name, MAX_NAME)}” ({internal_id[:MAX_NAME]})" if name else internal_id[:MAX_NAME]
    why, todo = _why(app_name, reason)
    return {
        "kind": ITEM_SKIPPED,
        "happened": f"An item of {app_name} was skipped: {shown}. {_one_line(why, _MAX_REASON)}",
        "meaning": "No run was started for it, and it isn't tried again. The items after it were handled.",
        "todo": todo,
        "item": {"id": internal_id[:MAX_NAME], "name": _one_line(name, MAX_NAME)},
    }


def _why(app_name: str, reason: Exception | str) -> tuple[str, str]:
    """Why the item was skipped, and what can be done."""
    look_at_it = f"Open it in {app_name}. Delete it there if it's unwanted."
    if isinstance(reason, AppError):
        return f"{reason.happened} {reason.meaning}".strip(), look_at_it
    if isinstance(reason, str):
        return reason, look_at_it
    # The message of a foreign exception may quote a secret: the log gets type and place only.
    places = traceback.extract_tb(reason.__traceback__)
    lines = "\n".join(f"  {place.filename}:{place.lineno} in {place.name}" for place in places)
    _log.error("An item of %s was skipped because of %s\n%s", app_name, type(reason).__name__, lines)
    why = f"The app failed with an unexpected error ({type(reason).__name__})."
    return why, f"{look_at_it} If it looks normal, send the log to the app's author."


def _one_line(text: str, limit: int) -> str:
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
