"""The steps of a draft as a tree: children, variable scope, and valid moves. Pure except for copying."""

from collections.abc import Sequence
from dataclasses import dataclass

from patchbay.domain.backend import Backend
from patchbay.domain.base import JsonObject, StepId, get_optional
from patchbay.domain.flows import Flow, Step, StepChange, StepType, StructuralType
from patchbay.domain.step_tree import NESTING_LIMIT
from patchbay.domain.variables import rewrite_references


@dataclass(frozen=True)
class StepPosition:
    """A position in the tree: 1-based, inside `inside` (None: top level)."""

    position: int
    inside: StepId | None = None


class StepTree:
    """The tree of a flow's flat steps, which are ordered by position."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(sorted(steps, key=lambda step: step.position))
        self._by_id = {step.id: step for step in self.steps}
        self._children: dict[StepId | None, list[Step]] = {}
        for step in self.steps:
            self._children.setdefault(self._parent_id(step), []).append(step)
        self._ancestors: dict[StepId, tuple[Step, ...]] = {}
        for step in self.steps:
            container = get_optional(self._by_id, step.parent_step_id)
            self._ancestors[step.id] = (
                (container, *self._ancestors.get(container.id, ())) if container else ()
            )
        self._sizes: dict[StepId, int] = {}
        for step in reversed(self.steps):
            self._sizes[step.id] = 1 + sum(self._sizes[item.id] for item in self.children_of(step.id))

    def _parent_id(self, step: Step) -> StepId | None:
        return step.parent_step_id if step.parent_step_id in self._by_id else None

    def step(self, step_id: StepId | None) -> Step | None:
        """The step with this ID; None if there is none."""
        return get_optional(self._by_id, step_id)

    def children_of(self, step_id: StepId | None) -> Sequence[Step]:
        """Return the direct children in order; None: top-level steps."""
        return self._children.get(step_id, ())

    def size(self, step_id: StepId) -> int:
        """Return the size of a subtree."""
        return self._sizes[step_id]

    def subtree(self, step_id: StepId) -> tuple[Step, ...]:
        """Return the steps of a subtree in order."""
        at = self._by_id[step_id].position - 1
        return self.steps[at : at + self.size(step_id)]

    def ancestors(self, step_id: StepId | None) -> tuple[Step, ...]:
        """Return the ancestors, innermost first."""
        return get_optional(self._ancestors, step_id) or ()

    def usable(self, step_id: StepId | None) -> tuple[Step, ...]:
        """Return the steps whose values this one may use; see `can_use`."""
        here = self.step(step_id)
        return tuple(step for step in self.steps if self._can_use(here, step)) if here else ()

    def can_use(self, step_id: StepId, other: StepId) -> bool:
        """Whether a step may use values of another: an earlier one, not in a parallel branch.

        Conditions of a branch are evaluated before its first step runs.
        """
        here, source = self.step(step_id), self.step(other)
        return here is not None and source is not None and self._can_use(here, source)

    def _can_use(self, here: Step, source: Step) -> bool:
        paths = self.step(here.parent_step_id) if _is_branch(here) else None
        evaluated_at = paths.position if paths is not None else here.position
        if source.position >= evaluated_at or _is_branch(source):
            return False
        ancestors = self._ancestors[source.id]
        return not ancestors or not self._in_other_branch(ancestors, here)

    def _in_other_branch(self, ancestors: Sequence[Step], here: Step) -> bool:
        """Whether one of these steps is a branch that never runs together with the asking step's."""
        own_branches = {
            item.parent_step_id: item.id for item in (here, *self._ancestors[here.id]) if _is_branch(item)
        }
        for item in ancestors:
            if _is_branch(item) and own_branches.get(item.parent_step_id, item.id) != item.id:
                paths = self.step(item.parent_step_id)
                if paths is None or paths.parameters.get("mode") != "all":
                    return True
        return False

    def offered_steps(self, step_id: StepId | None) -> tuple[Step, ...]:
        """Return the variables to offer: for finished loops their results, not their steps."""
        ancestors = {item.id for item in self.ancestors(step_id)}
        return tuple(
            step
            for step in self.usable(step_id)
            if not (step.id in ancestors and step.structural_type is StructuralType.PATHS)
            and all(
                item.id in ancestors or item.structural_type is not StructuralType.EACH
                for item in self.ancestors(step.id)
            )
        )

    # Places

    def up(self, step_id: StepId) -> StepPosition | None:
        """Return the position above the previous sibling; None if there is none or it is the trigger."""
        before = self._neighbour(step_id, -1)
        if before is None or before.type is StepType.TRIGGER:
            return None
        return StepPosition(before.position, self._parent_id(before))

    def down(self, step_id: StepId) -> StepPosition | None:
        """Return the position below the next sibling."""
        after = self._neighbour(step_id, 1)
        if after is None or self._by_id[step_id].type is StepType.TRIGGER:
            return None
        return StepPosition(after.position + self.size(after.id) - self.size(step_id), self._parent_id(after))

    def outward(self, step_id: StepId) -> StepPosition | None:
        """Return the position after the parent branch or loop."""
        step = self._by_id[step_id]
        container = self.step(step.parent_step_id)
        if container is None or container.structural_type is StructuralType.PATHS:
            return None
        if container.structural_type is StructuralType.BRANCH:
            container = self.step(container.parent_step_id) or container
        end = container.position + self.size(container.id)
        return StepPosition(end - self.size(step_id), self._parent_id(container))

    def inward(self, step_id: StepId) -> StepPosition | None:
        """Return the position at the end of the loop or last branch above."""
        above = self._neighbour(step_id, -1)
        if above is not None and above.structural_type is StructuralType.PATHS:
            branches = self.children_of(above.id)
            above = branches[-1] if branches else None
        if above is None or not self.can_contain(above.id, step_id):
            return None
        return StepPosition(self._by_id[step_id].position, above.id)

    def before(self, step_id: StepId, moving: StepId) -> StepPosition:
        """Return the position of `moving` before this step."""
        step = self._by_id[step_id]
        return StepPosition(self._shifted_position(step.position, moving), self._parent_id(step))

    def end_position(self, container: StepId | None, moving: StepId) -> StepPosition:
        """Return the position of `moving` as the last child of this step, or of the flow."""
        held = self.step(container)
        end = held.position + self.size(held.id) if held else len(self.steps) + 1
        return StepPosition(self._shifted_position(end, moving), container)

    def can_contain(self, container: StepId | None, moving: StepId) -> bool:
        """Whether a step may become a child of another one (None: top level)."""
        step, inside = self._by_id[moving], self.step(container)
        if step.type is StepType.TRIGGER or any(item.id == container for item in self.subtree(moving)):
            return False
        if step.structural_type is StructuralType.BRANCH:
            return inside is not None and inside.structural_type is StructuralType.PATHS
        if inside is None:
            return container is None
        fits = inside.structural_type in (StructuralType.BRANCH, StructuralType.EACH)
        return (
            fits
            and self._nesting((inside, *self.ancestors(inside.id))) + self._depth(moving) <= NESTING_LIMIT
        )

    def _depth(self, step_id: StepId) -> int:
        """Return the nesting depth of branches and loops in a subtree."""
        outside = self._nesting(self.ancestors(step_id))
        inner = (self._nesting((step, *self.ancestors(step.id))) for step in self.subtree(step_id))
        return max(inner) - outside

    @staticmethod
    def _nesting(steps: Sequence[Step]) -> int:
        return sum(step.structural_type in (StructuralType.PATHS, StructuralType.EACH) for step in steps)

    def position_of(self, step_id: StepId) -> StepPosition:
        """Return the current position of a step."""
        step = self._by_id[step_id]
        return StepPosition(step.position, self._parent_id(step))

    def _shifted_position(self, position: int, moving: StepId) -> int:
        behind = position > self._by_id[moving].position
        return position - self.size(moving) if behind else position

    def _neighbour(self, step_id: StepId, by: int) -> Step | None:
        siblings = self.children_of(self._parent_id(self._by_id[step_id]))
        at = next(number for number, step in enumerate(siblings) if step.id == step_id) + by
        return siblings[at] if 0 <= at < len(siblings) else None


def _is_branch(step: Step) -> bool:
    return step.structural_type is StructuralType.BRANCH


# Copying


def new_step_id(before: Flow, after: Flow) -> StepId | None:
    """Return the step added by a write; of several, their parent."""
    known = {step.id for step in before.steps}
    return next((step.id for step in after.steps if step.id not in known), None)


async def copy_step(backend: Backend, flow: Flow, step_id: StepId) -> Flow:
    """Copy a subtree right after itself; references inside point to the copies. Returns the flow."""
    return await _StepCopier(backend, flow).run(step_id)


class _StepCopier:
    """A copy in progress. `ids` maps original steps to copies."""

    def __init__(self, backend: Backend, flow: Flow) -> None:
        self._backend = backend
        self._tree = StepTree(flow.steps)
        self._flow = flow
        self._ids: dict[StepId, StepId] = {}

    async def run(self, step_id: StepId) -> Flow:
        step = self._tree.step(step_id)
        if step is not None:
            inside = step.parent_step_id if step.structural_type is StructuralType.BRANCH else None
            new_id = await self._copy_one(step, None if inside else step_id, inside)
            if inside is not None:
                # The new branch was added last: move it right after its original.
                position = step.position + self._tree.size(step.id)
                self._flow = await self._backend.move_step(new_id, position, inside=step.parent_step_id)
        return self._flow

    async def _copy_one(self, step: Step, after: StepId | None, inside: StepId | None) -> StepId:
        before = self._flow
        kind = step.structural_type
        self._flow = await self._backend.add_step(before.id, after, inside=inside, kind=kind)
        new_id = new_step_id(before, self._flow) or StepId("")
        self._ids[step.id] = new_id
        generated = [item.id for item in self._flow.steps if item.parent_step_id == new_id]
        self._flow = await self._backend.update_step(new_id, self._step_change(step))
        last: StepId | None = None
        for held in self._tree.children_of(step.id):
            goes_last = held.structural_type is StructuralType.BRANCH
            last = await self._copy_one(
                held, None if goes_last else last, new_id if goes_last or last is None else None
            )
        for surplus in generated:  # the branches that a new branches step comes with
            self._flow = await self._backend.delete_step(surplus)
        return new_id

    def _step_change(self, step: Step) -> StepChange:
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
