"""The stored form of the IDs that apps give to items."""

import hashlib

from patchbay.integration.masking import Masker

MAX_ID_BYTES = 2000
"""Internal IDs with more bytes in UTF-8 are stored as their hash, because they stay in an index permanently.

An entry of PostgreSQL's indexes has at most about 2,700 bytes, and contains the flow's ID too.
"""


def to_stored_id(internal_id: str, masker: Masker) -> str:
    """The ID as it is stored permanently: without secrets, short, and with characters that can be stored.

    IDs without letters aren't masked: they can't be secrets, and apps compare them as numbers. PostgreSQL
    can't store NUL.
    """
    if not internal_id.isascii():
        internal_id = internal_id.encode("utf-8", "backslashreplace").decode()
    is_numeric = not any(map(str.isalpha, internal_id))
    kept = internal_id if is_numeric else masker.text(internal_id)
    encoded = kept.replace("\0", "\ufffd").encode()
    return (
        encoded.decode() if len(encoded) <= MAX_ID_BYTES else f"sha256-{hashlib.sha256(encoded).hexdigest()}"
    )
