"""A flow with paths and a loop, for tests and pictures of the editor."""

from tests.support.fake_workspace import NOW

from patchbay.domain.base import JsonObject
from patchbay.domain.flows import Flow, Step, StepStatus, StepType, StructuralType

TREE = "flow-tree"


def tree_flow() -> Flow:
    """A trigger; paths with an urgent branch, one with a loop over labels, and the rest; a step after them."""
    title = "{{step.t-new.title}}"

    def single(key: str, app: str, event: str, parent: str | None, **parameters: str) -> Step:
        return Step(id=key, type=StepType.ACTION, app_key=app, key=event, parent_step_id=parent,
                    status=StepStatus.COMPLETED, parameters=dict(parameters))  # fmt: skip

    def branch(key: str, name: str | None, *conditions: JsonObject) -> Step:
        return Step(id=key, type=StepType.ACTION, structural_type=StructuralType.BRANCH, parent_step_id="t-paths",
                    name=name, status=StepStatus.COMPLETED, branch_conditions=({"and": list(conditions)},))  # fmt: skip

    steps = (
        Step(id="t-new", type=StepType.TRIGGER, app_key="github", key="newIssues", connection_id="con-gh",
             status=StepStatus.COMPLETED, parameters={"repo": "patchbay/patchbay"}),
        Step(id="t-paths", type=StepType.ACTION, structural_type=StructuralType.PATHS, status=StepStatus.COMPLETED,
             parameters={"mode": "first"}),
        branch("t-urgent", "Urgent", {"key": title, "operator": "contains", "value": "Crash"},
               {"key": "{{step.t-new.number}}", "operator": "greater_than", "value": "3"}),
        single("t-tell", "slack", "sendMessage", "t-urgent", channel="#ops", message=title),
        branch("t-labels", "With labels", {"key": "{{step.t-new.labels}}", "operator": "not_equal", "value": "[]"}),
        Step(id="t-each", type=StepType.ACTION, structural_type=StructuralType.EACH, parent_step_id="t-labels",
             status=StepStatus.COMPLETED, parameters={"list": "{{step.t-new.labels}}"}, continue_on_error=True),
        single("t-task", "todoist", "createTask", "t-each", projectId="bugs", content="Look at {{step.t-each.item}}"),
        single("t-mail", "slack", "sendMessage", "t-each", channel="#labels",
               message="{{step.t-each.number}} of {{step.t-each.count}}: {{step.t-each.item}}"),
        branch("t-other", None),
        single("t-log", "http-request", "customRequest", None, method="POST", url="https://example.org/log", data=title),
    )  # fmt: skip
    numbered = tuple(step.model_copy(update={"position": at}) for at, step in enumerate(steps, 1))
    return Flow(id=TREE, name="Sort new issues", user_id="user-1", active=True, published_version=3, steps=numbered,
                created_at=NOW, updated_at=NOW)  # fmt: skip
