"""The fields of the chosen table as inputs."""

from collections.abc import Sequence
from typing import Any

from patchbay.integration import YES_NO, Argument, Context, DynamicFields, dropdown, text

from .schema import COMPUTED, find_table

_HINTS = {
    "multipleSelects": "Options, separated by commas.",
    "multipleRecordLinks": "Record IDs, separated by commas.",
    "multipleCollaborators": "User IDs, separated by commas.",
    "multipleAttachments": "URLs, separated by commas. Airtable downloads the files.",
    "singleCollaborator": "An email address or a user ID.",
    "date": "Such as 2026-03-31.",
    "dateTime": "Such as 2026-03-31T14:30:00Z.",
    "duration": "In seconds.",
    "percent": "A fraction, such as 0.5 for 50%.",
}


async def load(ctx: Context) -> Sequence[Argument]:
    """An input for each field that can be filled. Nothing while no table is chosen."""
    table = await find_table(ctx)
    return [_argument(field) for field in (table["fields"] if table else ()) if field["type"] not in COMPUTED]


def _argument(field: dict[str, Any]) -> Argument:
    key, label, kind = field["id"], field["name"], field["type"]
    if kind == "singleSelect":
        choices = field.get("options", {}).get("choices", ())
        return dropdown(key, label, [choice["name"] for choice in choices], variables=True)
    if kind == "checkbox":
        return dropdown(key, label, YES_NO, variables=True)
    is_long = kind in ("multilineText", "richText")
    return text(key, label, multiline=is_long, description=_HINTS.get(kind, ""))


list_fields = DynamicFields(key="listFields", load=load)
