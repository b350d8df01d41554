"""Projects, sections, and labels for dropdowns."""

from patchbay.integration import cursor, option_list

_PAGES = cursor("next_cursor", "cursor", limit_key="limit", limit=200)

list_projects = option_list("listProjects", "/projects", at="results", pages=_PAGES, in_order=True)
list_sections = option_list(
    "listSections",
    "/sections",
    query={"project_id": "{projectId}"},
    at="results",
    pages=_PAGES,
    requires=("projectId",),
    in_order=True,
)
list_labels = option_list("listLabels", "/labels", at="results", value="{name}", pages=_PAGES)
