"""Triggers."""

from patchbay.integration import list_items, polling_trigger
from patchbay.integration.google import google_pages

from .actions import ALL_TASKS, task_list_dropdown

new_completed_tasks = polling_trigger(
    key="newCompletedTasks",
    name="New completed task",
    description="Starts when a task of a list is completed for the first time.",
    arguments=[task_list_dropdown()],
    items=list_items(
        "/tasks/v1/lists/{taskListId}/tasks",
        at="items",
        query=ALL_TASKS,
        pages=google_pages("maxResults"),
        only=lambda task, parameters: task.get("status") == "completed",
        absent_if_empty=True,
        sort_by="completed",
    ),
)

new_task_lists = polling_trigger(
    key="newTaskLists",
    name="New task list",
    description="Starts when a task list is created.",
    items=list_items(
        "/tasks/v1/users/@me/lists",
        at="items",
        pages=google_pages("maxResults"),
        absent_if_empty=True,
        last_first=True,
    ),
)

new_tasks = polling_trigger(
    key="newTasks",
    name="New task",
    description="Starts when a task is added to a list.",
    arguments=[task_list_dropdown()],
    items=list_items(
        "/tasks/v1/lists/{taskListId}/tasks",
        at="items",
        pages=google_pages("maxResults"),
        absent_if_empty=True,
        sort_by="updated",
    ),
)
