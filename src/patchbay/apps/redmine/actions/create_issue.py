"""The action “Create issue”."""

from patchbay.integration import Action, Context, dropdown, text
from patchbay.integration.values import text_of

_SENT_AS = {
    "projectId": "project_id",
    "trackerId": "tracker_id",
    "subject": "subject",
    "description": "description",
    "priorityId": "priority_id",
    "assigneeId": "assigned_to_id",
    "dueDate": "due_date",
}


async def run(ctx: Context) -> None:
    """Create an issue; Redmine's own defaults apply to empty fields."""
    values = {name: text_of(ctx.parameters, key).strip() for key, name in _SENT_AS.items()}
    issue = {name: value for name, value in values.items() if value}
    response = await ctx.http.post("/issues.json", json={"issue": issue})
    ctx.set_action_item(response.json()["issue"])


create_issue = Action(
    key="createIssue",
    name="Create issue",
    description="Creates an issue in a project.",
    arguments=(
        dropdown("projectId", "Project", source="listProjects", required=True, variables=True),
        dropdown(
            "trackerId",
            "Tracker",
            source="listTrackers",
            within="projectId",
            variables=True,
            description="If empty, the project's first tracker.",
        ),
        text("subject", "Subject", required=True),
        text("description", "Description", multiline=True, description="Use your Redmine's markup."),
        dropdown("priorityId", "Priority", source="listPriorities", variables=True),
        dropdown(
            "assigneeId",
            "Assignee",
            source="listAssignees",
            within="projectId",
            variables=True,
        ),
        text("dueDate", "Due date", placeholder="2026-12-31"),
    ),
    run=run,
)
