"""Editing the steps of a draft. Editing a published flow changes its draft; the running version stays."""

import json
from collections.abc import Callable, Iterable, Iterator
from uuid import uuid4

from patchbay.domain.apps import AppInfo, connection_app, connection_providers
from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import AppKey, FlowId, JsonObject, StepId
from patchbay.domain.conditions import all_groups, operator_problem
from patchbay.domain.connections import Connection
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.fields import defaults, is_empty
from patchbay.domain.flows import (
    MAX_FLOW_SIZE,
    Flow,
    Step,
    StepChange,
    StepStatus,
    StepType,
    StructuralType,
)
from patchbay.domain.step_policy import StepPolicy
from patchbay.domain.step_tree import (
    InsertPosition,
    Steps,
    always_matches,
    children,
    find_step,
    insert_steps,
    move_step_to,
    nearest_position,
    position_after,
    position_at_end,
    position_inside,
    remove_step,
    subtree,
)
from patchbay.domain.variables import MAX_REFERENCES, references
from patchbay.engine.runs.branches_and_loops import loop_items
from patchbay.service.flows import Flows
from patchbay.service.names import checked_name
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import connections, flows, steps
from patchbay.storage.repositories.rows import Tx

MODES = ("first", "all")
MODE_MISSING = "Choose whether to run the first matching branch or all matching branches."

StructureProblem = tuple[str, str]
"""The field and what is wrong with it."""

_SINGLE_STEP_FIELDS = ("app_key", "key", "connection_id")
DEFAULT_BRANCH_CONDITIONS: tuple[JsonObject, ...] = ({"and": []},)
"""Conditions that always match, as those of a default branch."""


def check_structure(step: Step, change: StepChange) -> None:
    """Raise `ValidationFailed` for a change that doesn't fit this kind of step."""
    for name in _SINGLE_STEP_FIELDS:
        if step.structural_type.is_container and getattr(change, name) is not None:
            field = StepChange.model_fields[name].alias or name
            raise ValidationFailed({field: ["This step contains other steps and has no app."]})
    if step.structural_type.is_container and change.policy not in (None, StepPolicy()):
        raise ValidationFailed({"policy": ["Set retries on the steps inside this one."]})
    if change.branch_conditions is not None:
        if step.structural_type is not StructuralType.BRANCH:
            raise ValidationFailed({"branchConditions": ["Only branches have conditions."]})
        groups = [group.get("and") for group in change.branch_conditions]
        if not all(
            isinstance(group, list) and all(isinstance(item, dict) for item in group) for group in groups
        ):
            raise ValidationFailed(
                {"branchConditions": ["Conditions must be a list of groups, each with an “and” list."]}
            )
    if (
        step.structural_type is StructuralType.PATHS
        and change.parameters is not None
        and change.parameters.get("mode", MODES[0]) not in MODES
    ):
        raise ValidationFailed({"mode": [MODE_MISSING]})


def find_structure_problems(flow: Flow, step: Step) -> Iterator[StructureProblem]:
    """Yield the reasons why a branch, a loop, or a branches step can't run yet."""
    held = children(flow.steps, step.id)
    if step.structural_type is StructuralType.PATHS:
        if not held:
            yield "branches", "It has no branches. Add one."
        if step.parameters.get("mode", MODES[0]) not in MODES:
            yield "mode", MODE_MISSING
    elif step.structural_type is StructuralType.BRANCH:
        if problem := branch_problem(step):
            yield "branchConditions", problem
    elif step.structural_type is StructuralType.EACH:
        if problem := _list_problem(step):
            yield "list", problem
        if not held:
            yield "steps", "This loop is empty. Add the steps to run for each item."


def branch_problem(branch: Step) -> str | None:
    """Return what is missing in a branch's conditions; None when they are complete."""
    if always_matches(branch):
        return None
    groups = all_groups(branch.branch_conditions or ())
    if not groups:
        return "This branch has no conditions. Add one."
    conditions = [condition for group in groups for condition in group]
    if any(is_empty(condition.get("key")) for condition in conditions):
        return "A condition has no value to compare. Choose one."
    return operator_problem(groups)


def _list_problem(step: Step) -> str | None:
    given = step.parameters.get("list")
    if is_empty(given):
        return "Choose the list to loop over."
    if any(references(given)):
        return None
    try:
        loop_items(step.parameters, {})
    except ValidationFailed as error:
        return error.text()
    return None


def apply_change(step: Step, change: StepChange, app: AppInfo | None, connection: Connection | None) -> Step:
    """Return the step after the edit, as untested if it now behaves differently.

    `app` and `connection` are those of the step after the edit, None without one. Raises `ValidationFailed`
    for an unknown app or event, and for a connection of another app.
    """
    changed_fields = change.model_fields_set
    check_structure(step, change)
    after = _with_app(step, change.app_key) if "app_key" in changed_fields else step
    if after.app_key and app is None:
        raise ValidationFailed({"appKey": [f"There is no app “{after.app_key}”."]})
    if "key" in changed_fields:
        after = _with_event(after, change.key, app)
    if "connection_id" in changed_fields:
        after = after.model_copy(update={"connection_id": _require_connection_of_app(connection, app, after)})
    after = after.model_copy(update=_changed_values(change))
    return after if after.behaves_like(step) else as_untested(after)


def check_size(steps: Iterable[Step], before: Iterable[Step] = ()) -> None:
    """Raise `ValidationFailed` when the steps of a flow are too large, or use too many variables.

    Steps that were larger `before`, or used more variables, are accepted.
    """
    steps, before = tuple(steps), tuple(before)
    size = sum(step.size(MAX_FLOW_SIZE) for step in steps)
    if size > MAX_FLOW_SIZE and size > sum(step.size(MAX_FLOW_SIZE) for step in before):
        raise ValidationFailed(
            {"parameters": ["The parameters of a flow are limited to 2 MB in total; these are larger."]},
            todo="Shorten long texts, or have a step fetch them.",
        )
    count = _count_variables(steps)
    if count > MAX_REFERENCES and count > _count_variables(before):
        raise ValidationFailed(
            {"parameters": [f"A flow can use at most {MAX_REFERENCES:,} variables; this one uses more."]},
            todo="Use a loop, or insert a whole list instead of each of its values.",
        )


def _count_variables(steps: Iterable[Step]) -> int:
    """Count the variables in parameters and conditions, without parsing them."""
    values = ([step.parameters, *(step.branch_conditions or ())] for step in steps)
    return sum(json.dumps(value, ensure_ascii=False).count("{{") for value in values)


def _changed_values(change: StepChange) -> dict[str, object]:
    """The changes that need no app or connection."""
    changed_fields, values = change.model_fields_set, dict[str, object]()
    if "parameters" in changed_fields:
        values["parameters"] = change.parameters or {}
    if "name" in changed_fields:
        values["name"] = checked_name(change.name) if change.name and change.name.strip() else None
    if "continue_on_error" in changed_fields:
        values["continue_on_error"] = bool(change.continue_on_error)
    if "connection_undecided" in changed_fields:
        values["connection_undecided"] = bool(change.connection_undecided)
    if "policy" in changed_fields:
        values["policy"] = change.policy or StepPolicy()
    if "branch_conditions" in changed_fields:
        values["branch_conditions"] = change.branch_conditions or ()
    return values


def as_untested(step: Step) -> Step:
    """Return the step as not tested. A branch needs no test: it is complete when its conditions are."""
    done = step.structural_type is StructuralType.BRANCH and branch_problem(step) is None
    return step.model_copy(
        update={"status": StepStatus.COMPLETED if done else StepStatus.INCOMPLETE, "tested": None}
    )


def _with_app(step: Step, app_key: str | None) -> Step:
    if app_key == step.app_key:
        return step
    return step.model_copy(
        update={
            "app_key": app_key,
            "key": None,
            "connection_id": None,
            "connection_undecided": False,
            "parameters": {},
        }
    )


def _with_event(step: Step, key: str | None, app: AppInfo | None) -> Step:
    if key == step.key:
        return step
    event = None
    if key is not None:
        if app is None:
            raise ValidationFailed({"key": ["Choose the app before the event."]})
        event = app.trigger(key) if step.type is StepType.TRIGGER else app.action(key)
        if event is None:
            raise ValidationFailed({"key": [f"{app.name} has no {step.type} “{key}”."]})
    presets = defaults(event.arguments) if event else {}
    return step.model_copy(update={"key": key, "parameters": presets})


def _require_connection_of_app(connection: Connection | None, app: AppInfo | None, step: Step) -> str | None:
    if connection is None:
        return None
    if app is None or connection.app_key not in _lenders(app, step):
        raise ValidationFailed({"connectionId": ["This connection belongs to another app."]})
    return connection.id


def _lenders(app: AppInfo, step: Step) -> set[AppKey | None]:
    """Keys of the apps whose connections the step may use. Without an event: those of all events."""
    event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
    if event is not None:
        return {connection_app(app, event)}
    return {app.key, *connection_providers(app)}


def create_steps(kind: StructuralType, new_id: Callable[[], StepId]) -> Steps:
    """Create a step with its initial children: a branches step gets a first branch and a default branch."""
    step = Step(id=new_id(), type=StepType.ACTION, structural_type=kind)
    if kind is StructuralType.PATHS:
        step = step.model_copy(update={"parameters": {"mode": "first"}})
        default = {"branch_conditions": DEFAULT_BRANCH_CONDITIONS, "status": StepStatus.COMPLETED}
        return step, _branch(new_id(), step.id), _branch(new_id(), step.id).model_copy(update=default)
    if kind is StructuralType.BRANCH:
        return (_branch(step.id, None),)
    return (step,)


def _branch(step_id: StepId, parent: StepId | None) -> Step:
    return Step(
        id=step_id,
        type=StepType.ACTION,
        structural_type=StructuralType.BRANCH,
        parent_step_id=parent,
        branch_conditions=(),
    )


class StepEditor:
    """Adds, changes, moves, deletes and restores steps; they always form a tree with the trigger first."""

    def __init__(self, context: ServiceContext, flows: Flows) -> None:
        self._context = context
        self._flows = flows

    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        """Add an action after `after` and its children, or as the first `inside` a step; else at the end."""
        new = create_steps(kind, lambda: StepId(str(uuid4())))

        def edit(tx: Tx, flow: Flow) -> None:
            arranged = insert_steps(flow.steps, new, _find_place(flow, after, inside))
            steps.add(tx, flow.id, new, self._context.clock())
            _save_positions(tx, flow, arranged)

        return await self.edit(lambda tx: flow_id, edit)

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        if not change.model_fields_set:
            flow_id = await self._context.db.read(lambda tx: steps.flow_id_of_step(tx, step_id))
            return await self._flows.get_flow(flow_id)

        def edit(tx: Tx, flow: Flow) -> None:
            step = find_step(flow.steps, step_id)
            app_key = change.app_key if "app_key" in change.model_fields_set else step.app_key
            connection = connections.get(tx, change.connection_id) if change.connection_id else None
            app = self._context.app_details([app_key]).get(app_key) if app_key else None
            steps.put(tx, apply_change(step, change, app, connection), self._context.clock())

        return await self.edit(lambda tx: steps.flow_id_of_step(tx, step_id), edit)

    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        """Move an action with its children. Position 1 is the trigger's."""

        def edit(tx: Tx, flow: Flow) -> None:
            step = _require_action(flow, step_id, "moved")
            _save_positions(tx, flow, move_step_to(flow.steps, step.id, position, inside))

        return await self.edit(lambda tx: steps.flow_id_of_step(tx, step_id), edit)

    async def delete_step(self, step_id: StepId) -> Flow:
        """Delete an action with its children."""

        def edit(tx: Tx, flow: Flow) -> None:
            remaining, out = remove_step(flow.steps, _require_action(flow, step_id, "deleted").id)
            steps.remove(tx, [step.id for step in out], self._context.clock())
            _save_positions(tx, flow, remaining)

        return await self.edit(lambda tx: steps.flow_id_of_step(tx, step_id), edit)

    async def restore_step(self, step_id: StepId) -> Flow:
        """Restore a deleted step with its children, at its old position or the nearest possible one.

        Raises `Conflict` when its parent step was deleted as well.
        """

        def edit(tx: Tx, flow: Flow) -> None:
            out = subtree(steps.find_deleted_together(tx, step_id), step_id)
            place = nearest_position(flow.steps, out[0].position, out[0].parent_step_id)
            arranged = insert_steps(flow.steps, out, place)
            steps.restore(tx, [step.id for step in out])
            _save_positions(tx, flow, arranged)

        return await self.edit(lambda tx: steps.flow_id_of_step(tx, step_id, deleted=True), edit)

    async def edit(
        self,
        find_flow: Callable[[Tx], FlowId],
        change: Callable[[Tx, Flow], None],
        *,
        marks_unpublished: bool = True,
        audit_action: AuditAction = AuditAction.UPDATED,
    ) -> Flow:
        """Change the steps of a flow and mark the flow as changed, in one commit.

        `marks_unpublished`: whether the draft of a published flow differs from the published version after
        this.
        """

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, find_flow(tx))
            change(tx, flow)
            flows.change(
                tx,
                flow.id,
                self._context.clock(),
                has_unpublished_edits=flow.has_unpublished_edits or (marks_unpublished and flow.active),
            )
            after = flows.get(tx, flow.id)
            check_size(after.steps, before=flow.steps)
            return after

        return await self._flows.commit(work, audit_action)


def _find_place(flow: Flow, after: StepId | None, inside: StepId | None) -> InsertPosition:
    if after is None:
        return position_at_end(flow.steps) if inside is None else position_inside(flow.steps, inside)
    place = position_after(flow.steps, after)
    if inside is not None and place.parent != inside:
        raise ValidationFailed({"inside": ["The step to insert after (afterStepId) isn't inside that step."]})
    return place


def _save_positions(tx: Tx, flow: Flow, arranged: Steps) -> None:
    """Store the positions of new and moved steps."""
    before = {step.id: (step.position, step.parent_step_id) for step in flow.steps}
    moved_steps = [step for step in arranged if before.get(step.id) != (step.position, step.parent_step_id)]
    steps.save_order(tx, moved_steps)


def _require_action(flow: Flow, step_id: StepId, what: str) -> Step:
    step = find_step(flow.steps, step_id)
    if step.type is StepType.TRIGGER:
        raise ValidationFailed(
            {"position": [f"The trigger starts the flow and can't be {what}."]},
            todo="Choose another app or event for it instead.",
        )
    return step
