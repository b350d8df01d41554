"""Writes pictures as PNG files."""

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BITS, _RGB = 8, 2
_UNFILTERED = b"\0"


def png_file(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG file with these pixels: red, green, and blue of each, line by line."""
    line = width * 3
    lines = b"".join(_UNFILTERED + pixels[start : start + line] for start in range(0, height * line, line))
    header = struct.pack(">IIBBBBB", width, height, _BITS, _RGB, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
