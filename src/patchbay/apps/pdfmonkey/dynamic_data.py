"""Workspaces and templates for dropdowns."""

from patchbay.integration import cursor, option_list

PAGES = cursor("meta.next_page", "page[number]")

list_workspaces = option_list(
    "listWorkspaces", "/v1/workspace_cards", at="workspace_cards", label="{identifier}", pages=PAGES
)
list_templates = option_list(
    "listTemplates",
    "/v1/document_template_cards",
    at="document_template_cards",
    label="{identifier}",
    query={"q[workspace_id]": "{workspaceId}"},
    pages=PAGES,
    requires=("workspaceId",),
)
