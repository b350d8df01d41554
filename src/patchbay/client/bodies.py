"""Bodies of answers, read only so far and only so long."""

import asyncio
import codecs
from collections.abc import AsyncIterator

import httpx

from patchbay.client.failures import response_too_large

MAX_RESPONSE_BYTES = 32 * 1024 * 1024
"""Bytes of one answer, unpacked; more is read from nobody."""
MAX_LINE_LENGTH = 1024 * 1024
"""Characters of one line of an endless answer."""


async def read_body(response: httpx.Response, base_url: str, seconds: float) -> bytes:
    """The body, unpacked. Raises `ServerFault` for one that is too large, `httpx.ReadTimeout` for one that
    does not end within these seconds, however steadily it trickles, `httpx.DecodingError` for one that cannot
    be unpacked."""
    _reject_double_compression(response)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in response.aiter_bytes():
                size += len(part)
                if size > MAX_RESPONSE_BYTES:
                    raise response_too_large(base_url, MAX_RESPONSE_BYTES)
                parts.append(part)
    except TimeoutError as error:
        raise httpx.ReadTimeout("The answer did not end.", request=response.request) from error
    return b"".join(parts)


async def iter_lines(response: httpx.Response, base_url: str) -> AsyncIterator[str]:
    """The lines of an answer that need not end. Raises `ServerFault` for a line that is too long."""
    _reject_double_compression(response)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    partial_line = ""
    async for part in response.aiter_bytes():
        *ended, partial_line = (partial_line + decode(part)).split("\n")
        if len(partial_line) > MAX_LINE_LENGTH or any(len(line) > MAX_LINE_LENGTH for line in ended):
            raise response_too_large(base_url, MAX_LINE_LENGTH)
        for line in ended:
            yield line.removesuffix("\r")


def _reject_double_compression(response: httpx.Response) -> None:
    """What is packed twice may grow a million times before anybody can count it. Raises `DecodingError`."""
    if "," in response.headers.get("content-encoding", ""):
        raise httpx.DecodingError("The answer is packed more than once.", request=response.request)
