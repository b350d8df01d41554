"""Copying a step with all it holds, by the operations every workspace has."""

from patchbay.desktop.state.editor_tree import StepTree
from patchbay.domain.backend import Backend
from patchbay.domain.base import JsonObject, StepId
from patchbay.domain.flows import Flow, Step, StepChange, StructuralType
from patchbay.domain.variables import rewrite_references


def new_step_id(before: Flow, after: Flow) -> StepId | None:
    """The step that a write added; of several the one that holds the others."""
    known = {step.id for step in before.steps}
    return next((step.id for step in after.steps if step.id not in known), None)


async def copy_step(backend: Backend, flow: Flow, step_id: StepId) -> Flow:
    """Copy a step to right behind itself; what it holds refers to the copies. Returns the flow after it."""
    return await _Copy(backend, flow).run(step_id)


class _Copy:
    """One copy under way. `ids` leads from the original steps to their copies."""

    def __init__(self, backend: Backend, flow: Flow) -> None:
        self._backend = backend
        self._tree = StepTree(flow.steps)
        self._flow = flow
        self._ids: dict[StepId, StepId] = {}

    async def run(self, step_id: StepId) -> Flow:
        step = self._tree.step(step_id)
        if step is not None:
            inside = step.parent_step_id if step.structural_type is StructuralType.BRANCH else None
            made = await self._one(step, None if inside else step_id, inside)
            if inside is not None:
                await self._behind(step, made)
        return self._flow

    async def _one(self, step: Step, after: StepId | None, inside: StepId | None) -> StepId:
        before = self._flow
        kind = step.structural_type
        self._flow = await self._backend.add_step(before.id, after, inside=inside, kind=kind)
        made = new_step_id(before, self._flow) or ""
        self._ids[step.id] = made
        given = [item.id for item in self._flow.steps if item.parent_step_id == made]
        self._flow = await self._backend.update_step(made, self._content(step))
        last: StepId | None = None
        for held in self._tree.held_by(step.id):
            goes_last = held.structural_type is StructuralType.BRANCH
            last = await self._one(
                held, None if goes_last else last, made if goes_last or last is None else None
            )
        for surplus in given:  # the branches that new paths come with
            self._flow = await self._backend.delete_step(surplus)
        return made

    async def _behind(self, step: Step, made: StepId) -> None:
        """A new branch is the last one; its place is right behind its original."""
        position = step.position + self._tree.size(step.id)
        self._flow = await self._backend.move_step(made, position, inside=step.parent_step_id)

    def _content(self, step: Step) -> StepChange:
        conditions: JsonObject = {"conditions": list(step.branch_conditions or ())}
        if step.structural_type is StructuralType.BRANCH:
            found = rewrite_references(conditions, self._ids)["conditions"]
            kept = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
            return StepChange(name=step.name, branch_conditions=tuple(kept))
        parameters = rewrite_references(step.parameters, self._ids)
        if step.structural_type is not StructuralType.SINGLE:
            return StepChange(name=step.name, parameters=parameters, continue_on_error=step.continue_on_error)
        return StepChange(
            app_key=step.app_key,
            key=step.key,
            name=step.name,
            connection_id=step.connection_id,
            parameters=parameters,
            continue_on_error=step.continue_on_error,
            policy=step.policy,
        )
