"""Task lists and tasks for dropdowns."""

from patchbay.integration import option_list
from patchbay.integration.google import google_pages

list_task_lists = option_list(
    "listTaskLists",
    "/tasks/v1/users/@me/lists",
    at="items",
    label="{title}",
    pages=google_pages("maxResults"),
    absent_if_empty=True,
)

list_tasks = option_list(
    "listTasks",
    "/tasks/v1/lists/{taskListId}/tasks",
    at="items",
    label="{title}",
    pages=google_pages("maxResults"),
    absent_if_empty=True,
)
