"""Triggers."""

from collections.abc import AsyncGenerator

from patchbay.domain.base import Json
from patchbay.integration import Context, dropdown, polling_trigger
from patchbay.integration.paging import rows_of
from patchbay.integration.values import as_text

from .soql import MAX_ROWS, name_in

_MAX_OFFSET = 2000
"""Salesforce skips no more rows than this."""


async def _changed_records(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """Records with values that aren't known, latest change first.

    Changes to other fields bring known values to the top, so reading doesn't stop at the first one.
    """
    record, field = name_in(ctx.parameters, "object"), name_in(ctx.parameters, "field")
    query = f"SELECT FIELDS(ALL) FROM {record} ORDER BY LastModifiedDate DESC LIMIT {MAX_ROWS}"
    for offset in range(0, _MAX_OFFSET + 1, MAX_ROWS):
        response = await ctx.http.get("/services/data/v56.0/query", params={"q": f"{query} OFFSET {offset}"})
        rows = [(row, f"{row['Id']}-{as_text(row.get(field))}") for row in rows_of(response, "records")]
        known = await ctx.seen([internal_id for _, internal_id in rows])
        for item in rows:
            if item[1] not in known:
                yield item
        if len(rows) < MAX_ROWS or len(known) == len(rows):
            return


updated_field_in_records = polling_trigger(
    key="updatedFieldInRecords",
    name="Updated field in records",
    description="Starts when a field of a record gets a value that it didn't have before.",
    arguments=[
        dropdown("object", "Object", source="listObjects", required=True),
        dropdown(
            "field",
            "Field",
            source="listFields",
            within="object",
            required=True,
        ),
    ],
    source=["object", "field"],
    items=_changed_records,
)
