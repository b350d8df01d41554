"""Tools: list and call published flows by name. MCP clients use `/mcp` instead."""

import asyncio

from starlette.responses import Response

from patchbay.domain.tools import Tool, ToolResult
from patchbay.server.authentication import RequestBackend
from patchbay.server.request_models import ToolCall
from patchbay.server.request_parameters import FlowPath
from patchbay.server.responses import Many, One, describe_responses, many, one
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/tools", tags=["tools"])


@router.get("", responses=describe_responses(Many[Tool]))
async def list_tools(backend: RequestBackend) -> Response:
    """List the published flows that are tools, by name."""
    return await asyncio.to_thread(many, await backend.list_tools())


@router.post(
    "/{flowId}/call",
    responses=describe_responses(One[ToolResult], not_found=True, invalid=True, conflict=True),
)
async def call_tool(backend: RequestBackend, flow_id: FlowPath, body: ToolCall) -> Response:
    """Call a tool, and wait up to 50 seconds for its output."""
    return one(await backend.call_tool(flow_id, body.arguments))
