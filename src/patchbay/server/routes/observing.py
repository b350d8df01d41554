"""For whoever watches over the service: whether it answers, and its numbers."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from fastapi import APIRouter, Depends, Request, Security
from starlette.responses import Response

from patchbay.domain.access import Access
from patchbay.domain.backend import Backend
from patchbay.domain.engine import EngineState
from patchbay.domain.errors import Forbidden, Unreachable
from patchbay.server.access import Whole, key_header, require_key
from patchbay.server.docs import Responses, answers, shows
from patchbay.server.envelope import Alive, Failure, json_response
from patchbay.server.events import EventStreams
from patchbay.server.metrics import Metrics

FRESH_SECONDS = 1.0
"""For how long an answer of the engine is good: asking costs nobody anything, however often it is done."""
_BEARER = "bearer "


StorageCheck: TypeAlias = Callable[[], Awaitable[None]]
"""Raises `StorageFault` when the next event could not be stored."""


def health(backend: Backend, version: str, check_storage: StorageCheck | None = None) -> APIRouter:
    """The health check of a service."""
    router = APIRouter(tags=["workspace"])
    asked = _Asked(backend)
    busy: Responses = {503: {"model": Failure, "description": "It starts or stops, or cannot be used."}}

    @router.get("/healthcheck", responses=answers(Alive) | busy)
    async def healthcheck() -> Response:
        """Whether the service answers, its engine is there and events can be stored. Needs no API key."""
        if not await asked():
            raise Unreachable("The engine of this service is not there now.", meaning="It starts or stops.")
        if check_storage is not None:
            await check_storage()
        return json_response(Alive(version=version))

    return router


class _Asked:
    """Whether the engine is there, asked at most once a second."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._at, self._there = 0.0, False

    async def __call__(self) -> bool:
        if time.monotonic() - self._at >= FRESH_SECONDS:
            self._there = (await self._backend.health()).state is not EngineState.STOPPED
            self._at = time.monotonic()
        return self._there


async def _reader(request: Request, value: str | None = Security(key_header)) -> None:
    """Let keys pass that reach everybody's things; scrapers may also send theirs as a bearer token."""
    sent = request.headers.get("authorization", "")
    bearer = sent[len(_BEARER) :].strip() if sent[: len(_BEARER)].lower() == _BEARER else None
    access: Access = await require_key(request, value or bearer)
    if access.person is not None:
        raise Forbidden(
            "This key shows only what belongs to one person.", meaning="The numbers are about everybody.",
            todo="Use a key without a person; the scope “read” is enough.",
        )  # fmt: skip


router = APIRouter(tags=["workspace"], dependencies=[Depends(_reader)])


@router.get("/metrics", responses=shows("text/plain", "The numbers, in the text form of Prometheus."))
async def metrics(request: Request, whole: Whole) -> Response:
    """Requests, executions, the queue, deliveries, the database and the process, for Prometheus."""
    counted: Metrics = request.app.state.metrics
    streams: EventStreams = request.app.state.events
    body, kind = counted.text(await whole.health(), await whole.storage_use(), streams)
    return Response(body, headers={"content-type": kind})
