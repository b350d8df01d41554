"""Actions."""

import json

from patchbay.domain.base import JsonObject
from patchbay.domain.fields import is_empty
from patchbay.integration import Action, Context, OnInterrupted, dropdown, request_action, segment, text
from patchbay.integration.templates import fill
from patchbay.integration.values import text_of

from .fields import TABLES, fields_of

_TYPE = dropdown("doctype", "Type of document", source="listDoctypes", required=True, variables=True)
_TYPE_WITH_FIELDS = dropdown(
    "doctype",
    "Type of document",
    source="listDoctypes",
    required=True,
    variables=True,
    more_fields="listFields",
)
_NAME = text(
    "documentName", "Name of the document", required=True, description="Its ID, such as SINV-26-00001."
)
_DOCUMENT = "/api/v2/document/{doctype}/{documentName}"


async def _values(ctx: Context) -> JsonObject:
    """The filled fields. Only if one looks like a list, the types of the fields are needed."""
    own = (_TYPE.key, _NAME.key)
    values = {key: value for key, value in ctx.parameters.items() if key not in own and not is_empty(value)}
    lists = [key for key, value in values.items() if str(value).lstrip().startswith("[")]
    if lists:
        tables = {field["fieldname"] for field in await fields_of(ctx) if field["fieldtype"] in TABLES}
        values |= {key: fill(f"{{{key}:json}}", values) for key in lists if key in tables}
    return values


async def _create(ctx: Context) -> None:
    doctype = segment(text_of(ctx.parameters, "doctype"))
    response = await ctx.http.post(f"/api/v2/document/{doctype}", json=await _values(ctx))
    ctx.set_action_item(response.json())


async def _update(ctx: Context) -> None:
    doctype, name = (segment(text_of(ctx.parameters, key)) for key in ("doctype", "documentName"))
    response = await ctx.http.patch(f"/api/v2/document/{doctype}/{name}", json=await _values(ctx))
    ctx.set_action_item(response.json())


create_doc = Action(
    key="createDoc",
    name="Create document",
    description="Creates a document. Choose the type first: its fields then appear here.",
    arguments=(_TYPE_WITH_FIELDS,),
    run=_create,
)

get_doc = request_action(
    key="getDoc",
    name="Get document",
    description="Reads a document.",
    arguments=(_TYPE, _NAME),
    request=f"GET {_DOCUMENT}",
)

update_doc = Action(
    key="updateDoc",
    name="Update document",
    description="Changes a document. Fields that you leave empty stay as they are.",
    arguments=(_TYPE_WITH_FIELDS, _NAME),
    run=_update,
    on_interrupted=OnInterrupted.REPEAT,
)

delete_doc = request_action(
    key="deleteDoc",
    name="Delete document",
    description="Deletes a document.",
    arguments=(_TYPE, _NAME),
    request=f"DELETE {_DOCUMENT}",
)


def _list_query(parameters: JsonObject) -> JsonObject:
    """The conditions. Fields can be entered as a list in JSON or with commas."""
    fields = text_of(parameters, "fields").strip()
    if fields and not fields.startswith("["):
        fields = json.dumps([name.strip() for name in fields.split(",") if name.strip()])
    return {"fields": fields, "filters": parameters.get("filters"), "limit": parameters.get("limit")}


get_list = request_action(
    key="getList",
    name="List documents",
    description="Lists documents of a type.",
    arguments=(
        _TYPE,
        text("fields", "Fields", placeholder="name, status", description="If empty, only the names."),
        text(
            "filters",
            "Filters",
            multiline=True,
            placeholder='[["status", "=", "Open"]]',
            description="Conditions in JSON: field, operator, and value.",
        ),
        text("limit", "Limit", value="20", description="The greatest number of documents."),
    ),
    request="GET /api/v2/document/{doctype}",
    query=_list_query,
)
