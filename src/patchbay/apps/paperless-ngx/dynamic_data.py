"""Dropdown lists."""

from patchbay.integration import option_list

from .paging import numbered_pages

list_tags = option_list("listTags", "/api/tags/", at="results", pages=numbered_pages())
list_correspondents = option_list(
    "listCorrespondents", "/api/correspondents/", at="results", pages=numbered_pages()
)
list_document_types = option_list(
    "listDocumentTypes", "/api/document_types/", at="results", pages=numbered_pages()
)
