"""Values of a trigger's output that are known from its parameters, such as the fields of a form."""

import re
from collections.abc import Mapping

from patchbay.domain.apps import ActionInfo, TriggerInfo
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import is_visible

MAX_KEY_LENGTH = 60
_SEPARATORS = re.compile(r"[^a-z0-9]+")


def key_from_label(label: str, number: int) -> str:
    """The key derived from a label: “First name” becomes `first_name`. `number` is that of the row."""
    return _SEPARATORS.sub("_", label.lower()).strip("_")[:MAX_KEY_LENGTH].rstrip("_") or f"field_{number}"


def declared_output(event: TriggerInfo | ActionInfo | None, parameters: JsonObject) -> JsonObject | None:
    """The output of a trigger with empty values, as far as its parameters define it; None if they don't."""
    named = event.row_output if isinstance(event, TriggerInfo) else None
    if event is None or named is None:
        return None
    argument = next((item for item in event.arguments if item.key == named.argument), None)
    rows = parameters.get(named.argument)
    if argument is None or not is_visible(argument, parameters) or not isinstance(rows, list):
        return None
    keys = [_row_key(row, named.key, named.label, number) for number, row in enumerate(rows, 1)]
    values: JsonObject = {key: "" for key in keys if key}
    return {named.group: values} if values else None


def _row_key(row: Json, key: str, label: str, number: int) -> str:
    """The key of a row; empty while it has neither a key nor a label."""
    entered: Mapping[str, Json] = row if isinstance(row, dict) else {}
    own, title = (str(entered.get(name) or "").strip() for name in (key, label))
    return own or (key_from_label(title, number) if title else "")
