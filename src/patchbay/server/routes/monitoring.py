"""Monitoring: the health check and the Prometheus metrics."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from fastapi import APIRouter, Depends, Request, Security
from starlette.responses import Response

from patchbay.domain.access import AccessGrant
from patchbay.domain.backend import Backend
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import Forbidden, Unreachable
from patchbay.server.authentication import UnrestrictedBackend, key_header, require_key
from patchbay.server.event_streams import EventStreams
from patchbay.server.metrics import Metrics
from patchbay.server.responses import (
    Alive,
    Failure,
    Responses,
    describe_media,
    describe_responses,
    json_response,
)

CACHE_SECONDS = 1.0
"""How long the engine's state is cached, so that frequent health checks stay cheap."""
_BEARER = "bearer "


StorageCheck: TypeAlias = Callable[[], Awaitable[None]]
"""Raises `StorageFault` if the next event couldn't be stored, and `Unreachable` before the program stops."""


def health(backend: Backend, version: str, check_storage: StorageCheck | None = None) -> APIRouter:
    """The route of the health check."""
    router = APIRouter(tags=["workspace"])
    is_engine_running = _EngineCheck(backend)
    busy: Responses = {
        503: {"model": Failure, "description": "The server is starting or stopping, or can't store events."}
    }

    @router.get("/healthcheck", responses=describe_responses(Alive) | busy)
    async def healthcheck() -> Response:
        """Check that the server responds, its engine runs, and events can be stored. Needs no API key."""
        if not await is_engine_running():
            raise Unreachable("The engine isn't running.", meaning="It's starting or stopping.")
        if check_storage is not None:
            await check_storage()
        return json_response(Alive(version=version))

    return router


class _EngineCheck:
    """Whether the engine runs, checked at most once a second."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._at, self._is_running = 0.0, False

    async def __call__(self) -> bool:
        if time.monotonic() - self._at >= CACHE_SECONDS:
            self._is_running = (await self._backend.health()).state is not EngineState.STOPPED
            self._at = time.monotonic()
        return self._is_running


async def _metrics_access(request: Request, value: str | None = Security(key_header)) -> None:
    """Require an API key that isn't limited to one user; scrapers may also send it as a bearer token."""
    sent = request.headers.get("authorization", "")
    bearer = sent[len(_BEARER) :].strip() if sent[: len(_BEARER)].lower() == _BEARER else None
    access: AccessGrant = await require_key(request, value or bearer)
    if access.person is not None:
        raise Forbidden(
            "This API key is limited to one user.",
            meaning="The metrics cover all users.",
            todo="Use a key without a user; the scope “read” is enough.",
        )


router = APIRouter(tags=["workspace"], dependencies=[Depends(_metrics_access)])


@router.get(
    "/metrics", responses=describe_media("text/plain", "The metrics in the text format of Prometheus.")
)
async def metrics(request: Request, backend: UnrestrictedBackend) -> Response:
    """Get metrics of requests, executions, the queue, webhooks, the database, and the process."""
    counted: Metrics = request.app.state.metrics
    streams: EventStreams = request.app.state.events
    body, kind = counted.text(await backend.health(), await backend.storage_usage(), streams)
    return Response(body, headers={"content-type": kind})
