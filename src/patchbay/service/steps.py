"""Steps of a draft: add, change, move, delete. Editing a live flow edits its draft; what runs stays."""

from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.apps import AppInfo
from patchbay.domain.audit import AuditAction
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flows import Flow, Step, StepChange, StepType, StructuralType
from patchbay.domain.step_tree import (
    InsertPosition,
    Steps,
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
from patchbay.service.flows import FlowOperations
from patchbay.service.new_steps import create_steps
from patchbay.service.step_rules import apply_change, check_size
from patchbay.storage.repositories import connections, flows, steps
from patchbay.storage.repositories.rows import Tx


class StepOperations(FlowOperations):
    """Edits of steps. Whatever is done they stay a tree, with the trigger first."""

    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        """A new action behind `after` and all it holds, or first `inside` another one; else at the end."""
        new = create_steps(kind, lambda: str(uuid4()))

        def edit(tx: Tx, flow: Flow) -> None:
            arranged = insert_steps(flow.steps, new, _find_place(flow, after, inside))
            steps.add(tx, flow.id, new, self._clock())
            _save_positions(tx, flow, arranged)

        return await self._edit(lambda tx: flow_id, edit)

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        if not change.model_fields_set:
            flow_id = await self._db.read(lambda tx: steps.flow_id_of_step(tx, step_id))
            return await self.get_flow(flow_id)

        def edit(tx: Tx, flow: Flow) -> None:
            step = find_step(flow.steps, step_id)
            app_key = change.app_key if "app_key" in change.model_fields_set else step.app_key
            connection = connections.get(tx, change.connection_id) if change.connection_id else None
            steps.put(tx, apply_change(step, change, self._app(app_key), connection), self._clock())

        return await self._edit(lambda tx: steps.flow_id_of_step(tx, step_id), edit)

    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        """Actions only, each with all it holds; position 1 is the trigger's."""

        def edit(tx: Tx, flow: Flow) -> None:
            step = _require_action(flow, step_id, "moved")
            _save_positions(tx, flow, move_step_to(flow.steps, step.id, position, inside))

        return await self._edit(lambda tx: steps.flow_id_of_step(tx, step_id), edit)

    async def delete_step(self, step_id: StepId) -> Flow:
        """Actions only, each with all it holds."""

        def edit(tx: Tx, flow: Flow) -> None:
            remaining, out = remove_step(flow.steps, _require_action(flow, step_id, "deleted").id)
            steps.remove(tx, [step.id for step in out], self._clock())
            _save_positions(tx, flow, remaining)

        return await self._edit(lambda tx: steps.flow_id_of_step(tx, step_id), edit)

    async def restore_step(self, step_id: StepId) -> Flow:
        """Bring a deleted step and what went with it back to where it was, or as near as can be.

        Raises `Conflict` when the step that held it was deleted as well.
        """

        def edit(tx: Tx, flow: Flow) -> None:
            out = subtree(steps.find_deleted_together(tx, step_id), step_id)
            place = nearest_position(flow.steps, out[0].position, out[0].parent_step_id)
            arranged = insert_steps(flow.steps, out, place)
            steps.restore(tx, [step.id for step in out])
            _save_positions(tx, flow, arranged)

        return await self._edit(lambda tx: steps.flow_id_of_step(tx, step_id, deleted=True), edit)

    async def _edit(
        self,
        find: Callable[[Tx], FlowId],
        edit: Callable[[Tx, Flow], None],
        *,
        marks_unpublished: bool = True,
        audit_action: AuditAction = AuditAction.UPDATED,
    ) -> Flow:
        """Find the flow, change its steps and note the edit, all in one commit.

        `live_edit`: whether the draft of a live flow differs from what runs after this.
        """

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, find(tx))
            edit(tx, flow)
            flows.change(
                tx, flow.id, self._clock(),
                has_unpublished_edits=flow.has_unpublished_edits or (marks_unpublished and flow.active),
            )  # fmt: skip
            after = flows.get(tx, flow.id)
            check_size(after.steps, before=flow.steps)
            return after

        return await self._commit_flow(work, audit_action)

    def _app(self, key: str | None) -> AppInfo | None:
        return self._app_details([key]).get(key) if key else None


def _find_place(flow: Flow, after: StepId | None, inside: StepId | None) -> InsertPosition:
    if after is None:
        return position_at_end(flow.steps) if inside is None else position_inside(flow.steps, inside)
    place = position_after(flow.steps, after)
    if inside is not None and place.parent != inside:
        raise ValidationFailed({"inside": ["The step it is to follow is not in there."]})
    return place


def _save_positions(tx: Tx, flow: Flow, arranged: Steps) -> None:
    """Store the places that are new or have changed."""
    before = {step.id: (step.position, step.parent_step_id) for step in flow.steps}
    moved_steps = [step for step in arranged if before.get(step.id) != (step.position, step.parent_step_id)]
    steps.save_order(tx, moved_steps)


def _require_action(flow: Flow, step_id: StepId, what: str) -> Step:
    step = find_step(flow.steps, step_id)
    if step.type is StepType.TRIGGER:
        raise ValidationFailed(
            {"position": [f"The trigger starts the flow and cannot be {what}."]},
            todo="Choose another app or event for it instead.",
        )
    return step
