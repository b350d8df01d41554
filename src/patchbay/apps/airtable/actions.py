"""Actions."""

from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import is_empty
from patchbay.integration import (
    Action,
    Argument,
    Context,
    OnInterrupted,
    dropdown,
    request_action,
    segment,
    text,
)
from patchbay.integration.values import as_bool, parameter_error, text_of

from .schema import cell_value, find_table

_BASE = dropdown("baseId", "Base", source="listBases", required=True, variables=True)


def _table(more_fields: str | None = None) -> Argument:
    return dropdown(
        "tableId",
        "Table",
        source="listTables",
        within="baseId",
        required=True,
        variables=True,
        more_fields=more_fields,
    )


def _in_table(key: str, label: str, source: str) -> Argument:
    """A dropdown of what the chosen table has."""
    return dropdown(
        key,
        label,
        source=source,
        within=("baseId", "tableId"),
        variables=True,
    )


def _entered(parameters: JsonObject, field: dict[str, Any]) -> Json:
    """The input of a field: under its ID, or under its name in imported flows."""
    by_id = parameters.get(field["id"])
    return parameters.get(field["name"]) if is_empty(by_id) else by_id


async def _create(ctx: Context) -> None:
    """Create a record of the filled fields, whose types are those of the table."""
    base_id, table_id = segment(ctx.parameters.get("baseId")), segment(ctx.parameters.get("tableId"))
    if (table := await find_table(ctx)) is None:
        raise parameter_error("tableId", "This table isn't in the base.", "Choose another one.")
    entered = {field["id"]: _entered(ctx.parameters, field) for field in table["fields"]}
    values = {
        field["id"]: cell_value(field["type"], entered[field["id"]])
        for field in table["fields"]
        if not is_empty(entered[field["id"]])
    }
    response = await ctx.http.post(f"/v0/{base_id}/{table_id}", json={"typecast": True, "fields": values})
    ctx.set_action_item(response.json())


create_record = Action(
    key="createRecord",
    name="Create record",
    description="Creates a record in a table.",
    arguments=(
        _BASE,
        _table(more_fields="listFields"),
    ),
    run=_create,
)


def _search(parameters: JsonObject) -> JsonObject:
    """The body of the search: a formula, or one made of the field and the value."""
    formula = text_of(parameters, "searchFormula")
    field, value = text_of(parameters, "tableField"), text_of(parameters, "searchValue")
    if not formula and field and value:
        column = "{" + field.replace("\\", "\\\\").replace("}", "\\}") + "}"
        quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        formula = f"({column} & '') = {quoted}"
        if not as_bool(parameters.get("exactMatch"), True):
            formula = f"FIND(LOWER({quoted}), LOWER({column} & ''))"
    return {"filterByFormula": formula, "view": parameters.get("limitToView")}


find_record = request_action(
    key="findRecord",
    name="Find record",
    description="Finds records by the value of a field, or with a formula.",
    arguments=(
        _BASE,
        _table(),
        _in_table("tableField", "Field", "listTableFields"),
        text("searchValue", "Value"),
        dropdown(
            "exactMatch",
            "Exact match",
            (("true", "Yes"), ("false", "No")),
            required=True,
            value="true",
            variables=True,
            description="No: the field contains the value, in upper or lower case.",
        ),
        text(
            "searchFormula",
            "Formula",
            placeholder='AND({Status} = "Open", {Amount} > 100)',
            description="In Airtable's formula language. The field and the value above then don't count.",
        ),
        _in_table("limitToView", "View", "listTableViews"),
    ),
    request="POST /v0/{baseId}/{tableId}/listRecords",
    body=_search,
    on_interrupted=OnInterrupted.REPEAT,
)
