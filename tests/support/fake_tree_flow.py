"""A flow with branches and a loop, for tests and pictures of the editor."""

from typing import Any

from tests.support.fake_workspace import NOW

from patchbay.domain.base import AppKey, ConnectionId, FlowId, StepId, UserId
from patchbay.domain.flows import Flow, Step, StepStatus, StepType, StructuralType

TREE = FlowId("flow-tree")
LARGE = FlowId("flow-large")


def _step(step_id: str, parent: str | None = None, **content: Any) -> Step:
    fields: dict[str, Any] = {"type": StepType.ACTION, "status": StepStatus.COMPLETED, **content}
    return Step(id=StepId(step_id), parent_step_id=StepId(parent) if parent else None, **fields)


def _action(step_id: str, app: str, event: str, parent: str | None, **parameters: str) -> Step:
    return _step(step_id, parent, app_key=app, key=event, parameters=parameters)


def _branch(step_id: str, name: str | None, *conditions: dict[str, Any]) -> Step:
    branch_conditions = ({"and": list(conditions)},)
    return _step(
        step_id,
        "t-paths",
        structural_type=StructuralType.BRANCH,
        name=name,
        branch_conditions=branch_conditions,
    )


def tree_flow() -> Flow:
    """A trigger; paths with an urgent branch, one with a loop over labels, and the rest; a step after them."""
    title = "{{step.t-new.title}}"
    labels = "{{step.t-new.labels}}"
    crash = {"key": title, "operator": "contains", "value": "Crash"}
    late = {"key": "{{step.t-new.number}}", "operator": "greater_than", "value": "3"}
    count = "{{step.t-each.number}} of {{step.t-each.count}}: {{step.t-each.item}}"
    task = {"projectId": "bugs", "content": "Look at {{step.t-each.item}}"}
    log = {"method": "POST", "url": "https://example.org/log", "data": title}
    steps = (
        _step(
            "t-new",
            type=StepType.TRIGGER,
            app_key="github",
            key="newIssues",
            connection_id="con-gh",
            parameters={"repo": "patchbay/patchbay"},
        ),
        _step("t-paths", structural_type=StructuralType.PATHS, parameters={"mode": "first"}),
        _branch("t-urgent", "Urgent", crash, late),
        _action("t-tell", "slack", "sendMessage", "t-urgent", channel="#ops", message=title),
        _branch("t-labels", "With labels", {"key": labels, "operator": "not_equal", "value": "[]"}),
        _step(
            "t-each",
            "t-labels",
            structural_type=StructuralType.EACH,
            parameters={"list": labels},
            continue_on_error=True,
        ),
        _action("t-task", "todoist", "createTask", "t-each", **task),
        _action("t-mail", "slack", "sendMessage", "t-each", channel="#labels", message=count),
        _branch("t-other", None),
        _action("t-log", "http-request", "customRequest", None, **log),
    )
    return Flow(
        id=TREE,
        name="Sort new issues",
        user_id=UserId("user-1"),
        active=True,
        published_version=3,
        steps=tuple(step.model_copy(update={"position": at}) for at, step in enumerate(steps, 1)),
        created_at=NOW,
        updated_at=NOW,
    )


def large_flow(total: int = 200) -> Flow:
    """As many steps as a flow may have: paths with two branches, each of three steps and a loop of two."""
    steps = [
        Step(
            id=StepId("b1"),
            type=StepType.TRIGGER,
            app_key=AppKey("github"),
            key="newIssues",
            connection_id=ConnectionId("con-gh"),
        )
    ]

    def add(parent: StepId | None, kind: StructuralType = StructuralType.SINGLE, **content: Any) -> StepId:
        made = StepId(f"b{len(steps) + 1}")
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

    condition: dict[str, Any] = {"and": [{"key": "{{step.b1.title}}", "operator": "contains", "value": "x"}]}
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
