"""Steps, their tree, and how flows are run, of the fake backend."""

from collections.abc import Sequence
from typing import Any

from tests.support.fake_queries import found, numbered
from tests.support.fake_workspace import MINUTE, NOW, step_ref, step_result, text

from patchbay.domain.backend_flows import StepTest
from patchbay.domain.base import JsonObject
from patchbay.domain.errors import Conflict, ValidationFailed
from patchbay.domain.executions import ExecutionStep, StepState
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import (
    PAUSED_BY_A_PERSON,
    Flow,
    FlowSettings,
    Step,
    StepChange,
    StepStatus,
    StepType,
    StructuralType,
)

ALWAYS: tuple[JsonObject, ...] = ({"and": []},)


def subtree(steps: Sequence[Step], step_id: str) -> list[Step]:
    """A step and all it holds."""
    inside = {step_id}
    for step in steps:
        if step.parent_step_id in inside:
            inside.add(step.id)
    return [step for step in steps if step.id in inside]


class FakeSteps:
    """The part of `FakeBackend` that edits drafts and says how flows are run; stands on its `flows`."""

    # How flows are run
    async def change_flow_settings(self, flow_id: str, settings: FlowSettings) -> Flow:
        await self._enter("change_flow_settings", flow_id, settings)
        return self._edit(flow_id, settings=settings)

    async def pause_flow(self, flow_id: str) -> Flow:
        await self._enter("pause_flow", flow_id)
        if not found(self.flows, flow_id, "flow").active:
            raise Conflict("This flow is a draft: it does not run, so there is nothing to pause.")
        return self._edit(flow_id, paused_at=NOW, paused_reason=PAUSED_BY_A_PERSON)

    async def resume_flow(self, flow_id: str) -> Flow:
        await self._enter("resume_flow", flow_id)
        return self._edit(flow_id, paused_at=None, paused_reason=None)

    # The tree
    async def add_step(
        self,
        flow_id: str,
        after: str | None = None,
        *,
        inside: str | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        await self._enter("add_step", flow_id, after, inside, kind)
        steps = list(found(self.flows, flow_id, "flow").steps)
        made = Step(id=self._new_id("step"), type=StepType.ACTION, structural_type=kind)
        index, parent = self._new_place(steps, after, inside, kind)
        steps[index:index] = self._with_branches(made.model_copy(update={"parent_step_id": parent}))
        return self._edit(flow_id, steps=numbered(steps))

    def _new_place(
        self, steps: list[Step], after: str | None, inside: str | None, kind: StructuralType
    ) -> tuple[int, str | None]:
        ids = [step.id for step in steps]
        if inside is not None:
            last = kind is StructuralType.BRANCH
            return ids.index(inside) + (len(subtree(steps, inside)) if last else 1), inside
        if after is None:
            return len(steps), None
        place = ids.index(after)
        return place + len(subtree(steps, after)), steps[place].parent_step_id

    def _with_branches(self, made: Step) -> list[Step]:
        if made.structural_type is not StructuralType.PATHS:
            return [made]
        branch = {
            "type": StepType.ACTION,
            "structural_type": StructuralType.BRANCH,
            "parent_step_id": made.id,
        }
        return [
            made.model_copy(update={"parameters": {"mode": "first"}}),
            Step(id=self._new_id("step"), branch_conditions=(), **branch),
            Step(id=self._new_id("step"), branch_conditions=ALWAYS, **branch),
        ]

    async def update_step(self, step_id: str, change: StepChange) -> Flow:
        await self._enter("update_step", step_id, change)
        given = {name: getattr(change, name) for name in change.model_fields_set}
        if "app_key" in given:
            given = {"key": None, "connection_id": None, "parameters": {}} | given
        elif "key" in given:
            given = {"parameters": {}} | given
        return self._edit_step(step_id, status=StepStatus.INCOMPLETE, tested=None, **given)

    async def move_step(self, step_id: str, position: int, *, inside: str | None = None) -> Flow:
        await self._enter("move_step", step_id, position, inside)
        flow, step = self._step(step_id)
        moved = subtree(flow.steps, step_id)
        if any(item.id == inside for item in moved):
            raise ValidationFailed({"inside": ["A step cannot be inside itself."]})
        rest = [item for item in flow.steps if item not in moved]
        moved[0] = step.model_copy(update={"parent_step_id": inside})
        rest[max(2, position) - 1 : max(2, position) - 1] = moved
        return self._edit(flow.id, steps=numbered(rest))

    async def delete_step(self, step_id: str) -> Flow:
        await self._enter("delete_step", step_id)
        flow, _ = self._step(step_id)
        gone = subtree(flow.steps, step_id)
        self.deleted[step_id] = (flow.id, gone)
        return self._edit(flow.id, steps=numbered([item for item in flow.steps if item not in gone]))

    async def restore_step(self, step_id: str) -> Flow:
        await self._enter("restore_step", step_id)
        flow_id, gone = self.deleted.pop(step_id)
        steps = list(self.flows[flow_id].steps)
        steps[gone[0].position - 1 : gone[0].position - 1] = gone
        return self._edit(flow_id, steps=numbered(steps))

    # Tests and samples
    async def test_step(self, step_id: str) -> StepTest:
        await self._enter("test_step", step_id)
        flow, step = self._step(step_id)
        result = ExecutionStep(id="exec-test:0:1", execution_id="exec-test", step=step_ref(step), seq=step.position - 1,
                               status=StepState.SUCCESS, data_in=dict(step.parameters), data_out=self._test_output(flow, step),
                               started_at=NOW, finished_at=NOW + 412, created_at=NOW, updated_at=NOW)  # fmt: skip
        flow = self._edit_step(step_id, status=StepStatus.COMPLETED, tested="passed")
        return StepTest(flow=flow, execution_id="exec-test", result=result)

    def _test_output(self, flow: Flow, step: Step) -> Any:
        if step.structural_type is StructuralType.EACH:
            return {"items": [{"sku": "A-1", "left": 3}, {"sku": "B-7", "left": 0}], "count": 2}
        if step.structural_type is StructuralType.PATHS:
            branches = [item for item in flow.steps if item.parent_step_id == step.id]
            return {
                "taken": [item.id for item in branches[:1]],
                "names": [item.name or "Path 1" for item in branches[:1]],
            }
        return {"ok": True, "id": 8132094417}

    async def skip_step_test(self, step_id: str) -> Flow:
        await self._enter("skip_step_test", step_id)
        return self._edit_step(step_id, status=StepStatus.COMPLETED, tested="skipped")

    async def step_samples(self, flow_id: str) -> tuple[ExecutionStep, ...]:
        await self._enter("step_samples", flow_id)
        return tuple(
            step_result("exec-sample", step, StepState.SUCCESS, NOW - 22 * MINUTE)
            for step in found(self.flows, flow_id, "flow").steps if step.key
        )  # fmt: skip

    async def dynamic_options(self, step_id: str, loader: str, parameters: JsonObject) -> tuple[Option, ...]:
        await self._enter("dynamic_options", step_id, loader, parameters)
        return (
            Option(label="Inbox", value="inbox"),
            Option(label="Bugs", value="bugs"),
            Option(label="Docs", value="docs"),
        )

    async def dynamic_fields(self, step_id: str, loader: str, parameters: JsonObject) -> tuple[Argument, ...]:
        await self._enter("dynamic_fields", step_id, loader, parameters)
        return (text("input", "Input", required=True),)
