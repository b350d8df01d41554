"""The passphrase vault as the window creates and unlocks it."""

from enum import StrEnum
from typing import Protocol


class VaultState(StrEnum):
    """Whether the passphrase vault needs the user."""

    NOT_NEEDED = "not needed"
    """Credentials are stored elsewhere, such as in the system keyring."""
    OPTIONAL = "optional"
    """The keyring is locked and stores nothing yet, so a vault can be used instead."""
    MISSING = "missing"
    """Credentials can't be stored until the vault is created."""
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    LOCKED_ELSEWHERE = "locked elsewhere"
    """Another program runs the flows, and only its start options can unlock the vault."""


class VaultAccess(Protocol):
    """Creates and unlocks the vault of the open workspace. Raises only `AppError` kinds."""

    async def state(self) -> VaultState:
        """Return whether the vault needs the user."""
        ...

    async def create(self, passphrase: str) -> None:
        """Create the vault and store credentials in it from now on."""
        ...

    async def unlock(self, passphrase: str) -> None:
        """Unlock the vault. Raises `SecretsUnavailable` (locked) if the passphrase is wrong."""
        ...
