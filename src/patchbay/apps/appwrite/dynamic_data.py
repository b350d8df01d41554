"""Databases and collections for dropdowns."""

from patchbay.integration import option_list

from .queries import QueryPages

list_databases = option_list(
    "listDatabases", "/v1/databases", at="databases", value="{$id}", pages=QueryPages()
)

list_collections = option_list(
    "listCollections",
    "/v1/databases/{databaseId}/collections",
    at="collections",
    value="{$id}",
    pages=QueryPages(),
)
