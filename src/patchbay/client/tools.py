"""Tools over HTTP."""

from patchbay.client.service_adapter import ServiceAdapter
from patchbay.client.service_client import build_path
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, JsonObject
from patchbay.domain.tools import Tool, ToolResult

_ALL = "/v1/tools"
_CALL = "/v1/tools/{id}/call"


class ToolCalls:
    """Listing and calling tools."""

    _adapter: ServiceAdapter

    async def list_tools(self) -> tuple[Tool, ...]:
        service = await self._adapter.require(Feature.RUN_FLOWS)
        return (await service.get(_ALL)).many(Tool)

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        service = await self._adapter.require(Feature.RUN_FLOWS)
        response = await service.send(
            "POST", build_path(_CALL, id=flow_id), {"arguments": arguments}, long_timeout=True
        )
        return response.one(ToolResult)
