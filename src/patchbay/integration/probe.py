"""One plain question to an address: what answers there, if anything."""

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from patchbay.integration.http_errors import told
from patchbay.integration.http_factory import HttpFactory

_MOST_BYTES = 64 * 1024
_LONGEST_LOCATION = 200
_UNPACKED = {"accept-encoding": "identity"}


@dataclass(frozen=True)
class Probed:
    """What came back, the body cut at 64 kB. `location` is where a redirect leads; nobody went there."""

    status: int
    location: str | None
    body: bytes


async def probe(http: HttpFactory, url: str, seconds: float) -> Probed:
    """GET the address. Raises `Unreachable`, `ValidationFailed`, `TimedOut` when no answer ends in time."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    body = b""
    try:
        async with asyncio.timeout(seconds), http.usual.stream("GET", url, headers=_UNPACKED) as answer:
            if "content-encoding" not in answer.headers:  # unpacked, a few bytes might fill the memory
                body = await _read(answer)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        raise told(error, app=host, host=host, seconds=seconds) from error
    location = answer.headers.get("location")
    return Probed(answer.status_code, location and location[:_LONGEST_LOCATION], body)


async def _read(answer: httpx.Response) -> bytes:
    body = b""
    async for part in answer.aiter_bytes():
        body += part
        if len(body) >= _MOST_BYTES:
            break
    return body[:_MOST_BYTES]
