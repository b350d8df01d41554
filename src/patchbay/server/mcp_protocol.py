"""The Model Context Protocol (MCP): offers tools to clients, by JSON-RPC over HTTP or standard streams.

Supports the revisions that begin with a handshake (`initialize`), and 2026-07-28, whose requests are
independent of each other and name their revision in `_meta`. Nothing is remembered between messages.
See https://modelcontextprotocol.io/specification.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, NotFound
from patchbay.domain.json_limits import size_of
from patchbay.domain.tools import MAX_NAME_LENGTH, ToolBackend, named_tools

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISIONS = ("2026-07-28",)

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
HEADER_MISMATCH, UNSUPPORTED_REVISION = -32020, -32022

REVISION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"
_META = "io.modelcontextprotocol/"
_REVISION_KEY, _CAPABILITIES_KEY, _SERVER_KEY = (
    f"{_META}protocolVersion",
    f"{_META}clientCapabilities",
    f"{_META}serverInfo",
)
MAX_PAGE_LENGTH = 500_000
"""Characters of the tools in one list; clients request further ones with its cursor."""
_INSTRUCTIONS = "Each tool runs a flow of this Patchbay workspace and returns its output."


@dataclass(frozen=True)
class Reply:
    """The reply to a message, and the HTTP status for it. A notification has none (`message` is None)."""

    message: JsonObject | None
    status: int = 200


class _Rejected(Exception):
    """A message that gets a JSON-RPC error."""

    def __init__(self, code: int, message: str, status: int = 200, data: JsonObject | None = None) -> None:
        super().__init__(message)
        self.error: JsonObject = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data
        self.status = status


class McpServer:
    """Handles the messages of one client, whose permissions the backend knows."""

    def __init__(self, backend: ToolBackend, version: str) -> None:
        self._backend = backend
        self._info: JsonObject = {"name": "patchbay", "title": "Patchbay", "version": version}

    async def handle(self, message: object, headers: Mapping[str, str] | None = None) -> Reply:
        """Handle one decoded message. `headers` are those of its HTTP request; None for other transports."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _failed(None, INVALID_REQUEST, "This isn't a JSON-RPC 2.0 message.", 400)
        request_id, method = message.get("id"), message.get("method")
        if "method" not in message and ("result" in message or "error" in message):
            return Reply(None, 202)  # a response, although nothing was requested
        if not isinstance(method, str):
            return _failed(None, INVALID_REQUEST, "The message has no method.", 400)
        if "id" not in message:
            return Reply(None, 202)
        if isinstance(request_id, bool) or not isinstance(request_id, str | int):
            return _failed(None, INVALID_REQUEST, "The ID of the request isn't a string or an integer.", 400)
        params = message.get("params", {})
        try:
            if not isinstance(params, dict):
                raise _Rejected(INVALID_PARAMS, "The parameters aren't an object.")
            result = await self._respond(method, params, headers)
        except _Rejected as rejection:
            reply: JsonObject = {"jsonrpc": "2.0", "id": request_id, "error": rejection.error}
            return Reply(reply, rejection.status)
        except AppError as error:
            return _failed(request_id, INTERNAL_ERROR, error.text())
        return Reply({"jsonrpc": "2.0", "id": request_id, "result": result})

    async def _respond(
        self, method: str, params: JsonObject, headers: Mapping[str, str] | None
    ) -> JsonObject:
        if not _is_stateless(params, headers):
            _check_handshake_revision(headers)
            return await self._respond_after_handshake(method, params)
        _check_envelope(method, params, headers)
        if method == "server/discover":
            found: JsonObject = {
                "supportedVersions": list(STATELESS_REVISIONS),
                "capabilities": {"tools": {}},
                "instructions": _INSTRUCTIONS,
            }
            return self._complete({**found, "ttlMs": 0, "cacheScope": "private"})
        if method == "tools/list":
            return self._complete({**await self._list(params), "ttlMs": 0, "cacheScope": "private"})
        if method == "tools/call":
            return self._complete(await self._call(params))
        raise _Rejected(METHOD_NOT_FOUND, f"The method “{method[:60]}” isn't supported.", 404)

    async def _respond_after_handshake(self, method: str, params: JsonObject) -> JsonObject:
        if method == "initialize":
            wanted = params.get("protocolVersion")
            return {
                "protocolVersion": wanted if wanted in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1],
                "capabilities": {"tools": {}},
                "serverInfo": self._info,
                "instructions": _INSTRUCTIONS,
            }
        if method == "ping":
            return {}
        if method == "tools/list":
            return await self._list(params)
        if method == "tools/call":
            return await self._call(params)
        raise _Rejected(METHOD_NOT_FOUND, f"The method “{method[:60]}” isn't supported.")

    def _complete(self, result: JsonObject) -> JsonObject:
        return {"resultType": "complete", **result, "_meta": {_SERVER_KEY: self._info}}

    async def _list(self, params: JsonObject) -> JsonObject:
        """One page of the tools. The cursor of a page is the name of its first tool."""
        tools = named_tools(await self._backend.list_tools())
        cursor = params.get("cursor")
        names = list(tools)
        if cursor is not None and (not isinstance(cursor, str) or cursor not in tools):
            raise _Rejected(
                INVALID_PARAMS, "This page of the tools doesn't exist any longer. List them again."
            )
        page: list[Json] = []
        size = 0
        for name in names[0 if cursor is None else names.index(cursor) :]:
            tool = tools[name]
            size += size_of([tool.description, tool.input_schema], MAX_PAGE_LENGTH)
            if page and size > MAX_PAGE_LENGTH:
                return {"tools": page, "nextCursor": name}
            page.append({"name": name, "description": tool.description, "inputSchema": tool.input_schema})
        return {"tools": page}

    async def _call(self, params: JsonObject) -> JsonObject:
        name, arguments = params.get("name"), params.get("arguments")
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise _Rejected(
                INVALID_PARAMS, "A call needs the name of a tool, and its arguments as an object."
            )
        tool = named_tools(await self._backend.list_tools()).get(name)
        if tool is None:
            raise _Rejected(INVALID_PARAMS, f"Unknown tool: {name[:MAX_NAME_LENGTH]}")
        try:
            result = await self._backend.call_tool(tool.flow_id, arguments)
        except NotFound:
            raise _Rejected(INVALID_PARAMS, f"Unknown tool: {name}") from None
        except AppError as error:
            # A result, so that the model can correct its arguments or explain what is wrong.
            return {"content": [{"type": "text", "text": error.text()}], "isError": True}
        text = result.output or "The flow finished without an output."
        return {"content": [{"type": "text", "text": text}], "isError": result.is_error}


def _is_stateless(params: JsonObject, headers: Mapping[str, str] | None) -> bool:
    """Whether the request belongs to a revision without a handshake."""
    meta = params.get("_meta")
    if isinstance(meta, dict) and _REVISION_KEY in meta:
        return True
    return headers is not None and headers.get(REVISION_HEADER) in STATELESS_REVISIONS


def _check_handshake_revision(headers: Mapping[str, str] | None) -> None:
    revision = headers.get(REVISION_HEADER) if headers is not None else None
    if revision is not None and revision not in HANDSHAKE_REVISIONS:
        raise _unsupported(revision)


def _check_envelope(method: str, params: JsonObject, headers: Mapping[str, str] | None) -> None:
    """Check what a request of a stateless revision says about itself, in its body and its headers."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or not {_REVISION_KEY, _CAPABILITIES_KEY} <= meta.keys():
        message = f"“_meta” of the parameters needs {_REVISION_KEY} and {_CAPABILITIES_KEY}."
        raise _Rejected(INVALID_PARAMS, message, 400)
    revision = meta[_REVISION_KEY]
    if headers is not None:
        wanted: dict[str, Any] = {REVISION_HEADER: revision, METHOD_HEADER: method}
        if method == "tools/call":
            wanted[NAME_HEADER] = params.get("name")
        different = next((name for name, value in wanted.items() if headers.get(name) != value), None)
        if different is not None:
            raise _Rejected(HEADER_MISMATCH, f"The header {different} doesn't match the body.", 400)
    if not isinstance(revision, str):
        raise _Rejected(INVALID_PARAMS, f"{_REVISION_KEY} isn't a text.", 400)
    if revision not in STATELESS_REVISIONS:
        raise _unsupported(revision)


def _unsupported(revision: str) -> _Rejected:
    data: JsonObject = {
        "supported": [*HANDSHAKE_REVISIONS, *STATELESS_REVISIONS],
        "requested": revision[:60],
    }
    return _Rejected(UNSUPPORTED_REVISION, "This revision of the protocol isn't supported.", 400, data)


def _failed(request_id: str | int | None, code: int, message: str, status: int = 200) -> Reply:
    return Reply(failure(code, message, request_id), status)


def failure(code: int, message: str, request_id: str | int | None = None) -> JsonObject:
    """The error message for a request, or for a message that can't be read."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def encode(message: JsonObject) -> bytes:
    """The message as one line of JSON, in characters that every terminal and pipe can transport."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")
