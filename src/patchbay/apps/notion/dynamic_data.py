"""Databases, their items, pages, and tags for dropdowns."""

from typing import Any

from patchbay.integration import cursor, option_list

from .properties import title_of

PAGES = cursor("next_cursor", "start_cursor", in_body=True, more="has_more")

list_databases = option_list(
    "listDatabases",
    "POST /v1/search",
    body={"filter": {"property": "object", "value": "database"}},
    at="results",
    label="{title.0.plain_text}",
    pages=PAGES,
)
list_parent_pages = option_list(
    "listParentPages",
    "POST /v1/search",
    body={"filter": {"property": "object", "value": "page"}},
    at="results",
    label=title_of,
    pages=PAGES,
)
list_database_items = option_list(
    "listDatabaseItems",
    "POST /v1/databases/{databaseId}/query",
    body={},
    at="results",
    label=title_of,
    pages=PAGES,
)


def _tags(database: dict[str, Any]) -> list[Any]:
    """The options of all properties in which several can be chosen."""
    kinds = [value for value in database["properties"].values() if value["type"] == "multi_select"]
    return [option for value in kinds for option in value["multi_select"]["options"]]


list_tags = option_list("listTags", "/v1/databases/{databaseId}", at=_tags, value="{name}")
