"""The addresses that start flows. A plain ASGI route: no API key, no validation layer, quick.

Source: domain facts, section 5 "Webhooks". HEAD and unknown methods never start a run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from patchbay.domain.base import FlowId, Json
from patchbay.domain.errors import NotFound, NotSupported, Unreachable
from patchbay.domain.ports import WebhookIntake, WebhookRequest, WebhookResponse
from patchbay.domain.run_trees import RUN_ROOT_HEADER, current_run_root, root_id_from_headers
from patchbay.server import webhook_bodies
from patchbay.server.access import API_KEY_HEADER
from patchbay.server.failures import BodyTooLarge, RequestRejected, error_response
from patchbay.server.flow_responses import build_response
from patchbay.server.guard import DEFAULT_BODY_LIMITS, BodyLimits
from patchbay.server.limits import DEFAULT_LIMITS
from patchbay.server.params import canonical_id, is_uuid
from patchbay.server.webhook_bodies import BodyDecoder, BodyMemory

WEBHOOK_PREFIX = "/webhooks/"
METHODS = ("GET", "POST", "PUT", "PATCH")

_ALLOWED = ", ".join((*METHODS, "HEAD", "OPTIONS"))
_CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": ", ".join(METHODS),
    "access-control-allow-headers": "*",
}
_INTERNAL_HEADERS = (API_KEY_HEADER, RUN_ROOT_HEADER)
"""Headers that are meant for the service, not for the flow."""


class CallPurpose(Enum):
    """What a call to an address is for; the value ends the address."""

    START = ""
    WAIT = "/sync"
    """Start, and wait for the flow's own answer."""
    TEST = "/test"
    """Show the person who builds the flow what arrives."""


class ConcurrencyLimit:
    """Calls that are handled at the same time. Beyond that, callers are asked to come back.

    What is left of the connections belongs to the interface, however many calls wait for their flows.
    """

    def __init__(self, number: int) -> None:
        self._number, self._used = number, 0

    def require_free_slot(self) -> None:
        """Raises `RequestRejected` (503) when all places are taken."""
        if self._used >= self._number:
            error = Unreachable(
                "Too many webhook requests at once.",
                meaning="This request wasn't accepted.",
                todo="Try again in a moment.",
            )
            raise RequestRejected(503, error)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """A place for the time of the block. Raises as `require_free_slot`."""
        self.require_free_slot()
        self._used += 1
        try:
            yield
        finally:
            self._used -= 1


class WebhookEndpoint:
    """Hands incoming calls to the engine's intake."""

    def __init__(
        self,
        intake: WebhookIntake,
        purpose: CallPurpose,
        limits: ConcurrencyLimit,
        memory: BodyMemory,
        decoder: BodyDecoder,
    ) -> None:
        self._intake, self._purpose = intake, purpose
        self._limit, self._memory, self._decoder = limits, memory, decoder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        current_run_root.set(root_id_from_headers(request.headers))
        answer = await self._answer(request)
        answer.headers.update(_CORS)
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"allow": _ALLOWED})
        if request.method not in (*METHODS, "HEAD"):
            return _method_not_allowed(request.method)
        raw_flow_id = request.path_params["flowId"]
        if not is_uuid(raw_flow_id):
            raise RequestRejected(
                400, NotFound("This is not the address of a webhook: the flow's id is malformed.")
            )
        flow_id = canonical_id(raw_flow_id)
        # Before anything of the body is read: whoever calls an address of no flow costs nothing more.
        await self._intake.look_up(flow_id, test=self._purpose is CallPurpose.TEST)
        if request.method == "HEAD":
            return Response(status_code=200)
        try:
            self._limit.require_free_slot()
            async with self._memory.reading(request) as raw:
                with self._limit.slot():
                    return build_response(await self._deliver(flow_id, request, raw))
        except BodyTooLarge as error:
            if self._purpose is not CallPurpose.TEST:
                await self._intake.record_refusal(flow_id, error.error)
            raise
        except ClientDisconnect:
            return Response(status_code=400)

    async def _deliver(self, flow_id: FlowId, request: Request, raw: bytes) -> WebhookResponse:
        async def read_body() -> Json:
            return await self._decoder.decode(raw, request.headers, self._intake.max_body_bytes)

        event = _webhook_request(request, raw)
        if self._purpose is CallPurpose.TEST:
            return await self._intake.deliver_test(flow_id, event, read_body=read_body)
        waits_for_response = self._purpose is CallPurpose.WAIT
        return await self._intake.deliver(flow_id, event, synchronous=waits_for_response, read_body=read_body)


def routes(intake: WebhookIntake, max_concurrent: int = DEFAULT_LIMITS.webhooks) -> list[Route]:
    """The addresses of every flow, and the short one that older senders may know.

    `max_concurrent` calls are handled, and as many wait, at the same time.
    """
    memory, decoder, starting = BodyMemory(), BodyDecoder(), ConcurrencyLimit(max_concurrent)
    limits = {
        CallPurpose.START: starting,
        CallPurpose.TEST: starting,
        CallPurpose.WAIT: ConcurrencyLimit(max_concurrent),
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
    """What the body of a request may take: more for what is sent to webhooks."""
    if intake is None or not scope["path"].startswith(WEBHOOK_PREFIX):
        return DEFAULT_BODY_LIMITS
    return webhook_bodies.webhook_body_limits(scope, intake.max_body_bytes)


def _method_not_allowed(method: str) -> Response:
    error = NotSupported(
        f"A webhook is not called with {method}.",
        meaning="Nothing was started.",
        todo=f"Use one of {', '.join(METHODS)}.",
    )
    answer = error_response(error, 405)
    answer.headers["allow"] = _ALLOWED
    return answer


def _webhook_request(request: Request, raw: bytes) -> WebhookRequest:
    return WebhookRequest(
        method=request.method,
        headers={name: value for name, value in request.headers.items() if name not in _INTERNAL_HEADERS},
        query=webhook_bodies.group_by_name(request.query_params.multi_items()),
        raw_body=raw,
    )
