"""One plain question to an address: what answers there, if anything."""

from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.network_words import told

_MOST_BYTES = 64 * 1024


@dataclass(frozen=True)
class Probed:
    """What came back, the body cut at 64 kB. `location` is where a redirect leads; nobody went there."""

    status: int
    location: str | None
    body: bytes


async def probe(http: HttpFactory, url: str, seconds: float) -> Probed:
    """GET the address. Raises `Unreachable`, `TimedOut` or `ValidationFailed` when nothing answers."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    body = b""
    try:
        async with http.pool.stream("GET", url, timeout=seconds) as answer:
            async for part in answer.aiter_bytes():
                body += part
                if len(body) >= _MOST_BYTES:
                    break
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        raise told(error, app=host, host=host, seconds=seconds) from error
    return Probed(answer.status_code, answer.headers.get("location"), body[:_MOST_BYTES])
