"""Sends one GET request to a URL to see what responds."""

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from patchbay.integration.http_errors import error_from_httpx
from patchbay.integration.http_factory import HttpFactory

_MAX_BODY_BYTES = 64 * 1024
_MAX_LOCATION_LENGTH = 200
_UNCOMPRESSED = {"accept-encoding": "identity"}


@dataclass(frozen=True)
class ProbeResult:
    """The response, with the body cut at 64 kB. `location` is a redirect's target, which isn't followed."""

    status: int
    location: str | None
    body: bytes


async def probe(http: HttpFactory, url: str, seconds: float) -> ProbeResult:
    """Send a GET request. Raises `Unreachable`, `ValidationFailed`, or `TimedOut`."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    body = b""
    try:
        async with (
            asyncio.timeout(seconds),
            http.default_client.stream("GET", url, headers=_UNCOMPRESSED) as response,
        ):
            if "content-encoding" not in response.headers:  # a few compressed bytes might fill the memory
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) >= _MAX_BODY_BYTES:
                        break
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        raise error_from_httpx(error, app=host, host=host, seconds=seconds) from error
    location = response.headers.get("location")
    return ProbeResult(
        response.status_code, location and location[:_MAX_LOCATION_LENGTH], body[:_MAX_BODY_BYTES]
    )
