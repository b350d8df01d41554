"""Serves webhooks in front of FastAPI, whose layers and routing take longer than accepting an event."""

import logging
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patchbay.domain.errors import AppError
from patchbay.server.errors import (
    BodyRejected,
    RequestRejected,
    body_rejected_response,
    error_response,
    http_status,
    internal_error_response,
)
from patchbay.server.metrics import Metrics
from patchbay.server.request_bodies import BodyLimits, LimitedBody
from patchbay.server.webhooks import WEBHOOK_PREFIX

log = logging.getLogger(__name__)

_ID = "{flowId}"


class WebhookFront:
    """Passes requests for webhooks directly to their endpoints, and all others to `app`.

    Limits and counts webhook requests, and turns errors into responses, like the middleware of `app`.
    """

    def __init__(
        self,
        app: ASGIApp,
        routes: Iterable[Route],
        metrics: Metrics,
        body_limits: Callable[[Scope], BodyLimits],
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._body_limits = body_limits
        self._endpoints: dict[str, tuple[str, ASGIApp]] = {
            route.path.removeprefix(WEBHOOK_PREFIX): (route.path, route.app) for route in routes
        }
        """Path and endpoint by the path after the prefix."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(WEBHOOK_PREFIX):
            parts = scope["path"][len(WEBHOOK_PREFIX) :].split("/")
            at = min(1, len(parts) - 1)
            flow_id, parts[at] = parts[at], _ID
            found = self._endpoints.get("/".join(parts))
            if found is not None and flow_id:
                path, endpoint = found
                scope["path_params"] = {"flowId": flow_id}
                await self._serve(endpoint, path, scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _serve(self, endpoint: ASGIApp, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        started_at = time.perf_counter()
        has_started = False

        async def counted(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                self._metrics.record_response(
                    scope["method"], path, message, time.perf_counter() - started_at
                )
            await send(message)

        body = LimitedBody(scope, receive, self._body_limits(scope))
        try:
            await endpoint(scope, body.receive, counted)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001  the last line of defence: nothing else would respond
            response = _error_response(error, scope)
            if not has_started:
                await response(scope, receive, counted)


def _error_response(error: Exception, scope: Scope) -> Response:
    if isinstance(error, RequestRejected):
        return error_response(error.error, error.status)
    if isinstance(error, BodyRejected):
        return body_rejected_response(error)
    if not isinstance(error, AppError):
        return internal_error_response(error, scope["method"], scope["path"])
    if http_status(error) == HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("%s %s failed: %s", scope["method"], scope["path"], error.text())
    return error_response(error)
