"""The stored form of long IDs of items."""

import hashlib

MAX_ID_BYTES = 2000
"""Internal IDs with more bytes in UTF-8 are stored as their hash, because they stay in an index permanently.

An entry of PostgreSQL's indexes has at most about 2,700 bytes, and contains the flow's ID too.
"""


def shorten_id(encoded: bytes) -> str:
    """The ID, or its hash if it is too long."""
    return (
        encoded.decode() if len(encoded) <= MAX_ID_BYTES else f"sha256-{hashlib.sha256(encoded).hexdigest()}"
    )
