"""Ids that follow from the seed and from what they name, so that every build gives the same."""

import uuid

_NAMESPACE = uuid.UUID("6f1d3d1c-6d0e-4b52-9a55-0d1c5f6e7a11")
_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62


def seeded_id(seed: int, *names: object) -> str:
    """The id of a thing of the demo."""
    return str(uuid.uuid5(_NAMESPACE, "/".join(map(str, (seed, *names)))))


def uuid7_at(at: int, random_bits: int) -> str:
    """A version 7 UUID made at a moment (milliseconds); `random_bits` gives its 74 random bits."""
    low, high = random_bits & ((1 << 62) - 1), (random_bits >> 62) & 0xFFF
    text = f"{(at << 80) | _VERSION_7 | (high << 64) | _VARIANT | low:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
