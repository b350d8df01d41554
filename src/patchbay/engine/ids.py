"""Ids of executions: UUIDs that sort by the time they were made."""

import random
import time
import uuid

_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62
_COUNTER_BITS = 0xFFF
_tails = random.Random(random.SystemRandom().getrandbits(128))  # nosec B311  # ids, no secrets
_last = 0


def new_execution_id() -> str:
    """A version 7 UUID, larger than every one this process made before.

    Events of one poll share a millisecond: the order of their ids keeps the order in which they happened,
    and rows land side by side in the index.
    """
    global _last
    _last = max(_last + 1, (time.time_ns() // 1_000_000) << 12)
    stamp, counter = _last >> 12, _last & _COUNTER_BITS
    tail = _tails.getrandbits(62)
    text = f"{(stamp << 80) | _VERSION_7 | (counter << 64) | _VARIANT | tail:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def new_engine_id() -> str:
    """A short random name for one life of an engine; run tokens start with it."""
    return uuid.uuid4().hex[:12]
