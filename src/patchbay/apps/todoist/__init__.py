"""Todoist, task lists. API: version 1, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_task
from .auth import auth
from .dynamic_data import list_labels, list_projects, list_sections
from .triggers import get_active_tasks

app = App(
    name="Todoist",
    key="todoist",
    supports_connections=True,
    base_url="https://todoist.com",
    api_base_url="https://api.todoist.com/api/v1",
    primary_color="#E44332",
    description="Start a flow for active tasks, and create tasks.",
    category="Productivity",
    keywords=("to-do", "task list"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[get_active_tasks],
    actions=[create_task],
    dynamic_data=[list_labels, list_projects, list_sections],
)
