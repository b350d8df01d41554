"""Asana, project management. API: REST, version 1.0, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_project, create_task, find_project, find_task_in_project
from .auth import auth
from .dynamic_data import list_projects, list_sections, list_tags, list_teams, list_users, list_workspaces

app = App(
    name="Asana",
    key="asana",
    supports_connections=True,
    base_url="https://asana.com",
    api_base_url="https://app.asana.com/api",
    primary_color="#690031",
    description="Create projects and tasks, and find them by name.",
    category="Project management",
    keywords=("task", "to-do"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    actions=[create_project, create_task, find_project, find_task_in_project],
    dynamic_data=[list_projects, list_sections, list_tags, list_teams, list_users, list_workspaces],
)
