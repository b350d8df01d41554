"""Bodies of answers, read only so far and only so long."""

import asyncio
import codecs
from collections.abc import AsyncIterator

import httpx

from patchbay.client.failures import too_large

LARGEST_ANSWER = 32 * 1024 * 1024
"""Bytes of one answer, unpacked; more is read from nobody."""
LONGEST_LINE = 1024 * 1024
"""Characters of one line of an endless answer."""


async def whole(response: httpx.Response, base_url: str, seconds: float) -> bytes:
    """The body, unpacked. Raises `ServerFault` for one that is too large, `httpx.ReadTimeout` for one that
    does not end within these seconds, however steadily it trickles, `httpx.DecodingError` for one that cannot
    be unpacked."""
    _require_packed_once(response)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in response.aiter_bytes():
                size += len(part)
                if size > LARGEST_ANSWER:
                    raise too_large(base_url, LARGEST_ANSWER)
                parts.append(part)
    except TimeoutError as error:
        raise httpx.ReadTimeout("The answer did not end.", request=response.request) from error
    return b"".join(parts)


async def lines(response: httpx.Response, base_url: str) -> AsyncIterator[str]:
    """The lines of an answer that need not end. Raises `ServerFault` for a line that is too long."""
    _require_packed_once(response)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    begun = ""
    async for part in response.aiter_bytes():
        *ended, begun = (begun + decode(part)).split("\n")
        if len(begun) > LONGEST_LINE or any(len(line) > LONGEST_LINE for line in ended):
            raise too_large(base_url, LONGEST_LINE)
        for line in ended:
            yield line.removesuffix("\r")


def _require_packed_once(response: httpx.Response) -> None:
    """What is packed twice may grow a million times before anybody can count it. Raises `DecodingError`."""
    if "," in response.headers.get("content-encoding", ""):
        raise httpx.DecodingError("The answer is packed more than once.", request=response.request)
