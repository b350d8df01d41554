"""How much room values take, counted without writing them out."""

from patchbay.domain.base import Json, JsonObject

VALUE_SIZE = 8
"""What each value counts, beside its text."""
_SHORT_BITS = 64
THREAD_THRESHOLD = 256 * 1024
"""Characters or bytes from which on data is read and written in a thread, beside the event loop."""


def size_of(value: Json | JsonObject, limit: int) -> int:
    """About how many characters a value takes: its texts, and a little for each value in it.

    Counting stops when there are more than `limit`.
    """
    size, left = 0, [value]
    while left and size <= limit:
        item = left.pop()
        size += VALUE_SIZE
        if isinstance(item, str):
            size += len(item)
        elif isinstance(item, dict):
            size += sum(map(len, map(str, item)))
            left.extend(item.values())
        elif isinstance(item, list):
            left.extend(item)
        elif isinstance(item, int) and item.bit_length() > _SHORT_BITS:
            size += item.bit_length() // 3
    return size
