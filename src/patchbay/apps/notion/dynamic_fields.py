"""The properties of the chosen database as fields."""

from collections.abc import Sequence
from typing import Any

from patchbay.integration import YES_NO, Argument, Context, DynamicFields, dropdown, segment, text

from .properties import CHOICES, EDITABLE


async def load(ctx: Context) -> Sequence[Argument]:
    """A field for each property that can be changed. Nothing while no database is chosen."""
    database_id = ctx.parameters.get("databaseId")
    if not database_id:
        return []
    database = (await ctx.http.get(f"/v1/databases/{segment(database_id)}")).json()
    found = sorted(database["properties"].items())
    return [_field(name, value) for name, value in found if value["type"] in EDITABLE]


def _field(name: str, value: dict[str, Any]) -> Argument:
    kind = value["type"]
    if kind in CHOICES and value[kind]["options"]:
        return dropdown(name, name, [option["name"] for option in value[kind]["options"]], variables=True)
    if kind == "checkbox":
        return dropdown(name, name, YES_NO, variables=True)
    hint = {"multi_select": "Separated by commas.", "date": "Such as 2026-03-31."}.get(kind, "")
    return text(name, name, description=hint)


list_database_properties = DynamicFields(key="listDatabaseProperties", load=load)
