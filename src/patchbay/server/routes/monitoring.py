"""For whoever watches over the service: whether it answers, and its numbers."""

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
"""For how long an answer of the engine is good: asking costs nobody anything, however often it is done."""
_BEARER = "bearer "


StorageCheck: TypeAlias = Callable[[], Awaitable[None]]
"""Raises `StorageFault` when the next event could not be stored."""


def health(backend: Backend, version: str, check_storage: StorageCheck | None = None) -> APIRouter:
    """The health check of a service."""
    router = APIRouter(tags=["workspace"])
    is_engine_running = _EngineCheck(backend)
    busy: Responses = {503: {"model": Failure, "description": "It starts or stops, or cannot be used."}}

    @router.get("/healthcheck", responses=describe_responses(Alive) | busy)
    async def healthcheck() -> Response:
        """Whether the service answers, its engine is there and events can be stored. Needs no API key."""
        if not await is_engine_running():
            raise Unreachable("The engine of this service is not there now.", meaning="It starts or stops.")
        if check_storage is not None:
            await check_storage()
        return json_response(Alive(version=version))

    return router


class _EngineCheck:
    """Whether the engine is there, asked at most once a second."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._at, self._is_running = 0.0, False

    async def __call__(self) -> bool:
        if time.monotonic() - self._at >= CACHE_SECONDS:
            self._is_running = (await self._backend.health()).state is not EngineState.STOPPED
            self._at = time.monotonic()
        return self._is_running


async def _metrics_access(request: Request, value: str | None = Security(key_header)) -> None:
    """Let keys pass that reach everybody's things; scrapers may also send theirs as a bearer token."""
    sent = request.headers.get("authorization", "")
    bearer = sent[len(_BEARER) :].strip() if sent[: len(_BEARER)].lower() == _BEARER else None
    access: AccessGrant = await require_key(request, value or bearer)
    if access.person is not None:
        raise Forbidden(
            "This key shows only what belongs to one person.", meaning="The numbers are about everybody.",
            todo="Use a key without a person; the scope “read” is enough.",
        )  # fmt: skip


router = APIRouter(tags=["workspace"], dependencies=[Depends(_metrics_access)])


@router.get(
    "/metrics", responses=describe_media("text/plain", "The numbers, in the text form of Prometheus.")
)
async def metrics(request: Request, backend: UnrestrictedBackend) -> Response:
    """Requests, executions, the queue, deliveries, the database and the process, for Prometheus."""
    counted: Metrics = request.app.state.metrics
    streams: EventStreams = request.app.state.events
    body, kind = counted.text(await backend.health(), await backend.storage_usage(), streams)
    return Response(body, headers={"content-type": kind})
