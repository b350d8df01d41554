"""Steps of a draft over HTTP."""

from typing import Any

from patchbay.client.responses import ApiResponse
from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.backend import Feature, StepTest
from patchbay.domain.base import AppKey, FlowId, JsonObject, StepId
from patchbay.domain.executions import ExecutionStep
from patchbay.domain.fields import Argument, Option
from patchbay.domain.flows import Flow, StepChange, StructuralType
from patchbay.domain.schedules import SchedulePreview

_ONE = "/v1/steps/{id}"


class StepCalls:
    """Edits and tests steps. Every edit returns the whole flow."""

    _adapter: ServiceAdapter

    async def add_step(
        self,
        flow_id: FlowId,
        after: StepId | None = None,
        *,
        inside: StepId | None = None,
        kind: StructuralType = StructuralType.SINGLE,
    ) -> Flow:
        path = build_path("/v1/flows/{id}/steps", id=flow_id)
        body = {"previousStepId": after, "parentStepId": inside, "structuralType": kind}
        return (await self._send("POST", path, body)).one(Flow)

    async def update_step(self, step_id: StepId, change: StepChange) -> Flow:
        body = change.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return (await self._send("PATCH", build_path(_ONE, id=step_id), body)).one(Flow)

    async def move_step(self, step_id: StepId, position: int, *, inside: StepId | None = None) -> Flow:
        path = build_path(_ONE + "/position", id=step_id)
        return (await self._send("PATCH", path, {"position": position, "parentStepId": inside})).one(Flow)

    async def delete_step(self, step_id: StepId) -> Flow:
        return (await self._send("DELETE", build_path(_ONE, id=step_id))).one(Flow)

    async def restore_step(self, step_id: StepId) -> Flow:
        return (await self._send("POST", build_path(_ONE + "/restore", id=step_id))).one(Flow)

    async def test_step(self, step_id: StepId) -> StepTest:
        return (await self._send("POST", build_path(_ONE + "/test", id=step_id))).one(StepTest)

    async def skip_step_test(self, step_id: StepId) -> Flow:
        return (await self._send("POST", build_path(_ONE + "/skip-test", id=step_id))).one(Flow)

    async def step_samples(self, flow_id: FlowId) -> tuple[ExecutionStep, ...]:
        service = await self._adapter.require(Feature.EDIT_FLOWS)
        return (await service.get(build_path("/v1/flows/{id}/samples", id=flow_id))).many(ExecutionStep)

    async def preview_schedule(
        self, flow_id: FlowId, app_key: AppKey, key: str, parameters: JsonObject
    ) -> SchedulePreview:
        path = build_path("/v1/flows/{id}/schedule-preview", id=flow_id)
        body = {"appKey": app_key, "key": key, "parameters": parameters}
        return (await self._send("POST", path, body)).one(SchedulePreview)

    async def dynamic_options(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Option, ...]:
        body = {"dynamicDataKey": loader, "parameters": parameters}
        return (await self._send("POST", build_path(_ONE + "/dynamic-data", id=step_id), body)).many(Option)

    async def dynamic_fields(
        self, step_id: StepId, loader: str, parameters: JsonObject
    ) -> tuple[Argument, ...]:
        body = {"dynamicFieldsKey": loader, "parameters": parameters}
        return (await self._send("POST", build_path(_ONE + "/dynamic-fields", id=step_id), body)).many(
            Argument
        )

    async def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> ApiResponse:
        service = await self._adapter.require(Feature.EDIT_FLOWS)
        return await service.send(method, path, body, long_timeout=True)
