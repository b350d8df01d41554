"""The MCP server: one address to which clients send JSON-RPC messages."""

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from patchbay.domain.json_limits import read_json
from patchbay.server.authentication import RequestBackend, read_only
from patchbay.server.mcp_protocol import PARSE_ERROR, McpServer, encode, failure

router = APIRouter(include_in_schema=False)


@router.post("/mcp")
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
