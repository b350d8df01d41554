"""Steps of a draft: add, change, move, delete. Editing a live flow edits its draft; what runs stays."""

from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import FlowId, StepId
from patchbay.domain.errors import NotFound, ValidationFailed
from patchbay.domain.flows import Flow, Step, StepChange, StepType
from patchbay.service.flows import FlowOperations
from patchbay.service.step_rules import changed
from patchbay.storage.repositories import connections, flows, steps
from patchbay.storage.repositories.rows import Tx


class StepOperations(FlowOperations):
    """Edits of steps. Positions stay contiguous; the trigger stays first and cannot be deleted."""

    async def add_step(self, flow_id: FlowId, after: StepId | None = None) -> Flow:
        """An empty action behind `after`, at the end when None."""
        new_id = str(uuid4())

        def edit(tx: Tx, flow: Flow) -> None:
            order = [step.id for step in flow.steps]
            at = len(order) if after is None else _step_in(flow, after).position
            new = Step(id=new_id, type=StepType.ACTION, position=at + 1)
            steps.add(tx, flow.id, [new], self._clock())
            steps.arrange(tx, [*order[:at], new_id, *order[at:]])

        return await self._edit(lambda tx: flow_id, edit)

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        if not change.model_fields_set:
            flow_id = await self._db.read(lambda tx: steps.flow_of(tx, step_id))
            return await self.get_flow(flow_id)

        def edit(tx: Tx, flow: Flow) -> None:
            step = _step_in(flow, step_id)
            app_key = change.app_key if "app_key" in change.model_fields_set else step.app_key
            connection = connections.get(tx, change.connection_id) if change.connection_id else None
            steps.put(tx, changed(step, change, self._app(app_key), connection), self._clock())

        return await self._edit(lambda tx: steps.flow_of(tx, step_id), edit)

    async def move_step(self, step_id: StepId, position: int) -> Flow:
        """Actions only; position 1 is the trigger's."""

        def edit(tx: Tx, flow: Flow) -> None:
            step = _action_in(flow, step_id, "moved")
            if not 2 <= position <= len(flow.steps):
                raise ValidationFailed({"position": [f"Choose a position from 2 to {len(flow.steps)}."]})
            order = [other.id for other in flow.steps if other.id != step.id]
            steps.arrange(tx, [*order[: position - 1], step.id, *order[position - 1 :]])

        return await self._edit(lambda tx: steps.flow_of(tx, step_id), edit)

    async def delete_step(self, step_id: StepId) -> Flow:
        def edit(tx: Tx, flow: Flow) -> None:
            step = _action_in(flow, step_id, "deleted")
            steps.remove(tx, step.id, self._clock())
            steps.arrange(tx, [other.id for other in flow.steps if other.id != step.id])

        return await self._edit(lambda tx: steps.flow_of(tx, step_id), edit)

    async def restore_step(self, step_id: StepId) -> Flow:
        """Bring a deleted step back to where it was, or to the end of a flow that became shorter."""

        def edit(tx: Tx, flow: Flow) -> None:
            at = min(steps.deleted(tx, step_id).position - 1, len(flow.steps))
            order = [step.id for step in flow.steps]
            steps.restore(tx, step_id)
            steps.arrange(tx, [*order[:at], step_id, *order[at:]])

        return await self._edit(lambda tx: steps.flow_of(tx, step_id, deleted=True), edit)

    async def _edit(
        self, find: Callable[[Tx], FlowId], edit: Callable[[Tx, Flow], None], *, live_edit: bool = True
    ) -> Flow:
        """Find the flow, change its steps and note the edit, all in one commit.

        `live_edit`: whether the draft of a live flow differs from what runs after this.
        """

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, find(tx))
            edit(tx, flow)
            flows.change(
                tx, flow.id, self._clock(),
                has_unpublished_edits=flow.has_unpublished_edits or (live_edit and flow.active),
            )  # fmt: skip
            return flows.get(tx, flow.id)

        return await self._written(work)

    def _app(self, key: str | None) -> AppInfo | None:
        return self._infos([key]).get(key) if key else None


def _step_in(flow: Flow, step_id: StepId) -> Step:
    step = flow.step(step_id)
    if step is None:
        raise NotFound("This step is not in the flow.", meaning="It may have been deleted meanwhile.")
    return step


def _action_in(flow: Flow, step_id: StepId, what: str) -> Step:
    step = _step_in(flow, step_id)
    if step.type is StepType.TRIGGER:
        raise ValidationFailed(
            {"position": [f"The trigger starts the flow and cannot be {what}."]},
            todo="Choose another app or event for it instead.",
        )
    return step
