"""Tools: published flows that are called by name."""

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import FlowId, JsonObject
from patchbay.domain.changes import ResourceType
from patchbay.domain.tools import MCP_APP, MCP_TRIGGER, Tool, ToolResult, read_tool
from patchbay.service.service_context import ServiceContext
from patchbay.storage.flow_directory import steps_with_event
from patchbay.storage.repositories import flows
from patchbay.storage.repositories.rows import Tx


def _read_tools(tx: Tx) -> tuple[Tool, ...]:
    found = steps_with_event(tx, (MCP_APP, MCP_TRIGGER))
    tools = (read_tool(step.flow_id, step.parameters) for step in found)
    return tuple(sorted(tools, key=lambda tool: (tool.name.casefold(), tool.flow_id)))


class Tools:
    """Lists and calls tools."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def list_tools(self) -> tuple[Tool, ...]:
        """List all tools, by name."""
        return await self._context.db.read(_read_tools)

    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """Call a tool, and record who did."""
        await self._context.db.read(lambda tx: flows.get(tx, flow_id))
        await self._context.record_audit_entry(AuditAction.RUN, ResourceType.FLOW, flow_id)
        return await self._context.engine.call_tool(flow_id, arguments)
