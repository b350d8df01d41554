"""Actions."""

from collections.abc import Callable, Mapping
from contextlib import aclosing

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import (
    Action,
    Argument,
    Context,
    OnInterrupted,
    dropdown,
    request_action,
    rows,
    text,
)
from patchbay.integration.described_requests import prepare, values_of
from patchbay.integration.paging import read_pages
from patchbay.integration.templates import fill_object
from patchbay.integration.values import as_bool, text_of

from .dynamic_data import PAGES

_TEXT_YES_NO = (("false", "No"), ("true", "Yes"))
_WORKSPACE = dropdown("workspaceId", "Workspace", source="listWorkspaces", required=True, variables=True)
_RICH_TEXT = dropdown(
    "richText",
    "Rich text",
    _TEXT_YES_NO,
    variables=True,
    description="Yes: the description is HTML, as Asana supports it, such as <strong>.",
)


def _in_workspace(key: str, label: str, source: str, *, required: bool = False) -> Argument:
    """A dropdown of what the chosen workspace contains."""
    return dropdown(
        key,
        label,
        source=source,
        within="workspaceId",
        required=required,
        variables=True,
    )


_FOLLOWERS = rows(
    "followerIds", "Followers", [_in_workspace("followerId", "Follower", "listUsers")], add="Add follower"
)


def _data(template: Mapping[str, Json]) -> Callable[[JsonObject], JsonObject]:
    """The body of a request: the filled template, with notes as HTML if they are rich text."""

    def body(parameters: JsonObject) -> JsonObject:
        data = fill_object(template, parameters)
        if as_bool(parameters.get("richText")) and "notes" in data:
            notes = str(data.pop("notes"))
            data["html_notes"] = notes if notes.startswith("<body>") else f"<body>{notes}</body>"
        return {"data": data}

    return body


create_project = request_action(
    key="createProject",
    name="Create project",
    description="Creates a project in a workspace.",
    arguments=(
        _WORKSPACE,
        dropdown(
            "teamId",
            "Team",
            source="listTeams",
            within="workspaceId",
            variables=True,
            description="Required by Asana if the workspace is an organization.",
        ),
        text("dueDate", "Due date", placeholder="2026-03-31"),
        text("name", "Name", required=True),
        text("notes", "Description", multiline=True),
        _RICH_TEXT,
        dropdown(
            "defaultView",
            "Default view",
            (("list", "List"), ("board", "Board"), ("calendar", "Calendar"), ("timeline", "Timeline")),
            variables=True,
        ),
        _in_workspace("ownerId", "Owner", "listUsers"),
        _FOLLOWERS,
    ),
    request="POST /1.0/projects",
    body=_data(
        {
            "workspace": "{workspaceId}",
            "team": "{teamId}",
            "due_on": "{dueDate}",
            "name": "{name}",
            "notes": "{notes}",
            "default_view": "{defaultView}",
            "owner": "{ownerId}",
            "followers": "{followerIds[].followerId}",
        }
    ),
)


def _task(parameters: JsonObject) -> JsonObject:
    """The body that creates a task: in a section, in a project, or only in a workspace."""
    place: JsonObject = {"projects": ["{projectId}"]}
    if text_of(parameters, "projectId") and text_of(parameters, "sectionId"):
        place = {"memberships": [{"project": "{projectId}", "section": "{sectionId}"}]}
    due = "due_at" if parameters.get("dueDateType") == "at" else "due_on"
    body = _data(
        {
            "workspace": "{workspaceId}",
            "name": "{name}",
            "notes": "{description}",
            due: "{dueDate}",
            "completed": "{taskCompleted:bool}",
            "liked": "{taskLiked:bool}",
            "assignee": "{assigneeId}",
            "followers": "{followerIds[].followerId}",
            "tags": "{tagIds[].tagId}",
            **place,
        }
    )
    return body(parameters)


create_task = request_action(
    key="createTask",
    name="Create task",
    description="Creates a task, in a project if you choose one.",
    arguments=(
        _WORKSPACE,
        _in_workspace("projectId", "Project", "listProjects"),
        dropdown(
            "sectionId",
            "Section",
            source="listSections",
            within="projectId",
            variables=True,
        ),
        dropdown("dueDateType", "Due", (("at", "At a time"), ("on", "On a day"))),
        text(
            "dueDate",
            "Due date",
            description="A day such as 2026-03-31, or a time such as 2026-03-31T14:30:00Z.",
        ),
        text("name", "Name"),
        text("description", "Description", multiline=True),
        _RICH_TEXT,
        dropdown("taskCompleted", "Completed", _TEXT_YES_NO, variables=True),
        dropdown("taskLiked", "Liked", _TEXT_YES_NO, variables=True, description="Whether you like it."),
        _in_workspace("assigneeId", "Assignee", "listUsers"),
        _FOLLOWERS,
        rows("tagIds", "Tags", [_in_workspace("tagId", "Tag", "listTags")], add="Add tag"),
    ),
    request="POST /1.0/tasks",
    body=_task,
)


def _find_by_name(
    key: str, name: str, description: str, arguments: tuple[Argument, ...], *, line: str, wanted: str
) -> Action:
    """An action that outputs the first item of a list with this name, or an empty object."""

    async def run(ctx: Context) -> None:
        pages = read_pages(ctx, prepare(line, values_of(ctx)), PAGES, "data")
        async with aclosing(pages) as all_pages:
            async for page in all_pages:
                for row in page:
                    if row.get("name") == text_of(ctx.parameters, wanted):
                        ctx.set_action_item(row)
                        return
        ctx.set_action_item({})

    return Action(
        key=key,
        name=name,
        description=description,
        arguments=arguments,
        run=run,
        on_interrupted=OnInterrupted.REPEAT,
    )


find_project = _find_by_name(
    "findProject",
    "Find project",
    "Finds the project with this exact name. Outputs an empty object if there is none.",
    (_WORKSPACE, text("name", "Name", required=True)),
    line="/1.0/workspaces/{workspaceId}/projects",
    wanted="name",
)
find_task_in_project = _find_by_name(
    "findTaskInProject",
    "Find task in project",
    "Finds the task with this exact name. Outputs an empty object if there is none.",
    (
        _WORKSPACE,
        _in_workspace("projectId", "Project", "listProjects", required=True),
        text("taskName", "Name", required=True),
    ),
    line="/1.0/projects/{projectId}/tasks",
    wanted="taskName",
)
