"""Unpacks compressed data a limited piece at a time, so that a few bytes can't fill the memory."""

import asyncio
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol

import brotli
import httpx

from patchbay.domain.errors import NotSupported

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

UNPACKED_AT_ONCE = 256 * 1024
_LARGEST_ZSTD_WINDOW = 23
"""2^23 bytes: the most that HTTP responses may ask a reader to keep in memory (RFC 9659)."""


class Stream(Protocol):
    """One compressed stream."""

    @property
    def ended(self) -> bool: ...

    @property
    def unused(self) -> bytes:
        """The input after its end."""
        ...

    def next_part(self, data: bytes) -> tuple[bytes, bytes]:
        """Return (some unpacked bytes, the input that is still to be read)."""
        ...

    def has_more(self) -> bool:
        """Whether more can be unpacked without further input."""
        ...


class Decompressor:
    """Unpacks what is fed to it. Raises `httpx.DecodingError` for damaged data."""

    def __init__(self, start: Callable[[], Stream], *, repeats: bool, padding: bytes = b"") -> None:
        self._start = start
        self._repeats = repeats
        """Whether one stream may follow another: gzip and Zstandard allow it."""
        self._padding = padding
        """Bytes that some servers send after a stream."""
        self._stream = start()
        self._empty = True
        """Whether the stream has got no input yet."""
        self.streams = 1
        """How many streams were begun."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The unpacked bytes, in parts of limited size."""
        while data or self._stream.has_more():
            if self._stream.ended:
                data = data.lstrip(self._padding)
                if not data or not self._repeats:
                    return
                self._stream, self._empty, self.streams = self._start(), True, self.streams + 1
            self._empty = False
            try:
                part, data = self._stream.next_part(data)
            except (zlib.error, brotli.error, zstd.ZstdError) as error:
                raise httpx.DecodingError(str(error)) from error
            yield part
            if self._stream.ended:
                data = self._stream.unused

    def finish(self) -> None:
        """Raises `httpx.DecodingError` when what was fed ends within a stream. No data at all is no error."""
        if not (self._empty or self._stream.ended):
            raise httpx.DecodingError("The compressed data ends too early")


class _Zlib:
    """gzip and deflate."""

    def __init__(self, window: int) -> None:
        self._inflate = zlib.decompressobj(window)
        # Some servers send deflate without its header.
        self._may_be_bare = window == zlib.MAX_WBITS
        self._full = False

    @property
    def ended(self) -> bool:
        return self._inflate.eof

    @property
    def unused(self) -> bytes:
        return self._inflate.unused_data

    def next_part(self, data: bytes) -> tuple[bytes, bytes]:
        first, self._may_be_bare = self._may_be_bare, False
        try:
            part = self._inflate.decompress(data, UNPACKED_AT_ONCE)
        except zlib.error:
            if not first:
                raise
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            return self.next_part(data)
        self._full = len(part) == UNPACKED_AT_ONCE
        return part, self._inflate.unconsumed_tail

    def has_more(self) -> bool:
        return self._full and not self.ended


class _Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    @property
    def ended(self) -> bool:
        return bool(self._decompressor.is_finished())

    @property
    def unused(self) -> bytes:
        return b""

    def next_part(self, data: bytes) -> tuple[bytes, bytes]:
        return self._decompressor.process(data, output_buffer_limit=UNPACKED_AT_ONCE), b""

    def has_more(self) -> bool:
        return not self._decompressor.can_accept_more_data()


class _Zstandard:
    def __init__(self) -> None:
        window = {int(zstd.DecompressionParameter.window_log_max): _LARGEST_ZSTD_WINDOW}
        self._decompressor = zstd.ZstdDecompressor(options=window)

    @property
    def ended(self) -> bool:
        return self._decompressor.eof

    @property
    def unused(self) -> bytes:
        return self._decompressor.unused_data

    def next_part(self, data: bytes) -> tuple[bytes, bytes]:
        return self._decompressor.decompress(data, max_length=UNPACKED_AT_ONCE), b""

    def has_more(self) -> bool:
        return not self.ended and not self._decompressor.needs_input


def _gzip() -> Decompressor:
    return Decompressor(lambda: _Zlib(zlib.MAX_WBITS | 16), repeats=True, padding=b"\0")


ENCODINGS: dict[str, Callable[[], Decompressor]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": lambda: Decompressor(lambda: _Zlib(zlib.MAX_WBITS), repeats=False),
    "br": lambda: Decompressor(_Brotli, repeats=False),
    "zstd": lambda: Decompressor(_Zstandard, repeats=True),
}
"""By the name that Content-Encoding has for it."""


def decompressor(encoding: str) -> Decompressor:
    """A fresh decompressor for one of `ENCODINGS`."""
    return ENCODINGS[encoding]()


# MERGED: Reads the body of an answer within limits: of its size, of what unpacking it yields, and of
# its pieces.

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
