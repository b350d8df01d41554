"""The stored form of the IDs that apps give to items."""

from patchbay.domain.stored_ids import shorten_id
from patchbay.integration.masking import Masker


def to_stored_id(internal_id: str, masker: Masker) -> str:
    """The ID as it is stored permanently: without secrets, short, and with characters that can be stored.

    IDs without letters aren't masked: they can't be secrets, and apps compare them as numbers. PostgreSQL
    can't store NUL.
    """
    if not internal_id.isascii():
        internal_id = internal_id.encode("utf-8", "backslashreplace").decode()
    is_numeric = not any(map(str.isalpha, internal_id))
    kept = internal_id if is_numeric else masker.text(internal_id)
    return shorten_id(kept.replace("\0", "\ufffd").encode())
