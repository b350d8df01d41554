"""Triggers: webhooks that are registered in the workspace."""

from collections.abc import Sequence

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import Argument, Trigger, dropdown, hmac_signature, webhook_trigger
from patchbay.integration.templates import fill_object

from .places import WORKSPACE, folder, inside, space, task_list

_PLACE: JsonObject = {
    "space_id": "{spaceId:number}",
    "folder_id": "{folderId:number}",
    "list_id": "{listId:number}",
    "task_id": "{taskId}",
}


def _event_trigger(
    key: str,
    name: str,
    description: str,
    arguments: Sequence[Argument],
    *,
    event: str,
    internal_id: str = "",
) -> Trigger:
    def body(parameters: JsonObject) -> JsonObject:
        chosen: Json = parameters.get("whatChanged") or event
        template: JsonObject = {
            "name": "Patchbay {flowId}",
            "endpoint": "{webhookUrl}",
            "events": [chosen],
            **_PLACE,
        }
        return fill_object(template, parameters)

    return webhook_trigger(
        key=key,
        name=name,
        description=description,
        arguments=[WORKSPACE, *arguments],
        register="POST /v2/team/{workspaceId}/webhook",
        body=body,
        service_secret="webhook.secret",
        unregister="DELETE /v2/webhook/{remoteWebhookId}",
        internal_id=internal_id,
        verify=hmac_signature("X-Signature"),
    )


new_folder = _event_trigger(
    "newFolder",
    "New folder",
    "Starts when a folder is created.",
    [space()],
    event="folderCreated",
    internal_id="folder_id",
)
new_lists = _event_trigger(
    "newLists",
    "New list",
    "Starts when a list is created.",
    [space(), folder()],
    event="listCreated",
    internal_id="list_id",
)
new_tasks = _event_trigger(
    "newTasks",
    "New task",
    "Starts when a task is created.",
    [space(), folder(), task_list(), inside("taskId", "Task", "listTasks", "listId")],
    event="taskCreated",
    internal_id="task_id",
)
updated_task = _event_trigger(
    "updatedTask",
    "Updated task",
    "Starts when a task is changed.",
    [
        space(),
        folder(),
        task_list(),
        dropdown(
            "whatChanged",
            "What changed",
            (
                ("taskStatusUpdated", "Status"),
                ("taskAssigneeUpdated", "Assignee"),
                ("taskPriorityUpdated", "Priority"),
                ("taskTagUpdated", "Tags"),
            ),
            variables=True,
            description="Leave empty for any change.",
        ),
    ],
    event="taskUpdated",
)
