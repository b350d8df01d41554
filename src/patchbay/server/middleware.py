"""ASGI middleware: host and header checks, client addresses, security headers, concurrency, and bodies."""

import asyncio
import json
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.domain.charsets import charset_from_content_type
from patchbay.domain.errors import AppError, Forbidden, NotFound, ValidationFailed
from patchbay.domain.ports import ApiKeys
from patchbay.server.authentication import API_KEY_HEADER
from patchbay.server.connection_limits import DEFAULT_LIMITS
from patchbay.server.errors import RequestRejected, bad_request, error_response
from patchbay.server.host_names import LOOPBACK_NAMES, host_name, is_allowed_host
from patchbay.server.proxies import TrustedProxies
from patchbay.server.request_bodies import (
    FORM,
    BodyLimits,
    DecodingThreads,
    LimitedBody,
    decode_form,
    decode_json,
    is_json,
    reject_compressed,
    unsupported_charset,
    unsupported_media_type,
)
from patchbay.server.webhooks import SANDBOX, WEBHOOK_PREFIX

MAX_HEADERS = 100
_HTTP_VERSIONS = ("1.0", "1.1")
_INVALID_SEGMENT_BYTES = frozenset(b"/\\") | set(range(0x20)) | {0x7F}

PublicHosts: TypeAlias = Callable[[], Iterable[str]]
"""Returns the server's current public host names."""


def no_public_hosts() -> Iterable[str]:
    """The public names of a server without a public address."""
    return ()


class HostCheck:
    """Rejects requests for other hosts, by the rules of `is_allowed_host`."""

    def __init__(
        self, app: ASGIApp, public_hosts: PublicHosts = no_public_hosts, *, loopback: bool = True
    ) -> None:
        self._app = app
        self._public_hosts = public_hosts
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_allowed(scope):
            error = Forbidden(
                f"The server doesn't accept requests for the host “{_host_header(scope)}”.",
                meaning="It accepts only the names of this computer and of its public address.",
                todo="Use 127.0.0.1 or localhost, or set the server's public address to that name.",
            )
            await error_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        own_address = (scope["server"] or ("",))[0]
        hosts = self._public_hosts()
        return is_allowed_host(_host_header(scope), hosts, own_address, loopback=self._loopback)


def _host_header(scope: Scope) -> str:
    found = (value for name, value in scope["headers"] if name == b"host")
    return next(found, b"").decode("latin-1")


class RequestHeadCheck:
    """Rejects requests with ambiguous or oversized headers or paths, and requests for a service worker."""

    def __init__(self, app: ASGIApp, head_length: int = DEFAULT_LIMITS.head_length) -> None:
        self._app, self._head_length = app, head_length

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (problem := self._find_problem(scope)):
            status, message = problem
            response = error_response(_error(status, message), status)
            response.headers["connection"] = "close"  # it's unknown where the next request begins
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _find_problem(self, scope: Scope) -> tuple[int, str] | None:
        headers = scope["headers"]
        length = len(scope["raw_path"]) + len(scope["query_string"])
        length += sum(len(name) + len(value) for name, value in headers)
        if len(headers) > MAX_HEADERS or length > self._head_length:
            return 431, "The request line and the headers are too long."
        names = [name for name, _ in headers]
        if b"service-worker" in names:
            return 403, "Service workers aren't supported: one could respond in place of the server."
        if b"transfer-encoding" in names and (b"content-length" in names or scope["http_version"] == "1.0"):
            return 400, "The request declares its body length in two ways."
        if scope["http_version"] not in _HTTP_VERSIONS:
            return 400, "The HTTP version isn't supported."
        if not scope["raw_path"].startswith(b"/"):
            return 400, "The request's path must begin with a slash."
        if b"%" in scope["raw_path"] or b"." in scope["raw_path"]:
            for segment in scope["raw_path"].split(b"/"):
                plain = unquote_to_bytes(segment)
                if plain in (b".", b"..") or _INVALID_SEGMENT_BYTES & set(plain) or not _is_text(plain):
                    return 404, "The path is invalid: it contains dot segments or invalid characters."
        return None


def _is_text(plain: bytes) -> bool:
    try:
        plain.decode()
    except UnicodeDecodeError:
        return False
    return True


def _error(status: int, message: str) -> AppError:
    if status == HTTPStatus.FORBIDDEN:
        return Forbidden(message)
    if status == HTTPStatus.NOT_FOUND:
        return NotFound(message, todo="See /openapi.json for all paths.")
    return ValidationFailed({"general": [message]}, happened=message)


class ClientAddress:
    """Sets `scope["client"]` to the client's address if a trusted proxy forwarded the request."""

    def __init__(self, app: ASGIApp, proxies: TrustedProxies) -> None:
        self._app, self._proxies = app, proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = scope.get("client")
        if scope["type"] == "http" and peer is not None:
            address = self._proxies.client(peer[0], scope["headers"])
            if address != peer[0]:
                scope = {**scope, "client": (address, 0)}
        await self._app(scope, receive, send)


# Security headers

_COMMON_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
_API_HEADERS = (
    *_COMMON_HEADERS,
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_WEBHOOK_HEADERS = (
    *_COMMON_HEADERS,
    # A flow's response may be a page built from untrusted input, so it is sandboxed.
    (b"content-security-policy", SANDBOX.encode()),
)
_ENFORCED_HEADERS = frozenset((b"x-content-type-options", b"referrer-policy", b"content-security-policy"))
"""Headers that a flow's response can't replace."""
_HSTS_HEADER = (b"strict-transport-security", b"max-age=31536000")

RawHeaders = list[tuple[bytes, bytes]]


def add_security_headers(headers: Iterable[tuple[bytes, bytes]], path: str, *, encrypted: bool) -> RawHeaders:
    """The response headers with missing security headers added; for webhooks, some are replaced."""
    of_flow = path.startswith(WEBHOOK_PREFIX)
    headers_sent = [item for item in headers if not (of_flow and item[0].lower() in _ENFORCED_HEADERS)]
    names = {name.lower() for name, _ in headers_sent}
    wanted = _WEBHOOK_HEADERS if of_flow else _API_HEADERS
    more = (*wanted, _HSTS_HEADER) if encrypted else wanted
    return [*headers_sent, *(item for item in more if item[0] not in names)]


class SecureHeaders:
    """Adds security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                # HSTS for a name of this computer would force TLS on all its ports for a year.
                is_loopback = host_name(_host_header(scope)) in LOOPBACK_NAMES
                encrypted = scope["scheme"] == "https" and not is_loopback
                headers = add_security_headers(message.get("headers", ()), scope["path"], encrypted=encrypted)
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, complete)


_EVENT_STREAM_SUFFIX = "/events"


class HeadRequests:
    """Handles HEAD like GET for the API, without sending the body.

    Not for endless event streams, whose body would be produced for nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or not _supports_get(scope):
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, send_head)


def _supports_get(scope: Scope) -> bool:
    path: str = scope["path"]
    is_api_path = "/v1/" in path or path.split("/")[1:2] in (["users"], ["user-invitations"])
    methods = scope["app"].state.allowed_methods.for_path(path)
    return (
        is_api_path and not path.endswith(_EVENT_STREAM_SUFFIX) and "GET" in methods and "HEAD" not in methods
    )


MAX_CONCURRENT_BY_SUFFIX = {"/v1/executions": 2, "/v1/executions/search": 1}
"""Max. running requests by path suffix. More wouldn't finish earlier: they share one CPU."""


class ListConcurrencyLimit:
    """Runs only a few requests for execution lists at a time, so that polling clients don't block others.

    A slot is released with the first byte of the response, so slow readers don't hold it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._semaphores = {
            address: asyncio.Semaphore(number) for address, number in MAX_CONCURRENT_BY_SUFFIX.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        semaphore = None
        if scope["type"] == "http" and scope["method"] == "GET":
            ends = self._semaphores.items()
            semaphore = next((found for end, found in ends if scope["path"].endswith(end)), None)
        if semaphore is None:
            await self._app(scope, receive, send)
            return
        slot = _Slot(semaphore)

        async def watched(message: Message) -> None:
            slot.end()
            await send(message)

        await slot.begin()
        try:
            await self._app(scope, receive, watched)
        finally:
            slot.end()


class _Slot:
    """One acquired slot of a semaphore."""

    def __init__(self, semaphore: asyncio.Semaphore) -> None:
        self._semaphores, self._is_acquired = semaphore, False

    async def begin(self) -> None:
        await self._semaphores.acquire()
        self._is_acquired = True

    def end(self) -> None:
        if self._is_acquired:
            self._is_acquired = False
            self._semaphores.release()


# Request bodies of the API

_METHODS_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_CHARSETS = ("", "utf-8", "utf8", "us-ascii")
PAGE_BODY_LIMITS = BodyLimits(length=16 * 1024)
"""For pages outside the API, whose forms anyone can send."""


class ApiBodyParser:
    """Validates JSON bodies and converts forms to JSON objects; webhooks decode theirs themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._threads = DecodingThreads()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] != "http"
            or scope["method"] in _METHODS_WITHOUT_BODY
            or scope["path"].startswith(WEBHOOK_PREFIX)
        ):
            await self._app(scope, receive, send)
            return
        routes = scope["app"].router.routes
        route = next((item for item in routes if item.matches(scope)[0] is Match.FULL), None)
        is_page = isinstance(route, Route) and not isinstance(route, APIRoute)
        # Without a known key, the error doesn't depend on the body, and reading it would let unauthenticated
        # clients waste resources.
        if not is_page and (route is None or not await _has_known_key(scope)):
            await self._app(scope, _replay_body(b"", receive), send)
            return
        raw = await _read_body(LimitedBody(scope, receive, PAGE_BODY_LIMITS).receive if is_page else receive)
        if raw is None:
            return  # the client disconnected
        try:
            body = await self._threads.run(raw, partial(_to_json, scope, raw)) if raw else raw
        except RequestRejected as rejection:
            await error_response(rejection.error, rejection.status)(scope, receive, send)
            return
        if raw:
            other_headers = [
                item for item in scope["headers"] if item[0] not in (b"content-type", b"content-length")
            ]
            scope["headers"] = [*other_headers, (b"content-type", b"application/json")]
        await self._app(scope, _replay_body(body, receive), send)


async def _has_known_key(scope: Scope) -> bool:
    keys: ApiKeys = scope["app"].state.api_keys
    key = Headers(scope=scope).get(API_KEY_HEADER, "")
    return bool(key) and await keys.check(key) is not None


def _to_json(scope: Scope, raw: bytes) -> bytes:
    """The body as JSON. Raises `RequestRejected` for one that isn't JSON or a form."""
    headers = dict(scope["headers"])
    content_type = headers.get(b"content-type", b"").decode("latin-1").lower()
    media_type, charset = content_type.partition(";")[0].strip(), charset_from_content_type(content_type)
    reject_compressed(headers.get(b"content-encoding", b"").decode("latin-1"))
    if charset not in _CHARSETS:
        raise unsupported_charset(charset)
    if media_type == FORM:
        try:
            form = raw.decode()
        except UnicodeDecodeError:
            raise bad_request("The form isn't valid UTF-8.") from None
        return json.dumps(dict(decode_form(form))).encode()
    if media_type and not is_json(media_type):
        raise unsupported_media_type(
            f"The content type “{media_type}” isn't supported.", "Send application/json."
        )
    decode_json(raw)
    return raw


async def _read_body(receive: Receive) -> bytes | None:
    """The whole body; None if the client disconnected before its end."""
    parts: list[bytes] = []
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay_body(body: bytes, receive: Receive) -> Receive:
    is_replayed = False

    async def replay() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


# Bearer tokens of MCP clients

MCP_SUFFIX = "/mcp"
_BEARER = b"bearer "


class BearerKeys:
    """Accepts API keys as bearer tokens at the MCP server, since not every client can send other headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].endswith(MCP_SUFFIX):
            headers = dict(scope["headers"])
            value = headers.get(b"authorization", b"")
            if API_KEY_HEADER.encode() not in headers and value[: len(_BEARER)].lower() == _BEARER:
                key = (API_KEY_HEADER.encode(), value[len(_BEARER) :].strip())
                scope = {**scope, "headers": [*scope["headers"], key]}
        await self._app(scope, receive, send)
