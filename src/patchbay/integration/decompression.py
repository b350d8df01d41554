"""Unpacks compressed data a limited piece at a time, so that a few bytes can't fill the memory."""

import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import brotli
import httpx

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
