"""The tables of a base, and how entered values are sent for their fields."""

from typing import Any

from patchbay.domain.base import Json
from patchbay.integration import Context, segment
from patchbay.integration.values import as_bool, as_number, as_text, json_number

COMPUTED = frozenset(
    (
        "aiText",
        "autoNumber",
        "button",
        "count",
        "createdBy",
        "createdTime",
        "externalSyncSource",
        "formula",
        "lastModifiedBy",
        "lastModifiedTime",
        "lookup",
        "multipleLookupValues",
        "rollup",
    )
)
"""Types of fields that Airtable fills itself."""
CHOICES = frozenset(("singleSelect", "multipleSelects"))
_NUMBERS = frozenset(("number", "currency", "percent", "duration", "rating"))


async def find_table(ctx: Context) -> dict[str, Any] | None:
    """The chosen table with its fields and views; None while none is chosen."""
    base_id, table_id = ctx.parameters.get("baseId"), ctx.parameters.get("tableId")
    if not base_id or not table_id:
        return None
    found = (await ctx.http.get(f"/v0/meta/bases/{segment(base_id)}/tables")).json()
    return next((table for table in found["tables"] if table_id in (table["id"], table["name"])), None)


def cell_value(kind: str, value: Json) -> Json:
    """An entered value as a field of this type expects it; Airtable converts what doesn't fit."""
    if not isinstance(value, str):
        return value
    if kind == "multipleAttachments":
        return [{"url": part.strip()} for part in value.split(",") if part.strip()]
    if kind in ("multipleSelects", "multipleRecordLinks", "multipleCollaborators"):
        return [part.strip() for part in value.split(",") if part.strip()]
    if kind == "checkbox":
        return as_bool(value)
    if kind == "singleCollaborator":
        return {"email": value} if "@" in value else {"id": value}
    if kind == "barcode":
        return {"text": value}
    number = as_number(value) if kind in _NUMBERS else None
    return as_text(value) if number is None else json_number(number)
