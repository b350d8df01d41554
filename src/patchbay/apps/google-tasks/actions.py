"""Actions."""

import re

from patchbay.domain.base import JsonObject
from patchbay.domain.fields import Argument
from patchbay.integration import Action, Context, OnInterrupted, dropdown, request_action, text
from patchbay.integration.described_requests import prepare, values_of
from patchbay.integration.google import google_pages
from patchbay.integration.paging import read_pages
from patchbay.integration.values import text_of

ALL_TASKS: JsonObject = {"showCompleted": True, "showHidden": True}
"""Completed tasks are hidden once Google's own apps have cleared them."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def task_list_dropdown(*, variables: bool = True) -> Argument:
    """The argument that chooses a task list."""
    return dropdown("taskListId", "Task list", source="listTaskLists", required=True, variables=variables)


def _due_text() -> Argument:
    return text("due", "Due date", placeholder="2026-03-31", description="Without a time of day.")


def _task(parameters: JsonObject) -> JsonObject:
    """The properties of a task that were entered. The API requires a time with the due date."""
    due = text_of(parameters, "due").strip()
    found: JsonObject = {key: parameters.get(key) for key in ("title", "status", "notes")}
    return found | {"due": f"{due}T00:00:00.000Z" if _DATE.fullmatch(due) else due}


create_task = request_action(
    key="createTask",
    name="Create task",
    description="Creates a task at the top of a list.",
    arguments=(
        task_list_dropdown(),
        text("title", "Title", required=True),
        text("notes", "Notes", multiline=True),
        _due_text(),
    ),
    request="POST /tasks/v1/lists/{taskListId}/tasks",
    body=_task,
)

create_task_list = request_action(
    key="createTaskList",
    name="Create task list",
    description="Creates an empty task list.",
    arguments=(text("listTitle", "Title", required=True),),
    request="POST /tasks/v1/users/@me/lists",
    body={"title": "{listTitle}"},
)


async def _find_task(ctx: Context) -> None:
    """Output the first task whose title contains the text; an empty object if there is none."""
    wanted, found = text_of(ctx.parameters, "title"), None
    request = prepare("/tasks/v1/lists/{taskListId}/tasks", values_of(ctx), query=ALL_TASKS)
    async for tasks in read_pages(ctx, request, google_pages("maxResults"), "items", absent_if_empty=True):
        found = next((task for task in tasks if wanted in str(task.get("title") or "")), None)
        if found is not None:
            break
    ctx.set_action_item(found or {})


find_task = Action(
    key="findTask",
    name="Find task",
    description="Finds the first task whose title contains a text. If there is none, the output is empty.",
    arguments=(task_list_dropdown(), text("title", "Title contains", required=True)),
    run=_find_task,
    on_interrupted=OnInterrupted.REPEAT,
)

update_task = request_action(
    key="updateTask",
    name="Update task",
    description="Changes a task. What you leave empty stays as it is.",
    arguments=(
        task_list_dropdown(),
        dropdown(
            "taskId",
            "Task",
            source="listTasks",
            within="taskListId",
            required=True,
            variables=True,
        ),
        text("title", "Title"),
        dropdown(
            "status", "Status", (("needsAction", "Not completed"), ("completed", "Completed")), variables=True
        ),
        text("notes", "Notes", multiline=True),
        _due_text(),
    ),
    request="PATCH /tasks/v1/lists/{taskListId}/tasks/{taskId}",
    body=_task,
    on_interrupted=OnInterrupted.REPEAT,
)
