"""Projects for dropdowns."""

from patchbay.integration import option_list

list_projects = option_list("listProjects", "/api/v4/projects", at="projects")
