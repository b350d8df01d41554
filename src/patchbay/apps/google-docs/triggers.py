"""Triggers."""

from patchbay.integration import polling_trigger
from patchbay.integration.google import drive_dropdown, drive_files, files_of_type

from .actions import DOCUMENT_TYPE

new_document = polling_trigger(
    key="newDocument",
    name="New document",
    description="Starts when a document is created in a drive.",
    arguments=[drive_dropdown()],
    items=drive_files(files_of_type(DOCUMENT_TYPE)),
)
