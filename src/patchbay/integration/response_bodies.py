"""Reads and decompresses HTTP response bodies within limits on size, streams, and chunks.

Data is decompressed in chunks of limited size, so a few bytes can't fill the memory.
"""

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

DECOMPRESSED_CHUNK_BYTES = 256 * 1024
_MAX_ZSTD_WINDOW_LOG = 23
"""2^23 bytes: the largest window that HTTP responses may require (RFC 9659)."""


class CompressedStream(Protocol):
    """One compressed stream."""

    @property
    def has_ended(self) -> bool:
        """Whether the compressed data is complete."""
        ...

    @property
    def unused_input(self) -> bytes:
        """The input after its end."""
        ...

    def decompress_part(self, data: bytes) -> tuple[bytes, bytes]:
        """Return (decompressed bytes, remaining input)."""
        ...

    def has_more(self) -> bool:
        """Whether more data can be decompressed without further input."""
        ...


class Decompressor:
    """Decompresses the data fed to it. Raises `httpx.DecodingError` for damaged data."""

    def __init__(
        self, start: Callable[[], CompressedStream], *, allows_many_streams: bool, padding: bytes = b""
    ) -> None:
        self._open_stream = start
        self._allows_many_streams = allows_many_streams
        """Whether one stream may follow another: gzip and Zstandard allow it."""
        self._padding = padding
        """Padding that some servers send after a stream."""
        self._stream = start()
        self._is_empty = True
        """Whether the stream hasn't received input yet."""
        self.streams = 1
        """The number of streams so far."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decompressed bytes in chunks of limited size."""
        while data or self._stream.has_more():
            if self._stream.has_ended:
                data = data.lstrip(self._padding)
                if not data or not self._allows_many_streams:
                    return
                self._stream = self._open_stream()
                self._is_empty = True
                self.streams = self.streams + 1
            self._is_empty = False
            try:
                part, data = self._stream.decompress_part(data)
            except (zlib.error, brotli.error, zstd.ZstdError) as error:
                raise httpx.DecodingError(str(error)) from error
            yield part
            if self._stream.has_ended:
                data = self._stream.unused_input

    def finish(self) -> None:
        """Raise `httpx.DecodingError` if the data ends within a stream. No data at all is valid."""
        if not (self._is_empty or self._stream.has_ended):
            raise httpx.DecodingError("The compressed data ends too early")


class _Zlib:
    """gzip and deflate."""

    def __init__(self, window: int) -> None:
        self._inflate = zlib.decompressobj(window)
        # Some servers send deflate without its header.
        self._may_lack_header = window == zlib.MAX_WBITS
        self._has_full_chunk = False

    @property
    def has_ended(self) -> bool:
        return self._inflate.eof

    @property
    def unused_input(self) -> bytes:
        return self._inflate.unused_data

    def decompress_part(self, data: bytes) -> tuple[bytes, bytes]:
        first, self._may_lack_header = self._may_lack_header, False
        try:
            part = self._inflate.decompress(data, DECOMPRESSED_CHUNK_BYTES)
        except zlib.error:
            if not first:
                raise
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            return self.decompress_part(data)
        self._has_full_chunk = len(part) == DECOMPRESSED_CHUNK_BYTES
        return part, self._inflate.unconsumed_tail

    def has_more(self) -> bool:
        return self._has_full_chunk and not self.has_ended


class _Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    @property
    def has_ended(self) -> bool:
        return bool(self._decompressor.is_finished())

    @property
    def unused_input(self) -> bytes:
        return b""

    def decompress_part(self, data: bytes) -> tuple[bytes, bytes]:
        return self._decompressor.process(data, output_buffer_limit=DECOMPRESSED_CHUNK_BYTES), b""

    def has_more(self) -> bool:
        return not self._decompressor.can_accept_more_data()


class _Zstandard:
    def __init__(self) -> None:
        window = {int(zstd.DecompressionParameter.window_log_max): _MAX_ZSTD_WINDOW_LOG}
        self._decompressor = zstd.ZstdDecompressor(options=window)

    @property
    def has_ended(self) -> bool:
        return self._decompressor.eof

    @property
    def unused_input(self) -> bytes:
        return self._decompressor.unused_data

    def decompress_part(self, data: bytes) -> tuple[bytes, bytes]:
        return self._decompressor.decompress(data, max_length=DECOMPRESSED_CHUNK_BYTES), b""

    def has_more(self) -> bool:
        return not self.has_ended and not self._decompressor.needs_input


def _gzip() -> Decompressor:
    return Decompressor(lambda: _Zlib(zlib.MAX_WBITS | 16), allows_many_streams=True, padding=b"\0")


ENCODINGS: dict[str, Callable[[], Decompressor]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": lambda: Decompressor(lambda: _Zlib(zlib.MAX_WBITS), allows_many_streams=False),
    "br": lambda: Decompressor(_Brotli, allows_many_streams=False),
    "zstd": lambda: Decompressor(_Zstandard, allows_many_streams=True),
}
"""Decompressors by their name in Content-Encoding."""


def create_decompressor(encoding: str) -> Decompressor:
    """Create a decompressor for one of `ENCODINGS`."""
    return ENCODINGS[encoding]()


# Reading whole bodies

MAX_RESPONSE_BYTES = 25 * 1024 * 1024
ACCEPT_ENCODING = ", ".join(name for name in ENCODINGS if not name.startswith("x-"))
MAX_TINY_CHUNKS = 10_000
"""After this many chunks, they must have at least `TINY_CHUNK_BYTES` bytes on average."""
TINY_CHUNK_BYTES = 256
MAX_COMPRESSED_STREAMS = 10_000
"""Max. compressed streams in one response. Each takes time to set up, even an empty one of a few bytes."""


async def read_body(response: httpx.Response, sender: str) -> bytes:
    """Read and decompress the body. `sender` is the service's name, for errors.

    Raises `NotSupported` if the body is too large, compressed more than once or in an unknown format, or
    arrives in too many tiny chunks, and `httpx.DecodingError` if it is damaged or incomplete.
    """
    if int(response.headers.get("content-length") or 0) > MAX_RESPONSE_BYTES:
        raise _too_large_error(sender)
    body = bytearray()
    async for part in _decompressed_chunks(response, sender):
        body += part
        if len(body) > MAX_RESPONSE_BYTES:
            raise _too_large_error(sender)
    return bytes(body)


async def _decompressed_chunks(response: httpx.Response, sender: str) -> AsyncIterator[bytes]:
    if response.is_stream_consumed:  # by a transport that responds from memory
        yield await response.aread()
        return
    encodings = [
        name
        for item in response.headers.get("content-encoding", "").split(",")
        if (name := item.strip().lower()) not in ("", "identity")
    ]
    if len(encodings) > 1:
        raise NotSupported(
            f"{sender} compressed its response more than once.",
            meaning="A few bytes of such a response can decompress to gigabytes, so Patchbay doesn't "
            "read it.",
            todo="Configure the service to compress responses once, or not at all.",
        )
    if not encodings:
        async for chunk in _raw_chunks(response, sender):
            yield chunk
        return
    # A response without a body may have any encoding, so an unknown one matters only with the first chunk.
    unpacker = create_decompressor(encodings[0]) if encodings[0] in ENCODINGS else None
    async for chunk in _raw_chunks(response, sender):
        if unpacker is None:
            raise NotSupported(
                f"{sender} compressed its response in an unknown format ({encodings[0][:40]}).",
                meaning="Patchbay can't decompress it.",
                todo="Configure the service to use gzip, Brotli, Zstandard, or no compression.",
            )
        for part in unpacker.feed(chunk):
            yield part
            if unpacker.streams > MAX_COMPRESSED_STREAMS:
                raise NotSupported(
                    f"{sender} compressed its response in more than {MAX_COMPRESSED_STREAMS:,} parts.",
                    meaning="Decompressing them would slow down everything else.",
                    todo="Configure the service to compress its response as a whole.",
                )
            await asyncio.sleep(0)  # a small chunk can decompress to megabytes
    if unpacker is not None:
        unpacker.finish()


async def _raw_chunks(response: httpx.Response, sender: str) -> AsyncIterator[bytes]:
    """Yield chunks as they arrive from the network."""
    chunk_count = size = 0
    async for chunk in response.aiter_raw():
        chunk_count, size = chunk_count + 1, size + len(chunk)
        if size > MAX_RESPONSE_BYTES:
            raise _too_large_error(sender)
        if chunk_count > MAX_TINY_CHUNKS and size < chunk_count * TINY_CHUNK_BYTES:
            raise NotSupported(
                f"{sender} split its response into too many tiny chunks.",
                meaning="Reading them would slow down everything else.",
                todo="Configure the service to send its response in larger chunks.",
            )
        yield chunk


def _too_large_error(sender: str) -> NotSupported:
    return NotSupported(
        f"{sender} sent more than {MAX_RESPONSE_BYTES // 1024**2} MB.",
        meaning="A response of that size doesn't fit into a step.",
        todo="Request less at once, or pass on the URL instead of the content.",
    )
