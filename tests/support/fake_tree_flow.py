"""A flow with paths and a loop, for tests and pictures of the editor."""

from typing import Any

from tests.support.fake_workspace import NOW

from patchbay.domain.base import JsonObject
from patchbay.domain.flows import Flow, Step, StepStatus, StepType, StructuralType

TREE = "flow-tree"
LARGE = "flow-large"


def tree_flow() -> Flow:
    """A trigger; paths with an urgent branch, one with a loop over labels, and the rest; a step after them."""
    title = "{{step.t-new.title}}"

    def single(key: str, app: str, event: str, parent: str | None, **parameters: str) -> Step:
        return Step(
            id=key,
            type=StepType.ACTION,
            app_key=app,
            key=event,
            parent_step_id=parent,
            status=StepStatus.COMPLETED,
            parameters=dict(parameters),
        )

    def branch(key: str, name: str | None, *conditions: JsonObject) -> Step:
        return Step(
            id=key,
            type=StepType.ACTION,
            structural_type=StructuralType.BRANCH,
            parent_step_id="t-paths",
            name=name,
            status=StepStatus.COMPLETED,
            branch_conditions=({"and": list(conditions)},),
        )

    steps = (
        Step(
            id="t-new",
            type=StepType.TRIGGER,
            app_key="github",
            key="newIssues",
            connection_id="con-gh",
            status=StepStatus.COMPLETED,
            parameters={"repo": "patchbay/patchbay"},
        ),
        Step(
            id="t-paths",
            type=StepType.ACTION,
            structural_type=StructuralType.PATHS,
            status=StepStatus.COMPLETED,
            parameters={"mode": "first"},
        ),
        branch(
            "t-urgent",
            "Urgent",
            {"key": title, "operator": "contains", "value": "Crash"},
            {"key": "{{step.t-new.number}}", "operator": "greater_than", "value": "3"},
        ),
        single("t-tell", "slack", "sendMessage", "t-urgent", channel="#ops", message=title),
        branch(
            "t-labels",
            "With labels",
            {"key": "{{step.t-new.labels}}", "operator": "not_equal", "value": "[]"},
        ),
        Step(
            id="t-each",
            type=StepType.ACTION,
            structural_type=StructuralType.EACH,
            parent_step_id="t-labels",
            status=StepStatus.COMPLETED,
            parameters={"list": "{{step.t-new.labels}}"},
            continue_on_error=True,
        ),
        single(
            "t-task",
            "todoist",
            "createTask",
            "t-each",
            projectId="bugs",
            content="Look at {{step.t-each.item}}",
        ),
        single(
            "t-mail",
            "slack",
            "sendMessage",
            "t-each",
            channel="#labels",
            message="{{step.t-each.number}} of {{step.t-each.count}}: {{step.t-each.item}}",
        ),
        branch("t-other", None),
        single(
            "t-log",
            "http-request",
            "customRequest",
            None,
            method="POST",
            url="https://example.org/log",
            data=title,
        ),
    )
    numbered = tuple(step.model_copy(update={"position": at}) for at, step in enumerate(steps, 1))
    return Flow(
        id=TREE,
        name="Sort new issues",
        user_id="user-1",
        active=True,
        published_version=3,
        steps=numbered,
        created_at=NOW,
        updated_at=NOW,
    )


def large_flow(total: int = 200) -> Flow:
    """As many steps as a flow may have: paths with two branches, each of three steps and a loop of two."""
    steps = [Step(id="b1", type=StepType.TRIGGER, app_key="github", key="newIssues", connection_id="con-gh")]

    def add(parent: str | None, kind: StructuralType = StructuralType.SINGLE, **content: Any) -> str:
        made = f"b{len(steps) + 1}"
        if kind is StructuralType.SINGLE:
            content = {
                "app_key": "slack",
                "key": "sendMessage",
                "connection_id": "con-slack",
                "parameters": {"channel": "#ops", "message": "{{step.b1.title}}"},
            }
        steps.append(
            Step(id=made, type=StepType.ACTION, structural_type=kind, parent_step_id=parent, **content)
        )
        return made

    condition: JsonObject = {"and": [{"key": "{{step.b1.title}}", "operator": "contains", "value": "x"}]}
    while len(steps) + 15 <= total - 3:
        paths = add(None, StructuralType.PATHS)
        for name in ("Left", "Right"):
            branch = add(paths, StructuralType.BRANCH, name=name, branch_conditions=(condition,))
            for _ in range(3):
                add(branch)
            each = add(branch, StructuralType.EACH, parameters={"list": "{{step.b1.labels}}"})
            for _ in range(2):
                add(each)
    while len(steps) < total:
        add(None)
    numbered = (
        step.model_copy(update={"position": at, "status": StepStatus.COMPLETED})
        for at, step in enumerate(steps, 1)
    )
    return Flow(
        id=LARGE,
        name="Large",
        active=True,
        published_version=1,
        steps=tuple(numbered),
        created_at=NOW,
        updated_at=NOW,
    )
