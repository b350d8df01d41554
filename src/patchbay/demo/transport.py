"""Responds in place of third parties, so that the demo works offline and changes nothing."""

import asyncio
from collections.abc import Callable, Iterator

import httpx

from patchbay.demo.offline import decoded, is_rejected, offline_error
from patchbay.demo.responses import build_response, find_route, read_request
from patchbay.domain.base import EpochMs, JsonObject

_CREDENTIAL_FIELDS = (
    "token", "apiToken", "client_secret", "refresh_token", "access_token", "user", "key",
)  # fmt: skip
"""Fields of a query or a body in which services expect credentials."""
_CREDENTIAL_HEADERS = ("authorization", "x-api-key")


class DemoTransport(httpx.AsyncBaseTransport):
    """An HTTP transport with sample responses. `delay_factor` multiplies response times; 0 means no delay.

    Raises `NotSupported` for a request that no service of the demo has a response for.
    """

    def __init__(self, clock: Callable[[], EpochMs], *, delay_factor: float = 1.0) -> None:
        self._clock, self._delay_factor = clock, delay_factor

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        given = read_request(request)
        found = find_route(request.method, request.url, given)
        if found is None:
            raise offline_error(request.url.host)
        route, parts = found
        await asyncio.sleep(self._delay_factor * route.seconds)
        rejected = any(map(is_rejected, _credentials(request, {**given, **parts})))
        response = route.rejection if rejected else route.response
        return build_response(response, {**given, **parts}, self._clock(), route.address.pattern)


def _credentials(request: httpx.Request, given: JsonObject) -> Iterator[str]:
    """What a request contains as a credential."""
    for name in _CREDENTIAL_HEADERS:
        scheme, _, value = request.headers.get(name, "").rpartition(" ")
        yield decoded(value) if scheme.lower() == "basic" else value
    for name in _CREDENTIAL_FIELDS:
        yield str(given.get(name, ""))
