"""Answers of third parties, as bytes on the wire, that take far more to read than to send."""

import gzip
import sys
import zlib
from collections.abc import Callable
from functools import cache

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MB = 1024 * 1024


def answer(body: bytes, *headers: str) -> bytes:
    """An answer with this body."""
    lines = ("HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Connection: close", *headers, "", "")
    return "\r\n".join(lines).encode() + body


def chunked(chunk: bytes, number: int) -> bytes:
    """An answer whose body is this chunk so many times."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    return head + b"%x\r\n%s\r\n" % (len(chunk), chunk) * number + b"0\r\n\r\n"


@cache
def zeros(megabytes: int, window: int = zlib.MAX_WBITS | 16) -> bytes:
    """So many megabytes of zeros, compressed."""
    packer = zlib.compressobj(wbits=window)
    return b"".join(packer.compress(bytes(MB)) for _ in range(megabytes)) + packer.flush()


def zstandard(content: bytes, window_log: int = 0) -> bytes:
    """One Zstandard frame, for a reader that keeps 2^`window_log` bytes in memory."""
    packer = zstd.ZstdCompressor(options={int(zstd.CompressionParameter.window_log): window_log})
    return packer.compress(content) + packer.flush()


def packed_twice() -> bytes:
    """300 MB of zeros in less than 2 KB."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    return answer(packer.compress(zeros(300)) + packer.flush(), "Content-Encoding: gzip, gzip")


COMPRESSED = {
    "300 MB in gzip": lambda: answer(zeros(300), "Content-Encoding: gzip"),
    "300 MB in deflate": lambda: answer(zeros(300, zlib.MAX_WBITS), "Content-Encoding: deflate"),
    "300 MB in deflate without a header": lambda: answer(
        zeros(300, -zlib.MAX_WBITS), "Content-Encoding: deflate"
    ),
    "300 MB in Brotli": lambda: answer(brotli.compress(bytes(300 * MB), quality=1), "Content-Encoding: br"),
    "300 MB in Zstandard": lambda: answer(zstandard(bytes(300 * MB)), "Content-Encoding: zstd"),
    "300 MB in Zstandard frames": lambda: answer(zstandard(bytes(MB)) * 300, "Content-Encoding: zstd"),
    "300 MB in gzip members": lambda: answer(zeros(1) * 300, "Content-Encoding: gzip"),
}
"""What unpacks to far more than an answer may hold. Made when asked for."""

EMPTY_PARTS = {"gzip": gzip.compress(b"", mtime=0), "zstd": b"\x50\x2a\x4d\x18\0\0\0\0"}
"""Compressed streams of which an answer can hold any number and that unpack to nothing."""

TINY_CHUNKS = chunked(b" ", 200_000)

MANY_VALUES: dict[str, Callable[[], bytes]] = {
    "empty lists": lambda: b"[" + b"[]," * 8_000_000 + b"[]]",
    "numbers": lambda: b"[" + b"1," * 12_000_000 + b"1]",
    "objects": lambda: b"[" + b'{"a":1},' * 3_000_000 + b"{}]",
    "nested lists": lambda: b"[" * 500 + b"[1,2]" + b",[1,2]" * 500_000 + b"]" * 500,
    "keys": lambda: b"{" + b",".join(b'"%d":0' % number for number in range(1_000_000)) + b"}",
}
"""JSON of up to 24 MB. Made when asked for."""
