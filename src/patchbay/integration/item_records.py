"""How items of triggers are recorded: under which ID, and as failed executions if they can't be handled."""

import logging
import traceback

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError
from patchbay.domain.trigger_sources import shorten_id
from patchbay.integration.masking import Masker

_log = logging.getLogger(__name__)

ITEM_SKIPPED = "ItemSkipped"
"""Kind of the error details of a skipped item."""
MAX_ITEM_NAME_LENGTH = 200
_MAX_REASON_LENGTH = 500


def to_stored_id(internal_id: str, masker: Masker) -> str:
    """The ID as it is stored permanently: without secrets, short, and with characters that can be stored.

    IDs without letters aren't masked: they can't be secrets, and apps compare them as numbers. PostgreSQL
    can't store NUL.
    """
    if not internal_id.isascii():
        internal_id = internal_id.encode("utf-8", "backslashreplace").decode()
    is_numeric = not any(map(str.isalpha, internal_id))
    kept = internal_id if is_numeric else masker.text(internal_id)
    return shorten_id(kept.replace("\0", "\ufffd").encode())


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
