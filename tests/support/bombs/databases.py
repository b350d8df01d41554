"""Responses of database servers that never end.

`POSTGRES_FLOODS` and `MYSQL_FLOODS` by name, as functions that make the pieces to send; those of MySQL take
the sequence number of the first packet.
"""

from collections.abc import Callable, Iterator
from itertools import chain, cycle, repeat

MEGABYTE = b"x" * 1024**2
_LARGEST = 2**24 - 1
"""Length of a MySQL packet that the next one continues."""
_COLUMN = b"\x03def" + bytes(5) + b"\x0c\x21\0" + bytes(4) + b"\x03" + bytes(5)


def message(kind: bytes, body: bytes, announced: int | None = None) -> bytes:
    """A message of PostgreSQL, which may announce another length than it has."""
    return kind + (len(body) + 4 if announced is None else announced).to_bytes(4, "big") + body


def packet(number: int, body: bytes) -> bytes:
    """A packet of MySQL with this sequence number."""
    return len(body).to_bytes(3, "little") + bytes([number % 256]) + body


def _one_long_message(announced: int) -> Iterator[bytes]:
    return chain([message(b"N", b"", announced)], repeat(MEGABYTE))


def _small_messages() -> Iterator[bytes]:
    settings = (message(b"S", b"patchbay.%d\0\0" % number) for number in range(10_000))
    return cycle([b"".join(settings)])


def _continued_packets(number: int) -> Iterator[bytes]:
    body = b"\x0a" * _LARGEST
    while True:
        yield packet(number, body)
        number += 1


def _columns(number: int) -> Iterator[bytes]:
    yield packet(number, b"\xfd\xff\xff\xff")
    while True:
        yield b"".join(packet(number + each, _COLUMN) for each in range(1, 257))


POSTGRES_FLOODS: dict[str, Callable[[], Iterator[bytes]]] = {
    "a message of 2 GB": lambda: _one_long_message(2**31 - 1),
    "a message of 100 MB": lambda: _one_long_message(100 * 1024**2),
    "a message of a negative length": lambda: _one_long_message(2**32 - 1),
    "messages of 1 MB": lambda: repeat(message(b"N", MEGABYTE)),
    "small messages": _small_messages,
}
MYSQL_FLOODS: dict[str, Callable[[int], Iterator[bytes]]] = {
    "a packet continued without end": _continued_packets,
    "millions of columns": _columns,
}
