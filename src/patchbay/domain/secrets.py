"""Where the credentials of connections are kept, and what a person may do about it."""

from collections.abc import Mapping
from enum import StrEnum

from patchbay.domain.base import Model


class SecretsStorage(StrEnum):
    """The two homes of connection secrets.

    `sealed`: encrypted rows beside the connections, under one key that is kept elsewhere. `items`: each
    connection's secrets as an item of the system keyring, nothing of them in the database.
    """

    SEALED = "sealed"
    ITEMS = "items"


class SecretsState(Model):
    """How secrets are kept now. `name` is short ("system keyring"), `kept` a sentence."""

    home: SecretsStorage = SecretsStorage.SEALED
    name: str = ""
    kept: str = ""
    problem: str | None = None
    """Why they cannot be used now, in words."""
    reason: str | None = None
    """The reason of `SecretsUnavailable` behind `problem`."""
    stored: int = 0
    """How many connections have secrets."""
    barred: Mapping[SecretsStorage, str] = {}
    """Homes they cannot be moved to, each with the reason."""

    @property
    def lost(self) -> bool:
        """Whether what is stored cannot be opened any more, ever, with the key at hand."""
        return self.reason in ("key_not_found", "key_wrong")
