"""Projects for dropdowns."""

from patchbay.integration import option_list, page_numbers

list_projects = option_list(
    "listProjects", "/api/v4/projects", at="projects", query={"limit": 100}, pages=page_numbers()
)
