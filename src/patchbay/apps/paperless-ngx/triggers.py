"""Triggers."""

from patchbay.integration import dropdown, list_items, polling_trigger

from .paging import numbered_pages

new_document = polling_trigger(
    key="newDocument",
    name="New document",
    description="Starts for each document that has been added.",
    arguments=(
        dropdown(
            "tagId",
            "Tag",
            source="listTags",
            description="Only documents with this tag. Leave empty for all.",
        ),
        dropdown(
            "correspondentId",
            "Correspondent",
            source="listCorrespondents",
            description="Only documents of this correspondent. Leave empty for all.",
        ),
        dropdown(
            "documentTypeId",
            "Document type",
            source="listDocumentTypes",
            description="Only documents of this type. Leave empty for all.",
        ),
    ),
    items=list_items(
        "/api/documents/",
        at="results",
        query={
            "ordering": "-added",
            "tags__id__all": "{tagId}",
            "correspondent__id": "{correspondentId}",
            "document_type__id": "{documentTypeId}",
        },
        pages=numbered_pages(),
    ),
)
