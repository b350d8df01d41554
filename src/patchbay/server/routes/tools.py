"""Tools: list and call published flows by name, with requests of their own or with the messages of MCP."""

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from patchbay.domain.json_limits import read_json
from patchbay.domain.tools import Tool, ToolResult
from patchbay.server.authentication import RequestBackend, read_only
from patchbay.server.mcp_protocol import PARSE_ERROR, McpServer, encode, failure
from patchbay.server.request_models import ToolCall
from patchbay.server.request_parameters import FlowPath
from patchbay.server.responses import Many, One, describe_responses, many, one
from patchbay.server.routing import ResourceRouter

router = ResourceRouter(prefix="/tools", tags=["tools"])
mcp_router = APIRouter(include_in_schema=False)
"""One address to which MCP clients send JSON-RPC messages."""


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


@mcp_router.post("/mcp")
@read_only
async def mcp(request: Request, backend: RequestBackend) -> Response:
    """Handle one message of a client. Calling a tool needs the scope `operate`, which the backend checks."""
    try:
        message = read_json(await request.body())
    except ValueError:
        return _respond(encode(failure(PARSE_ERROR, "The body isn't valid JSON.")), 400)
    reply = await McpServer(backend, request.app.version).handle(message, request.headers)
    body = None if reply.message is None else await asyncio.to_thread(encode, reply.message)
    return _respond(body, reply.status)


def _respond(body: bytes | None, status: int) -> Response:
    return Response(body, status, media_type=None if body is None else "application/json")
