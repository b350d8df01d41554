"""Actions."""

from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Action, Context, OnInterrupted, dropdown, request_action, segment, text
from patchbay.integration.values import text_of

from .properties import EDITABLE, paragraph, property_value, rich_text

_DATABASE = dropdown("databaseId", "Database", source="listDatabases", required=True)
_CONTENT = text("content", "Content", multiline=True, description="The text of the page, as one paragraph.")


def _page(parent_key: str, parameter: str, title_parameter: str, parameters: JsonObject) -> JsonObject:
    """The body that creates a page. The title is the property `title`, whatever its name is."""
    content = text_of(parameters, "content")
    page: JsonObject = {
        "parent": {parent_key: parameters.get(parameter)},
        "properties": {"title": {"title": rich_text(text_of(parameters, title_parameter))}},
    }
    return {**page, "children": [paragraph(content)]} if content else page


create_database_item = request_action(
    key="createDatabaseItem",
    name="Create database item",
    description="Adds an item to a database.",
    arguments=(_DATABASE, text("name", "Name"), _CONTENT),
    request="POST /v1/pages",
    body=lambda parameters: _page("database_id", "databaseId", "name", parameters),
)

create_page = request_action(
    key="createPage",
    name="Create page",
    description="Creates a page inside another page.",
    arguments=(
        dropdown("parentPageId", "Parent page", source="listParentPages", required=True, variables=True),
        text("title", "Title"),
        _CONTENT,
    ),
    request="POST /v1/pages",
    body=lambda parameters: _page("page_id", "parentPageId", "title", parameters),
)

find_database_item = request_action(
    key="findDatabaseItem",
    name="Find database item",
    description="Finds the item with this name that was edited last. Outputs nothing if there is none.",
    arguments=(_DATABASE, text("name", "Name")),
    request="POST /v1/databases/{databaseId}/query",
    body={
        "filter": {"property": "title", "title": {"equals": "{name}"}},
        "sorts": [{"timestamp": "last_edited_time", "direction": "descending"}],
    },
    output="results.0",
    on_interrupted=OnInterrupted.REPEAT,
)


async def _update(ctx: Context) -> None:
    """Change the filled properties, and replace the first paragraph."""
    parameters = ctx.parameters
    database_id, item_id = segment(parameters.get("databaseId")), segment(parameters.get("itemId"))
    database = (await ctx.http.get(f"/v1/databases/{database_id}")).json()
    if content := text_of(parameters, "content"):
        await _set_first_paragraph(ctx, item_id, content)
    changed: dict[str, Json] = {
        name: property_value(value["type"], name, parameters)
        for name, value in database["properties"].items()
        if value["type"] in EDITABLE and text_of(parameters, name)
    }
    response = await ctx.http.patch(f"/v1/pages/{item_id}", json={"properties": changed})
    ctx.set_action_item(response.json())


async def _set_first_paragraph(ctx: Context, item_id: str, content: str) -> None:
    blocks: list[dict[str, Any]] = (await ctx.http.get(f"/v1/blocks/{item_id}/children")).json()["results"]
    first = next((block["id"] for block in blocks if block["type"] == "paragraph"), None)
    if first is None:
        await ctx.http.patch(f"/v1/blocks/{item_id}/children", json={"children": [paragraph(content)]})
    else:
        await ctx.http.patch(
            f"/v1/blocks/{segment(first)}", json={"paragraph": {"rich_text": rich_text(content)}}
        )


update_database_item = Action(
    key="updateDatabaseItem",
    name="Update database item",
    description="Changes properties of an item, and its first paragraph. Empty fields stay as they are.",
    arguments=(
        dropdown(
            "databaseId",
            "Database",
            source="listDatabases",
            required=True,
            variables=True,
            more_fields="listDatabaseProperties",
        ),
        dropdown(
            "itemId",
            "Item",
            source="listDatabaseItems",
            within="databaseId",
            required=True,
            variables=True,
        ),
        _CONTENT,
    ),
    run=_update,
    on_interrupted=OnInterrupted.REPEAT,
)
