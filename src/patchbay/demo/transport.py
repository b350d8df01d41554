"""Answers in the place of the third parties, so that the demo works without a network and touches nothing."""

import asyncio
import json
import random
from collections.abc import Callable

import httpx

from patchbay.demo.apps import OPERATION
from patchbay.demo.moments import SLOT, iso, slots
from patchbay.demo.samples import Rendering, sample_of
from patchbay.domain.base import EpochMs, Json, JsonObject

REFUSED = ("revoked", "wrong")
"""A credential with one of these words in it is refused."""

_SLOW = {"openai": 4.0}
_USUAL = 0.25


class DemoTransport(httpx.AsyncBaseTransport):
    """For `HttpFactory(transport=…)`. `pace` multiplies the time answers take; 0 answers at once."""

    def __init__(self, clock: Callable[[], EpochMs], *, pace: float = 1.0) -> None:
        self._clock, self._pace = clock, pace

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        operation = request.headers.get(OPERATION, "")
        app_key, _, key = operation.partition(".")
        await asyncio.sleep(self._pace * _SLOW.get(app_key, _USUAL))
        if any(word in request.headers.get("authorization", "").lower() for word in REFUSED):
            return httpx.Response(401, json=_REFUSAL)
        if not operation:
            return httpx.Response(200, json=self._plain(request))
        if request.method == "GET":
            return httpx.Response(
                200, json=[[slot, self._item(app_key, key, slot)] for slot in slots(self._clock())]
            )
        given = json.loads(await request.aread() or b"{}")
        return httpx.Response(200, json=self._answer(app_key, key, given))

    def _item(self, app_key: str, key: str, slot: int) -> Json:
        """What happened in a slot; the same whenever it is asked for."""
        rendering = Rendering(random.Random(f"{app_key}.{key}.{slot}"), slot, iso(slot * SLOT))  # nosec B311  # sample data
        return rendering.fill(sample_of(app_key, key), {})

    def _answer(self, app_key: str, key: str, given: JsonObject) -> Json:
        now = self._clock()
        return Rendering(random.Random(now), now, iso(now)).fill(sample_of(app_key, key), given)  # nosec B311  # sample data

    def _plain(self, request: httpx.Request) -> JsonObject:
        """Requests of no demo app: checks of credentials, and addresses typed into an HTTP request."""
        now = self._clock()
        seen: JsonObject = {"ok": True, "items": 40 + now // 60_000 % 500, "checked_at": iso(now)}
        return {**seen, "demo": f"Answered by the demo in place of {request.url.host}."}


_REFUSAL: JsonObject = {
    "message": "The credentials were not accepted.",
    "error": "Unauthorized",
    "http_code": 401,
}
