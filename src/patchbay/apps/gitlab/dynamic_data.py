"""Projects for dropdowns."""

from patchbay.integration import link_header, option_list

list_projects = option_list(
    "listProjects",
    "/api/v4/projects",
    # The simple form has all that is shown. Keyset pagination has no limit on the number of pages.
    query={
        "membership": True,
        "order_by": "id",
        "sort": "desc",
        "pagination": "keyset",
        "simple": True,
        "per_page": 100,
    },
    label="{name_with_namespace|name}",
    pages=link_header(),
)
