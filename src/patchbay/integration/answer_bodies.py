"""Reads the body of an answer within limits: of its size, of what unpacking it yields, and of its pieces."""

import asyncio
from collections.abc import AsyncIterator

import httpx

from patchbay.domain.errors import NotSupported
from patchbay.integration.decompression import ENCODINGS, decompressor

MAX_ANSWER = 25 * 1024 * 1024
ACCEPT_ENCODING = ", ".join(name for name in ENCODINGS if not name.startswith("x-"))
MOST_TINY_PIECES = 10_000
"""Pieces of an answer from which on they must hold `TINY_PIECE` bytes on average."""
TINY_PIECE = 256
MOST_STREAMS = 10_000
"""Compressed streams in one answer. Each takes time to begin, and an empty one takes a few bytes."""


async def read_body(answer: httpx.Response, sender: str) -> bytes:
    """The body, unpacked. `sender` is the name of who answers.

    Raises `NotSupported` for an answer that is too large, is compressed more than once or in an unknown
    format, or comes in a great many tiny pieces, and `httpx.DecodingError` for one that can't be unpacked
    or ends too early.
    """
    if int(answer.headers.get("content-length") or 0) > MAX_ANSWER:
        raise _too_large(sender)
    found = bytearray()
    async for part in _unpacked(answer, sender):
        found += part
        if len(found) > MAX_ANSWER:
            raise _too_large(sender)
    return bytes(found)


async def _unpacked(answer: httpx.Response, sender: str) -> AsyncIterator[bytes]:
    if answer.is_stream_consumed:  # by a transport that answers from memory
        yield await answer.aread()
        return
    encodings = [
        name
        for item in answer.headers.get("content-encoding", "").split(",")
        if (name := item.strip().lower()) not in ("", "identity")
    ]
    if len(encodings) > 1:
        raise _packed_twice(sender)
    if not encodings:
        async for piece in _pieces(answer, sender):
            yield piece
        return
    # A response without a body may name any encoding, so an unknown one matters with the first piece only.
    unpacker = decompressor(encodings[0]) if encodings[0] in ENCODINGS else None
    async for piece in _pieces(answer, sender):
        if unpacker is None:
            raise _unknown_encoding(sender, encodings[0])
        for part in unpacker.feed(piece):
            yield part
            if unpacker.streams > MOST_STREAMS:
                raise _many_streams(sender)
            await asyncio.sleep(0)  # a small piece can hold megabytes
    if unpacker is not None:
        unpacker.finish()


async def _pieces(answer: httpx.Response, sender: str) -> AsyncIterator[bytes]:
    """What comes over the network, as it comes."""
    number = size = 0
    async for piece in answer.aiter_raw():
        number, size = number + 1, size + len(piece)
        if size > MAX_ANSWER:
            raise _too_large(sender)
        if number > MOST_TINY_PIECES and size < number * TINY_PIECE:
            raise _tiny_pieces(sender)
        yield piece


def _too_large(sender: str) -> NotSupported:
    return NotSupported(
        f"{sender} sent more than {MAX_ANSWER // 1024**2} MB.",
        meaning="An answer of that size does not fit into a step.",
        todo="Ask for less at once, or hand on the address instead of the content.",
    )


def _packed_twice(sender: str) -> NotSupported:
    return NotSupported(
        f"{sender} compressed its response more than once.",
        meaning="A few bytes of such a response can unpack to gigabytes, so it isn't read.",
        todo="Set up the service to compress responses once, or not at all.",
    )


def _unknown_encoding(sender: str, encoding: str) -> NotSupported:
    return NotSupported(
        f"{sender} compressed its response in an unknown format ({encoding[:40]}).",
        meaning="Without unpacking it, the data would be unreadable.",
        todo="Set up the service to use gzip, Brotli, Zstandard, or no compression.",
    )


def _many_streams(sender: str) -> NotSupported:
    return NotSupported(
        f"{sender} compressed its response in more than {MOST_STREAMS:,} parts.",
        meaning="Unpacking them would slow down everything else.",
        todo="Set up the service to compress its response as a whole.",
    )


def _tiny_pieces(sender: str) -> NotSupported:
    return NotSupported(
        f"{sender} split its response into too many tiny pieces.",
        meaning="Reading them would slow down everything else.",
        todo="Set up the service to send its response in larger chunks.",
    )
