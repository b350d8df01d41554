"""Webhooks: decoding requests, starting flows, and returning their responses.

Plain ASGI routes, without API keys or a validation layer. HEAD and unknown methods never start a run.
"""

import json
import re
from collections.abc import Iterable
from enum import Enum
from functools import partial

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from patchbay.domain.base import FlowId, Json, JsonObject
from patchbay.domain.charsets import UnknownCharset, charset_from_content_type, decode
from patchbay.domain.errors import AppError, NotFound, NotSupported
from patchbay.domain.files import file_object
from patchbay.domain.ports import (
    DELIVERY_HEADER,
    NO_CONTENT,
    WEBHOOK_ERROR,
    WebhookIntake,
    WebhookRequest,
    WebhookResponse,
)
from patchbay.domain.request_context import RUN_ROOT_HEADER, current_run_root, root_id_from_headers
from patchbay.server.authentication import API_KEY_HEADER
from patchbay.server.browser_pages import ERROR_MARK, page, paragraph
from patchbay.server.connection_limits import DEFAULT_LIMITS, network_of
from patchbay.server.errors import (
    BodyRejected,
    BodyTooLarge,
    RequestRejected,
    bad_request,
    error_response,
)
from patchbay.server.request_bodies import (
    DEFAULT_BODY_LIMITS,
    FORM,
    MAX_JSON_VALUES,
    BodyLimits,
    DecodingThreads,
    MultipartError,
    Part,
    decode_form,
    decode_json,
    is_json,
    parse_multipart,
    reject_compressed,
    unsupported_charset,
)
from patchbay.server.request_parameters import canonical_id, is_uuid
from patchbay.server.webhook_limits import BodyMemory, ConcurrencyLimit

# A flow's response, without headers that would affect the server's origin

SANDBOX = "sandbox allow-forms allow-popups allow-scripts"
"""The content security policy of every flow's response; a flow can't replace it."""

_ALLOWED_HEADERS = frozenset(
    (
        "allow",
        "cache-control",
        "content-disposition",
        "content-language",
        "content-type",
        "correlation-id",
        "deprecation",
        "etag",
        "expires",
        "idempotency-key",
        "last-modified",
        "location",
        "pragma",
        "ratelimit",
        "ratelimit-limit",
        "ratelimit-policy",
        "ratelimit-remaining",
        "ratelimit-reset",
        "request-id",
        "retry-after",
        "sunset",
        "traceparent",
        "vary",
        "webhook-id",
        "www-authenticate",
    )
)
"""An allowlist, because browsers keep adding headers with which a page changes its origin's policies."""
_BLOCKED_HEADERS = re.compile(
    # To browsers: policies of the page.
    r"x-(frame-options|sourcemap|content-.*|xss-protection|webkit-csp|dns-prefetch-control|download-options"
    r"|permitted-cross-domain-policies|ua-compatible"
    # To proxies: files they serve instead of the response, and addresses they trust.
    r"|accel-.*|sendfile.*|lighttpd-.*|litespeed-.*|reproxy-.*|forwarded-.*|real-ip|original-.*|rewrite-.*"
    r"|http-method.*|proxy-.*|api-token)|x-patchbay-.*"
)
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9a-z]+")
_REDIRECT_TARGET = re.compile(r"(https?://|/(?![/\\])|\?|[^/\\:]+$)", re.IGNORECASE)
"""Allowed redirects: to web addresses, or below the current path."""
_STATUSES_WITHOUT_CONTENT = (204, 205, 304)


def build_response(response: WebhookResponse) -> Response:
    """The response with the flow's status and body, and its allowed headers."""
    status = response.status if 200 <= response.status <= 599 else 502
    headers = {
        name.lower(): value for name, value in response.headers.items() if _is_header_allowed(name, value)
    }
    if response.body is None or status in _STATUSES_WITHOUT_CONTENT:
        return Response(status_code=status, headers=headers)
    try:
        json.loads(response.body)
    except (ValueError, RecursionError):
        headers.setdefault("content-type", "text/plain; charset=utf-8")
    else:
        headers.setdefault("content-type", "application/json")
    return Response(response.body, status, headers)


def _is_header_allowed(name: str, value: str) -> bool:
    key = name.lower()
    if not (_TOKEN.fullmatch(key) and value.isprintable() and value.isascii()):
        return False
    if key == "location":
        return bool(_REDIRECT_TARGET.match(value))
    if key == "content-type":
        # Parts of a multipart body have headers as well, and of several types the last may count.
        return "," not in value and not value.strip().lower().startswith("multipart/")
    if key == DELIVERY_HEADER or key in _ALLOWED_HEADERS:
        return True
    return key.startswith("x-") and _BLOCKED_HEADERS.fullmatch(key) is None


# Decoding a webhook's body

_FILES_SECONDS = 120.0
"""Time limit for a multipart form with files."""
_BYTES_PER_VALUE = 25
"""A JSON body may have one value per this many bytes of the limit, and at least `MAX_JSON_VALUES`."""

_MULTIPART = "multipart/form-data"


class BodyDecoder:
    """Decodes bodies, one long one at a time."""

    def __init__(self) -> None:
        self._threads = DecodingThreads()

    async def decode(self, raw: bytes, headers: Headers, max_bytes: int) -> Json:
        """The body by its content type; None if it's empty. Raises `RequestRejected`, see `decode_body`."""
        max_values = max(MAX_JSON_VALUES, max_bytes // _BYTES_PER_VALUE)
        return await self._threads.run(raw, partial(decode_body, raw, headers, max_values))


def webhook_body_limits(scope: Scope, max_bytes: int) -> BodyLimits:
    """The limits of this webhook request, applied once its flow was found."""
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    has_files = kind.lower().startswith(_MULTIPART.encode())
    seconds = _FILES_SECONDS if has_files else DEFAULT_BODY_LIMITS.seconds
    return BodyLimits(length=max_bytes, seconds=seconds, is_rejected_early=False)


def decode_body(raw: bytes, headers: Headers, max_values: int = MAX_JSON_VALUES) -> Json:
    """The body by its content type; None when it is empty.

    A file is `{"name", "contentType", "size", "base64"}`, and so is a body that is neither JSON nor form nor
    text. Raises `RequestRejected` for a body that doesn't match its content type.
    """
    if not raw:
        return None
    reject_compressed(headers.get("content-encoding", ""))
    content_type = headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    if is_json(media_type):
        return decode_json(raw, max_values)
    if media_type == _MULTIPART:
        try:
            parts = parse_multipart(raw, content_type)
        except MultipartError as error:
            raise bad_request(f"The multipart form is malformed: {error}.") from None
        charset = charset_from_content_type(content_type)
        return group_by_name((part.name, _part_value(part, charset)) for part in parts)
    text = _decode_text(raw, charset_from_content_type(content_type))
    if text is None:
        return file_object("", content_type, raw)
    return group_by_name(decode_form(text)) if media_type == FORM else text


def group_by_name(pairs: Iterable[tuple[str, Json]]) -> JsonObject:
    """Values by name; a repeated name has a list."""
    found: dict[str, list[Json]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _decode_text(raw: bytes, charset: str) -> str | None:
    """The body as text; None if it's binary."""
    try:
        return decode(raw, charset)
    except UnicodeDecodeError:
        return None
    except UnknownCharset:
        raise unsupported_charset(charset) from None


def _part_value(part: Part, charset: str) -> Json:
    """A text for a field; a file as an object, or None for the empty one of a browser without a choice."""
    if part.filename is None:
        text = _decode_text(part.content, charset_from_content_type(part.content_type) or charset)
        return part.content.decode("latin-1") if text is None else text
    if not part.filename and not part.content:
        return None
    return file_object(part.filename, part.content_type, part.content)


WEBHOOK_PREFIX = "/webhooks/"
METHODS = ("GET", "POST", "PUT", "PATCH")

_ALLOWED = ", ".join((*METHODS, "HEAD", "OPTIONS"))
_CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": ", ".join(METHODS),
    "access-control-allow-headers": "*",
}
_ACCEPTED = Response(status_code=NO_CONTENT.status, headers=_CORS)
"""The most frequent response, built once."""
_INTERNAL_HEADERS = (API_KEY_HEADER, RUN_ROOT_HEADER)
"""Headers that are meant for the service, not for the flow."""


class CallPurpose(Enum):
    """The purpose of a webhook address; the value is its suffix."""

    START = ""
    WAIT = "/sync"
    """Start the flow and wait for its response."""
    TEST = "/test"
    """Show the event in the editor."""


class WebhookEndpoint:
    """Passes webhook requests to the engine's intake."""

    def __init__(
        self,
        intake: WebhookIntake,
        purpose: CallPurpose,
        limits: ConcurrencyLimit,
        memory: BodyMemory,
        decoder: BodyDecoder,
    ) -> None:
        self._intake, self._purpose = intake, purpose
        self._limit = limits
        self._memory = memory
        self._decoder = decoder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        current_run_root.set(root_id_from_headers(request.headers))
        try:
            response = await self._respond(request)
        except (AppError, RequestRejected, BodyRejected) as error:
            if not _wants_page(request):
                raise
            response = _error_page(error)
        else:
            if response is not _ACCEPTED:
                response.headers.update(_CORS)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"allow": _ALLOWED})
        if request.method not in (*METHODS, "HEAD"):
            unsupported = NotSupported(
                f"Webhooks don't support {request.method}.",
                meaning="No run was started.",
                todo=f"Use one of {', '.join(METHODS)}.",
            )
            response = error_response(unsupported, 405)
            response.headers["allow"] = _ALLOWED
            return response

        raw_flow_id = request.path_params["flowId"]
        if not is_uuid(raw_flow_id):
            raise RequestRejected(400, NotFound("This isn't a webhook address: the flow's ID is malformed."))
        flow_id = FlowId(canonical_id(raw_flow_id))
        # Before the body is read, so that requests for unknown flows stay cheap.
        await self._intake.check_webhook(flow_id, test=self._purpose is CallPurpose.TEST)
        if request.method == "HEAD":
            return Response(status_code=200)

        try:
            self._limit.require_free_slot(flow_id)
            network = network_of(request.client.host) if request.client else ""
            longest = self._intake.max_body_bytes
            async with self._memory.reading(request.receive, network, flow_id, longest) as raw:
                with self._limit.slot(flow_id):
                    delivered = await self._deliver(flow_id, request, raw)
                    if delivered is NO_CONTENT:
                        return _ACCEPTED
                    return _failure_page(request, delivered) or build_response(delivered)
        except BodyTooLarge as error:
            if self._purpose is not CallPurpose.TEST:
                await self._intake.record_rejection(flow_id, error.error)
            raise
        except ClientDisconnect:
            return Response(status_code=400)

    async def _deliver(self, flow_id: FlowId, request: Request, raw: bytes) -> WebhookResponse:
        async def read_body() -> Json:
            return await self._decoder.decode(raw, request.headers, self._intake.max_body_bytes)

        event = WebhookRequest(
            method=request.method,
            headers={name: value for name, value in request.headers.items() if name not in _INTERNAL_HEADERS},
            query=group_by_name(request.query_params.multi_items()),
            raw_body=raw,
        )
        if self._purpose is CallPurpose.TEST:
            return await self._intake.deliver_test(flow_id, event, read_body=read_body)
        waits_for_response = self._purpose is CallPurpose.WAIT
        return await self._intake.deliver(flow_id, event, synchronous=waits_for_response, read_body=read_body)


def _wants_page(request: Request) -> bool:
    """Whether a person sees the response, because a browser opens the address or sends a form to it."""
    return "text/html" in request.headers.get("accept", "")


def _error_page(error: AppError | RequestRejected | BodyRejected) -> Response:
    """The error as a page."""
    problem = error if isinstance(error, AppError) else error.error
    plain = error_response(problem, None if isinstance(error, AppError) else _status_of(error))
    shown = _message_page(plain.status_code, problem.happened, problem.meaning, problem.todo)
    if "retry-after" in plain.headers:
        shown.headers["retry-after"] = plain.headers["retry-after"]
    if isinstance(error, BodyRejected):
        shown.headers["connection"] = "close"
    return shown


def _status_of(error: RequestRejected | BodyRejected) -> int:
    return error.status if isinstance(error, RequestRejected) else error.status_code


def _failure_page(request: Request, response: WebhookResponse) -> Response | None:
    """An error of the engine as a page, if a person sees it; None for all other responses."""
    if response.status < 400 or response.body is None or not _wants_page(request):
        return None
    try:
        meta = json.loads(response.body)["meta"]
        if meta["type"] != WEBHOOK_ERROR:
            return None
        shown = _message_page(response.status, str(meta["happened"]), str(meta["meaning"]), str(meta["todo"]))
    except (ValueError, RecursionError, TypeError, KeyError):
        return None  # the flow's own response
    if DELIVERY_HEADER in response.headers:
        shown.headers[DELIVERY_HEADER] = response.headers[DELIVERY_HEADER]
    return shown


def _message_page(status: int, happened: str, *sentences: str) -> Response:
    body = "".join(map(paragraph, sentences))
    return page(happened.rstrip("."), body, mark=ERROR_MARK, status=status)


def routes(intake: WebhookIntake, max_concurrent: int = DEFAULT_LIMITS.max_webhooks) -> list[Route]:
    """The URLs of every flow, and the short form that older senders may use.

    At most `max_concurrent` requests are handled, and as many wait for responses (half of them for one flow),
    at a time.
    """
    memory = BodyMemory()
    decoder = BodyDecoder()
    starting = ConcurrencyLimit(max_concurrent)
    limits = {
        CallPurpose.START: starting,
        CallPurpose.TEST: starting,
        CallPurpose.WAIT: ConcurrencyLimit(max_concurrent, per_flow=max_concurrent // 2),
    }
    endpoints = {
        purpose: WebhookEndpoint(intake, purpose, limits[purpose], memory, decoder) for purpose in CallPurpose
    }
    usual = [
        Route(f"{WEBHOOK_PREFIX}flows/{{flowId}}{purpose.value}", endpoints[purpose])
        for purpose in CallPurpose
    ]
    return [*usual, Route(f"{WEBHOOK_PREFIX}{{flowId}}", endpoints[CallPurpose.START])]


def body_limits(intake: WebhookIntake | None, scope: Scope) -> BodyLimits:
    """The limits of a request's body: higher for webhooks."""
    if intake is None or not scope["path"].startswith(WEBHOOK_PREFIX):
        return DEFAULT_BODY_LIMITS
    return webhook_body_limits(scope, intake.max_body_bytes)
