"""Reads the body of an answer within limits: of its size, of what unpacking it yields, and of its pieces."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator

import httpx

from patchbay.domain.errors import NotSupported

MAX_ANSWER = 25 * 1024 * 1024
ACCEPT_ENCODING = "gzip, deflate"
"""What can be unpacked here with a limit; httpx would add what happens to be installed."""
_UNPACKED_AT_ONCE = 256 * 1024
MOST_TINY_PIECES = 1000
"""Pieces of an answer from which on they must hold `TINY_PIECE` bytes on average."""
TINY_PIECE = 32


async def read_body(answer: httpx.Response, sender: str) -> bytes:
    """The body, unpacked. `sender` is the name of who answers.

    Raises `NotSupported` for an answer that is too large, is compressed more than once, or comes in a great
    many tiny pieces, and `httpx.DecodingError` for one that can't be unpacked.
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
    unpacker = _Unpacker(encodings[0]) if encodings and encodings[0] in _WINDOWS else None
    async for piece in _pieces(answer, sender):
        if unpacker is None:
            yield piece
            continue
        for part in unpacker.feed(piece):
            yield part
            await asyncio.sleep(0)  # a small piece can hold megabytes
    if unpacker is not None:
        yield unpacker.end()


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


_WINDOWS = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


class _Unpacker:
    """Unpacks gzip and deflate a limited piece at a time."""

    def __init__(self, encoding: str) -> None:
        self._inflate = zlib.decompressobj(_WINDOWS[encoding])
        # Some servers send deflate without its header.
        self._may_be_bare = encoding == "deflate"

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._inflate.eof:
            part = self._next(data)
            data = self._inflate.unconsumed_tail
            yield part

    def end(self) -> bytes:
        return self._inflate.flush()

    def _next(self, data: bytes) -> bytes:
        first, self._may_be_bare = self._may_be_bare, False
        try:
            return self._inflate.decompress(data, _UNPACKED_AT_ONCE)
        except zlib.error as error:
            if not first:
                raise httpx.DecodingError(str(error)) from error
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        return self._next(data)


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


def _tiny_pieces(sender: str) -> NotSupported:
    return NotSupported(
        f"{sender} split its response into too many tiny pieces.",
        meaning="Reading them would slow down everything else.",
        todo="Set up the service to send its response in larger chunks.",
    )
