"""Triggers."""

from patchbay.integration import dropdown, list_items, page_numbers, polling_trigger

new_errors = polling_trigger(
    key="newErrors",
    name="New error",
    description="Starts when an error appears in a project for the first time, not when it appears again.",
    arguments=[dropdown("projectId", "Project", source="listProjects", required=True, variables=True)],
    items=list_items(
        "/api/v4/projects/{projectId}/groups",
        at="groups",
        # By default, errors that appeared again come first.
        query={"order": "created", "limit": 100},
        pages=page_numbers(),
    ),
)
