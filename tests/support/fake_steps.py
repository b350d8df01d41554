"""Steps, their tree, and how flows are run, of the fake backend."""

from typing import Any

from tests.support.fake_queries import found
from tests.support.fake_state import FakeState
from tests.support.fake_workspace import MINUTE, NOW, step_ref, step_result, text

from patchbay.domain.backend import StepTest
from patchbay.domain.base import AppKey, ExecutionId, FlowId, JsonObject, StepId
from patchbay.domain.errors import Conflict
from patchbay.domain.executions import ExecutionStep, StepState
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import (
    PAUSED_BY_USER,
    Flow,
    FlowSettings,
    Step,
    StepChange,
    StepStatus,
    StepTestStatus,
    StructuralType,
)
from patchbay.domain.schedules import SchedulePreview
from patchbay.domain.step_tree import (
    children,
    insert_steps,
    move_step_to,
    nearest_position,
    position_after,
    position_at_end,
    position_inside,
    remove_step,
)
from patchbay.engine.runs.branches_and_loops import branch_name, with_first_item
from patchbay.service.steps import as_untested, create_steps

TEST_RUN = ExecutionId("exec-test")


class FakeSteps(FakeState):
    """Part of `FakeBackend`: steps of drafts and settings of flows."""

    # How flows are run
    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        await self._enter("change_flow_settings", flow_id, settings)
        return self._edit(flow_id, settings=settings)

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        await self._enter("pause_flow", flow_id)
        if not found(self.flows, flow_id, "flow").active:
            raise Conflict("This flow is a draft: it does not run, so there is nothing to pause.")
        return self._edit(flow_id, paused_at=NOW, paused_reason=PAUSED_BY_USER)

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        await self._enter("resume_flow", flow_id)
        return self._edit(flow_id, paused_at=None, paused_reason=None)

    # The tree
    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        await self._enter("add_step", flow_id, after, inside, kind)
        steps = found(self.flows, flow_id, "flow").steps
        if after is not None:
            place = position_after(steps, after)
        else:
            place = position_at_end(steps) if inside is None else position_inside(steps, inside)
        made = create_steps(kind, lambda: StepId(self._new_id("step")))
        return self._edit(flow_id, steps=insert_steps(steps, made, place))

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        await self._enter("update_step", step_id, change)
        given = {name: getattr(change, name) for name in change.model_fields_set}
        if "app_key" in given:
            given = {"key": None, "connection_id": None, "parameters": {}} | given
        elif "key" in given:
            given = {"parameters": {}} | given
        _, step = self._step(step_id)
        after = step.model_copy(update=given)
        if not after.behaves_like(step):
            given |= {"status": as_untested(after).status, "tested": None}
        return self._edit_step(step_id, **given)

    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        await self._enter("move_step", step_id, position, inside)
        flow, _ = self._step(step_id)
        return self._edit(flow.id, steps=move_step_to(flow.steps, step_id, position, inside))

    async def delete_step(self, step_id: StepId) -> Flow:
        await self._enter("delete_step", step_id)
        flow, _ = self._step(step_id)
        rest, gone = remove_step(flow.steps, step_id)
        self.deleted[step_id] = (flow.id, gone)
        return self._edit(flow.id, steps=rest)

    async def restore_step(self, step_id: StepId) -> Flow:
        await self._enter("restore_step", step_id)
        flow_id, gone = self.deleted.pop(step_id)
        steps = self.flows[flow_id].steps
        place = nearest_position(steps, gone[0].position, gone[0].parent_step_id)
        return self._edit(flow_id, steps=insert_steps(steps, gone, place))

    # Tests and samples
    async def test_step(self, step_id: StepId) -> StepTest:
        await self._enter("test_step", step_id)
        flow, step = self._step(step_id)
        result = ExecutionStep(
            id="exec-test:0:1",
            execution_id=TEST_RUN,
            step=step_ref(step),
            seq=step.position - 1,
            status=StepState.SUCCESS,
            data_in=dict(step.parameters),
            data_out=self._test_output(flow, step),
            started_at=NOW,
            finished_at=NOW + 412,
            created_at=NOW,
            updated_at=NOW,
        )
        flow = self._edit_step(step_id, status=StepStatus.COMPLETED, tested=StepTestStatus.PASSED)
        return StepTest(flow=flow, execution_id=TEST_RUN, result=result)

    def _test_output(self, flow: Flow, step: Step) -> Any:
        if step.structural_type is StructuralType.EACH:
            return with_first_item(
                {"items": [{"sku": "A-1", "left": 3}, {"sku": "B-7", "left": 0}], "count": 2}
            )
        if step.structural_type is StructuralType.PATHS:
            first = children(flow.steps, step.id)[:1]
            return {"taken": [item.id for item in first], "names": [branch_name(item, 1) for item in first]}
        return {"ok": True, "id": 8132094417}

    async def skip_step_test(self, step_id: StepId) -> Flow:
        await self._enter("skip_step_test", step_id)
        return self._edit_step(step_id, status=StepStatus.COMPLETED, tested=StepTestStatus.SKIPPED)

    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        await self._enter("step_samples", flow_id)
        return tuple(
            step_result("exec-sample", step, StepState.SUCCESS, NOW - 22 * MINUTE)
            for step in found(self.flows, flow_id, "flow").steps
            if step.key
        )

    async def preview_schedule(
        self, flow_id: FlowId, app_key: AppKey, key: str, parameters: JsonObject
    ) -> SchedulePreview:
        await self._enter("preview_schedule", flow_id, app_key, key, parameters)
        hour = int(str(parameters["hour"]))
        starts = tuple(f"2026-03-{day:02}T{hour:02}:00+02:00" for day in range(30, 32))
        return SchedulePreview(
            sentence=f"Every day at {hour:02}:00 (Europe/Berlin)",
            time_zone="Europe/Berlin",
            next_starts=starts,
        )

    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]:
        await self._enter("dynamic_options", step_id, loader, parameters)
        return (
            Option(label="Inbox", value="inbox"),
            Option(label="Bugs", value="bugs"),
            Option(label="Docs", value="docs"),
        )

    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        await self._enter("dynamic_fields", step_id, loader, parameters)
        return (text("input", "Input", required=True),)
