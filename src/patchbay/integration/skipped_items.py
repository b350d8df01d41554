"""How items of triggers that can't be handled are recorded: as failed executions that give the reason."""

import logging
import traceback

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError

_log = logging.getLogger(__name__)

ITEM_SKIPPED = "ItemSkipped"
"""Kind of the error details of a skipped item."""
MAX_ITEM_NAME_LENGTH = 200
_MAX_REASON_LENGTH = 500


def skipped_item_details(app_name: str, internal_id: str, name: str, reason: Exception | str) -> JsonObject:
    """The error details of the failed execution that represents a skipped item."""
    shown = (
        f"“{_one_line(name, MAX_ITEM_NAME_LENGTH)}” ({internal_id[:MAX_ITEM_NAME_LENGTH]})"
        if name
        else internal_id[:MAX_ITEM_NAME_LENGTH]
    )
    reason_text, todo = _explain_skip(app_name, reason)
    return {
        "kind": ITEM_SKIPPED,
        "happened": f"An item of {app_name} was skipped: {shown}. "
        f"{_one_line(reason_text, _MAX_REASON_LENGTH)}",
        "meaning": "No run was started for it, and it won't be retried. Later items aren't affected.",
        "todo": todo,
        "item": {"id": internal_id[:MAX_ITEM_NAME_LENGTH], "name": _one_line(name, MAX_ITEM_NAME_LENGTH)},
    }


def _explain_skip(app_name: str, reason: Exception | str) -> tuple[str, str]:
    """Why the item was skipped, and what can be done."""
    hint = f"Open the item in {app_name}, and delete it there if you don't need it."
    if isinstance(reason, AppError):
        return f"{reason.happened} {reason.meaning}".strip(), hint
    if isinstance(reason, str):
        return reason, hint
    # The message of an app's exception may contain a secret: only its type and location are logged.
    frames = traceback.extract_tb(reason.__traceback__)
    lines = "\n".join(f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames)
    _log.error("An item of %s was skipped because of %s\n%s", app_name, type(reason).__name__, lines)
    reason_text = f"The app failed with an unexpected error ({type(reason).__name__})."
    return reason_text, f"{hint} If the item looks fine, send the log to the app's author."


def _one_line(text: str, limit: int) -> str:
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
