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
from patchbay.domain.ports import WebhookAnswer, WebhookIntake, WebhookRequest
from patchbay.domain.run_trees import HEADER as RUN_ROOT
from patchbay.domain.run_trees import caused_by, root_of
from patchbay.server import webhook_bodies
from patchbay.server.access import HEADER
from patchbay.server.failures import BodyTooLarge, Refused, failure
from patchbay.server.flow_responses import response_of
from patchbay.server.guard import USUAL, Allowance
from patchbay.server.limits import USUAL_LIMITS
from patchbay.server.params import canonical, is_uuid
from patchbay.server.webhook_bodies import BodyDecoder, BodyMemory

PREFIX = "/webhooks/"
METHODS = ("GET", "POST", "PUT", "PATCH")

_ALLOWED = ", ".join((*METHODS, "HEAD", "OPTIONS"))
_CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": ", ".join(METHODS),
    "access-control-allow-headers": "*",
}
_OURS = (HEADER, RUN_ROOT)
"""Headers that are meant for the service, not for the flow."""


class Purpose(Enum):
    """What a call to an address is for; the value ends the address."""

    START = ""
    WAIT = "/sync"
    """Start, and wait for the flow's own answer."""
    TEST = "/test"
    """Show the person who builds the flow what arrives."""


class Places:
    """Calls that are handled at the same time. Beyond that, callers are asked to come back.

    What is left of the connections belongs to the interface, however many calls wait for their flows.
    """

    def __init__(self, number: int) -> None:
        self._number, self._used = number, 0

    def require_free(self) -> None:
        """Raises `Refused` (503) when all places are taken."""
        if self._used >= self._number:
            error = Unreachable(
                "Too many webhook requests at once.",
                meaning="This request wasn't accepted.",
                todo="Try again in a moment.",
            )
            raise Refused(503, error)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """A place for the time of the block. Raises as `require_free`."""
        self.require_free()
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
        purpose: Purpose,
        places: Places,
        memory: BodyMemory,
        decoder: BodyDecoder,
    ) -> None:
        self._intake, self._purpose = intake, purpose
        self._places, self._memory, self._decoder = places, memory, decoder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        caused_by.set(root_of(request.headers))
        answer = await self._answer(request)
        answer.headers.update(_CORS)
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"allow": _ALLOWED})
        if request.method not in (*METHODS, "HEAD"):
            return _not_offered(request.method)
        given = request.path_params["flowId"]
        if not is_uuid(given):
            raise Refused(400, NotFound("This is not the address of a webhook: the flow's id is malformed."))
        flow_id = canonical(given)
        # Before anything of the body is read: whoever calls an address of no flow costs nothing more.
        await self._intake.look_up(flow_id, test=self._purpose is Purpose.TEST)
        if request.method == "HEAD":
            return Response(status_code=200)
        try:
            self._places.require_free()
            async with self._memory.reading(request) as raw:
                with self._places.taken():
                    return response_of(await self._deliver(flow_id, request, raw))
        except BodyTooLarge as error:
            if self._purpose is not Purpose.TEST:
                await self._intake.record_refusal(flow_id, error.error)
            raise
        except ClientDisconnect:
            return Response(status_code=400)

    async def _deliver(self, flow_id: FlowId, request: Request, raw: bytes) -> WebhookAnswer:
        async def read_body() -> Json:
            return await self._decoder.decode(raw, request.headers, self._intake.max_body_bytes)

        event = _undecoded(request, raw)
        if self._purpose is Purpose.TEST:
            return await self._intake.deliver_test(flow_id, event, read_body=read_body)
        waits = self._purpose is Purpose.WAIT
        return await self._intake.deliver(flow_id, event, synchronous=waits, read_body=read_body)


def routes(intake: WebhookIntake, at_once: int = USUAL_LIMITS.webhooks) -> list[Route]:
    """The addresses of every flow, and the short one that older senders may know.

    `at_once` calls are handled, and as many wait, at the same time.
    """
    memory, decoder, starting = BodyMemory(), BodyDecoder(), Places(at_once)
    places = {Purpose.START: starting, Purpose.TEST: starting, Purpose.WAIT: Places(at_once)}
    endpoints = {
        purpose: WebhookEndpoint(intake, purpose, places[purpose], memory, decoder) for purpose in Purpose
    }
    usual = [Route(f"{PREFIX}flows/{{flowId}}{purpose.value}", endpoints[purpose]) for purpose in Purpose]
    return [*usual, Route(f"{PREFIX}{{flowId}}", endpoints[Purpose.START])]


def allowance(intake: WebhookIntake | None, scope: Scope) -> Allowance:
    """What the body of a request may take: more for what is sent to webhooks."""
    if intake is None or not scope["path"].startswith(PREFIX):
        return USUAL
    return webhook_bodies.allowance(scope, intake.max_body_bytes)


def _not_offered(method: str) -> Response:
    error = NotSupported(
        f"A webhook is not called with {method}.",
        meaning="Nothing was started.",
        todo=f"Use one of {', '.join(METHODS)}.",
    )
    answer = failure(error, 405)
    answer.headers["allow"] = _ALLOWED
    return answer


def _undecoded(request: Request, raw: bytes) -> WebhookRequest:
    return WebhookRequest(
        method=request.method,
        headers={name: value for name, value in request.headers.items() if name not in _OURS},
        query=webhook_bodies.gathered(request.query_params.multi_items()),
        raw_body=raw,
    )
