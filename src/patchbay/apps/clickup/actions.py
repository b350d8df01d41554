"""Actions."""

from datetime import UTC, datetime

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import YES_NO, dropdown, request_action, rows, text
from patchbay.integration.templates import fill_object
from patchbay.integration.values import as_bool, epoch_ms, parameter_error, text_of

from .places import WORKSPACE, folder, inside, space, task_list

_PRIORITY = dropdown(
    "priority", "Priority", ((1, "Urgent"), (2, "High"), (3, "Normal"), (4, "Low")), variables=True
)
_DATE_HINT = "Such as 2026-03-31 or 2026-03-31T14:30:00+02:00, without an offset in UTC."


def _milliseconds(parameters: JsonObject, key: str) -> Json:
    """An entered date as ClickUp expects it. A number is already in milliseconds."""
    entered = text_of(parameters, key).strip()
    if not entered:
        return None
    if entered.isdecimal():
        return int(entered)
    try:
        moment = datetime.fromisoformat(entered)
    except ValueError:
        raise parameter_error(key, f"“{entered[:60]}” isn't a date.", "Use 2026-03-31 14:30.") from None
    return epoch_ms(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


create_folder = request_action(
    key="createFolder",
    name="Create folder",
    description="Creates a folder in a space.",
    arguments=(WORKSPACE, space(required=True), text("folderName", "Name", required=True)),
    request="POST /v2/space/{spaceId}/folder",
    body={"name": "{folderName}"},
)

create_list = request_action(
    key="createList",
    name="Create list",
    description="Creates a list in a folder.",
    arguments=(
        WORKSPACE,
        space(required=True),
        folder(required=True),
        text("listName", "Name", required=True),
        text("listInfo", "Description", multiline=True),
        _PRIORITY,
        text("dueDate", "Due date", description=_DATE_HINT),
    ),
    request="POST /v2/folder/{folderId}/list",
    body=lambda parameters: {
        **fill_object(
            {"name": "{listName}", "content": "{listInfo}", "priority": "{priority:number}"}, parameters
        ),
        "due_date": _milliseconds(parameters, "dueDate"),
    },
)


def _task(parameters: JsonObject) -> JsonObject:
    """The body that creates a task."""
    is_markdown = as_bool(parameters.get("markdownContent"))
    filled = fill_object(
        {
            "name": "{taskName}",
            "markdown_content" if is_markdown else "description": "{taskDescription}",
            "assignees": "{assigneeIds[].assigneeId}",
            "status": "{taskStatus}",
            "tags": "{tagIds[].tagId}",
            "priority": "{priority:number}",
        },
        parameters,
    )
    people = filled.pop("assignees", None)
    return {
        **filled,
        "assignees": [int(str(person)) if str(person).isdecimal() else person for person in people]
        if isinstance(people, list)
        else None,
        "due_date": _milliseconds(parameters, "dueDate"),
        "start_date": _milliseconds(parameters, "startDate"),
    }


create_task = request_action(
    key="createTask",
    name="Create task",
    description="Creates a task in a list.",
    arguments=(
        WORKSPACE,
        space(required=True),
        folder(required=True),
        task_list(required=True),
        text("taskName", "Name", required=True),
        text("taskDescription", "Description", multiline=True),
        dropdown(
            "markdownContent",
            "Description is Markdown",
            (("false", "No"), ("true", "Yes")),
            variables=True,
        ),
        rows(
            "assigneeIds",
            "Assignees",
            [inside("assigneeId", "Assignee", "listAssignees", "listId")],
            add="Add assignee",
        ),
        inside("taskStatus", "Status", "listStatuses", "listId"),
        rows("tagIds", "Tags", [inside("tagId", "Tag", "listTags", "spaceId")], add="Add tag"),
        _PRIORITY,
        text("dueDate", "Due date", description=_DATE_HINT),
        text("startDate", "Start date", description=_DATE_HINT),
    ),
    request="POST /v2/list/{listId}/task",
    body=_task,
)

find_task_by_id = request_action(
    key="findTaskById",
    name="Find task by ID",
    description="Outputs the task with this ID.",
    arguments=(
        text("taskId", "Task ID", required=True),
        dropdown(
            "useCustomId",
            "Custom task ID",
            YES_NO,
            variables=True,
            more_fields="listFieldsWhenUsingCustomId",
            description="Yes if it's an ID that your workspace assigns, such as DEV-42.",
        ),
        dropdown("includeSubtasks", "Include subtasks", YES_NO, variables=True),
    ),
    request="GET /v2/task/{taskId}",
    query={
        "custom_task_ids": "{useCustomId:bool}",
        "team_id": "{workspaceId}",
        "include_subtasks": "{includeSubtasks:bool}",
    },
)
