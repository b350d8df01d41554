"""Triggers."""

from patchbay.integration import dropdown, list_items, polling_trigger

from .queries import QueryPages

new_documents = polling_trigger(
    key="newDocuments",
    name="New document",
    description="Starts when a document is created in a collection (a row in a table).",
    arguments=[
        dropdown("databaseId", "Database", source="listDatabases", required=True, variables=True),
        dropdown(
            "collectionId",
            "Collection",
            source="listCollections",
            within="databaseId",
            required=True,
            variables=True,
        ),
    ],
    source=["databaseId", "collectionId"],
    items=list_items(
        "/v1/databases/{databaseId}/collections/{collectionId}/documents",
        at="documents",
        internal_id="$id",
        pages=QueryPages({"method": "orderDesc", "attribute": "$createdAt"}),
    ),
)
