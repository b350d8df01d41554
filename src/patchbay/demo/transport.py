"""Responds in place of third parties, so that the demo works offline and changes nothing."""

import asyncio
import json
import random
from collections.abc import Callable

import httpx

from patchbay.demo.apps import OPERATION
from patchbay.demo.samples import SampleRenderer, get_sample
from patchbay.demo.timing import SLOT_MS, format_iso, slots
from patchbay.domain.base import EpochMs, Json, JsonObject

REJECTED_WORDS = ("revoked", "wrong")
"""Credentials that contain one of these words are rejected."""

_SLOW_APP_SECONDS = {"openai": 4.0}
_DEFAULT_SECONDS = 0.25


class DemoTransport(httpx.AsyncBaseTransport):
    """An HTTP transport with sample responses. `delay_factor` multiplies response times; 0 means no delay."""

    def __init__(self, clock: Callable[[], EpochMs], *, delay_factor: float = 1.0) -> None:
        self._clock, self._delay_factor = clock, delay_factor

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        operation = request.headers.get(OPERATION, "")
        app_key, _, key = operation.partition(".")
        await asyncio.sleep(self._delay_factor * _SLOW_APP_SECONDS.get(app_key, _DEFAULT_SECONDS))
        if any(word in request.headers.get("authorization", "").lower() for word in REJECTED_WORDS):
            return httpx.Response(401, json=_REJECTION)
        now = self._clock()
        if not operation:
            # Credential checks, and requests of the HTTP app.
            seen: JsonObject = {"ok": True, "items": 40 + now // 60_000 % 500, "checked_at": format_iso(now)}
            return httpx.Response(
                200, json={**seen, "demo": f"The demo responded in place of {request.url.host}."}
            )
        if request.method == "GET":
            return httpx.Response(
                200, json=[[slot, self._trigger_item(app_key, key, slot)] for slot in slots(now)]
            )
        given = json.loads(await request.aread() or b"{}")
        numbers = random.Random(now)  # nosec B311  # sample data
        renderer = SampleRenderer(numbers, now, format_iso(now))
        return httpx.Response(200, json=renderer.render(get_sample(app_key, key), given))

    def _trigger_item(self, app_key: str, key: str, slot: int) -> Json:
        """The item of a slot, which is always the same."""
        renderer = SampleRenderer(random.Random(f"{app_key}.{key}.{slot}"), slot, format_iso(slot * SLOT_MS))  # nosec B311  # sample data
        return renderer.render(get_sample(app_key, key), {})


_REJECTION: JsonObject = {
    "message": "Invalid credentials.",
    "error": "Unauthorized",
    "http_code": 401,
}
