"""Triggers."""

from patchbay.domain.base import JsonObject
from patchbay.integration import cursor, dropdown, list_items, polling_trigger, text


def _query(parameters: JsonObject) -> JsonObject:
    """A filter replaces the other conditions: Todoist's filter language can express them."""
    if parameters.get("filter"):
        return {"query": parameters["filter"]}
    return {
        "project_id": parameters.get("projectId"),
        "section_id": parameters.get("sectionId"),
        "label": parameters.get("label"),
    }


get_active_tasks = polling_trigger(
    key="getActiveTasks",
    name="Active task",
    description="Starts for each active task that fits, once.",
    arguments=[
        dropdown("projectId", "Project", source="listProjects"),
        dropdown(
            "sectionId",
            "Section",
            source="listSections",
            within="projectId",
        ),
        dropdown("label", "Label", source="listLabels"),
        text(
            "filter",
            "Filter",
            variables=False,
            placeholder="today | overdue",
            description="In Todoist's filter language. The fields above then don't count.",
        ),
    ],
    items=list_items(
        lambda parameters: "/tasks/filter" if parameters.get("filter") else "/tasks",
        query=_query,
        at="results",
        pages=cursor("next_cursor", "cursor", limit_key="limit", limit=200),
        sort_by="added_at",
    ),
)
