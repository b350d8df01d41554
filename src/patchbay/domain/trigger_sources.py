"""The sources of a trigger's items, and item IDs that are unique across the sources of a flow.

Two sources may use the same ID for different items. Each flow lists the sources it was published with, in the
order in which they were first used. The number of a source in that list becomes part of its stored IDs.
"""

import hashlib
import re
from collections.abc import Sequence

from patchbay.domain.base import AppKey, ConnectionId, JsonObject, Model

FIRST_SOURCE = 1
"""The number of the first source, whose IDs are stored unchanged."""
MAX_ID_BYTES = 2000
"""Internal IDs with more bytes in UTF-8 are stored as their hash, because they stay in an index permanently.

An entry of PostgreSQL's indexes has at most about 2,700 bytes, and contains the flow's ID too.
"""
_MARKED = re.compile(r"source-\d+/")


class TriggerSource(Model):
    """Where a trigger gets its items from: a trigger of an app, an account, and for example a folder in
    it.
    """

    app_key: AppKey | None
    key: str | None
    connection_id: ConnectionId | None = None
    account: str | None = None
    """The ID of the account at the third party; None if unknown."""
    address: JsonObject = {}
    """Other values of the connection that aren't secret: addresses, user names."""
    names: dict[str, str] = {}
    """The values of arguments that select a different source, such as a folder or table."""

    def is_same_source(self, other: "TriggerSource") -> bool:
        """Whether the same ID means the same item in both.

        Arguments that only one of them has are ignored.
        """
        if (self.app_key, self.key) != (other.app_key, other.key):
            return False
        shared = self.names.keys() & other.names.keys()
        return all(self.names[key] == other.names[key] for key in shared) and self._same_account(other)

    def _same_account(self, other: "TriggerSource") -> bool:
        """Another connection to the same account counts as the same account."""
        known = self.account is not None and other.account is not None
        if self.connection_id == other.connection_id:
            return not known or self.account == other.account
        return known and (self.account, self.address) == (other.account, other.address)


def source_number(source: TriggerSource, sources: Sequence[TriggerSource]) -> int:
    """The number of a source among these, from 1; the next free number if it isn't there."""
    same = (
        number for number, known in enumerate(sources, start=FIRST_SOURCE) if known.is_same_source(source)
    )
    return next(same, len(sources) + FIRST_SOURCE)


def stored_id(number: int, internal_id: str) -> str:
    """The stored form of an item ID, which is unique across sources."""
    if number == FIRST_SOURCE and not _MARKED.match(internal_id):
        return internal_id
    return f"source-{number}/{internal_id}"


def source_id_of_stored(number: int, stored: str) -> str | None:
    """The original item ID; None if the stored ID is from another source."""
    mark = f"source-{number}/"
    if stored.startswith(mark):
        return stored.removeprefix(mark)
    return stored if number == FIRST_SOURCE and not _MARKED.match(stored) else None


def shorten_id(encoded: bytes) -> str:
    """The ID, or its hash if it is too long."""
    return (
        encoded.decode() if len(encoded) <= MAX_ID_BYTES else f"sha256-{hashlib.sha256(encoded).hexdigest()}"
    )
