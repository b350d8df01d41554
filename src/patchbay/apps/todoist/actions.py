"""Actions."""

from patchbay.integration import dropdown, request_action, text

create_task = request_action(
    key="createTask",
    name="Create task",
    description="Creates a task, in the inbox if you choose no project.",
    arguments=(
        dropdown("projectId", "Project", source="listProjects", variables=True),
        dropdown(
            "sectionId",
            "Section",
            source="listSections",
            within="projectId",
            variables=True,
        ),
        text("labels", "Labels", description="Names of labels, separated by commas."),
        text("content", "Content", required=True, description="The name of the task."),
        text("description", "Description", multiline=True),
    ),
    request="POST /tasks",
    body={
        "content": "{content}",
        "description": "{description}",
        "project_id": "{projectId}",
        "section_id": "{sectionId}",
        "labels": "{labels:list}",
    },
)
