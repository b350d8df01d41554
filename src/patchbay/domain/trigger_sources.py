"""Where the items of a flow's trigger come from, and their ids kept apart by source.

Two sources may give the same id to different items. Each flow lists the sources it was published with, in the
order they first came; the place of a source in that list tells its ids from those of the others.
"""

import re
from collections.abc import Sequence

from patchbay.domain.base import AppKey, ConnectionId, JsonObject, Model

FIRST_SOURCE = 1
"""The place of the first source, whose ids are kept as they are."""
_MARKED = re.compile(r"source-\d+/")


class TriggerSource(Model):
    """What a trigger asks: a trigger of an app, with an account, at a place in it."""

    app_key: AppKey | None
    key: str | None
    connection_id: ConnectionId | None = None
    account: str | None = None
    """The account behind the connection; None when the third party does not say."""
    address: JsonObject = {}
    """What else may be shown of the connection: addresses, user names. No secrets."""
    names: dict[str, str] = {}
    """The values of those arguments that name a source of its own, such as a folder or a table."""

    def is_same_source(self, other: "TriggerSource") -> bool:
        """Whether the ids of both mean the same items. Arguments that only one of them knows do not count."""
        if (self.app_key, self.key) != (other.app_key, other.key):
            return False
        shared = self.names.keys() & other.names.keys()
        return all(self.names[key] == other.names[key] for key in shared) and self._same_account(other)

    def _same_account(self, other: "TriggerSource") -> bool:
        """A connection that was made anew for an account counts as the one before it."""
        known = self.account is not None and other.account is not None
        if self.connection_id == other.connection_id:
            return not known or self.account == other.account
        return known and (self.account, self.address) == (other.account, other.address)


def source_number(source: TriggerSource, sources: Sequence[TriggerSource]) -> int:
    """The place of a source among these, from 1; the one after the last when it is not there."""
    same = (
        number for number, known in enumerate(sources, start=FIRST_SOURCE) if known.is_same_source(source)
    )
    return next(same, len(sources) + FIRST_SOURCE)


def stored_id(number: int, internal_id: str) -> str:
    """How the id that a source gave is kept: no two ids of any two sources are kept alike."""
    if number == FIRST_SOURCE and not _MARKED.match(internal_id):
        return internal_id
    return f"source-{number}/{internal_id}"


def source_id_of_stored(number: int, stored: str) -> str | None:
    """The id as the source gave it; None for one of another source."""
    mark = f"source-{number}/"
    if stored.startswith(mark):
        return stored.removeprefix(mark)
    return stored if number == FIRST_SOURCE and not _MARKED.match(stored) else None
