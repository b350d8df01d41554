"""Repositories and labels for dropdowns."""

from patchbay.integration import link_header, option_list

list_repos = option_list(
    "listRepos",
    "/user/repos",
    label="{full_name}",
    value="{full_name}",
    pages=link_header(limit_key="per_page"),
)

list_labels = option_list(
    "listLabels",
    "/repos/{repo:path}/labels",
    label="{name}",
    value="{name}",
    pages=link_header(limit_key="per_page"),
)
