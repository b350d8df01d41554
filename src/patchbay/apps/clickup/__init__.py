"""ClickUp, project management. API: REST, version 2, with OAuth 2."""

from patchbay.integration import App, RateLimit, bearer

from .actions import create_folder, create_list, create_task, find_task_by_id
from .auth import auth
from .dynamic_data import (
    list_assignees,
    list_folders,
    list_lists,
    list_spaces,
    list_statuses,
    list_tags,
    list_tasks,
    list_workspaces,
)
from .dynamic_fields import list_fields_when_using_custom_id
from .triggers import new_folder, new_lists, new_tasks, updated_task

app = App(
    name="ClickUp",
    key="clickup",
    supports_connections=True,
    base_url="https://clickup.com",
    api_base_url="https://api.clickup.com/api",
    primary_color="#FD71AF",
    description="Start a flow for new and changed tasks, and create folders, lists, and tasks.",
    category="Project management",
    keywords=("task", "to-do"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    rate_limit=RateLimit(calls=100, seconds=60),
    triggers=[new_folder, new_lists, new_tasks, updated_task],
    actions=[create_folder, create_list, create_task, find_task_by_id],
    dynamic_data=[
        list_assignees,
        list_folders,
        list_lists,
        list_spaces,
        list_statuses,
        list_tags,
        list_tasks,
        list_workspaces,
    ],
    dynamic_fields=[list_fields_when_using_custom_id],
)
