"""Triggers."""

from patchbay.integration import Trigger, dropdown, list_items, polling_trigger

from .dynamic_data import PAGES


def _items_trigger(key: str, name: str, description: str, time: str, internal_id: str) -> Trigger:
    return polling_trigger(
        key=key,
        name=name,
        description=description,
        arguments=[dropdown("databaseId", "Database", source="listDatabases", required=True)],
        items=list_items(
            "POST /v1/databases/{databaseId}/query",
            body={"sorts": [{"timestamp": time, "direction": "descending"}]},
            at="results",
            internal_id=internal_id,
            pages=PAGES,
        ),
    )


new_database_items = _items_trigger(
    "newDatabaseItems",
    "New database item",
    "Starts when an item is added to a database.",
    "created_time",
    "id",
)
updated_database_items = _items_trigger(
    "updatedDatabaseItems",
    "Updated database item",
    "Starts when an item of a database is added or changed. Notion's times are whole minutes.",
    "last_edited_time",
    "{id}-{last_edited_time}",
)
