"""Google Tasks. API: version 1, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_task, create_task_list, find_task, update_task
from .auth import auth
from .dynamic_data import list_task_lists, list_tasks
from .triggers import new_completed_tasks, new_task_lists, new_tasks

app = App(
    name="Google Tasks",
    key="google-tasks",
    supports_connections=True,
    base_url="https://calendar.google.com/calendar/u/0/r/tasks",
    api_base_url="https://tasks.googleapis.com",
    primary_color="#0066DA",
    description="Start a flow for new and completed tasks, and create, find, and update tasks.",
    category="Productivity",
    keywords=("to-do", "task list"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_completed_tasks, new_task_lists, new_tasks],
    actions=[create_task, create_task_list, find_task, update_task],
    dynamic_data=[list_task_lists, list_tasks],
)
