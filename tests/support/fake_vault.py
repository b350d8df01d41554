"""A passphrase vault without a file."""

from patchbay.desktop.core.vault import VaultState
from patchbay.service.key_stores import wrong_passphrase_error


class FakeVault:
    """Opens with one passphrase, at once; remembers what it was asked."""

    def __init__(self, now: VaultState, passphrase: str = "correct horse") -> None:
        self.now, self.passphrase = now, passphrase
        self.tried: list[str] = []

    async def state(self) -> VaultState:
        return self.now

    async def create(self, passphrase: str) -> None:
        self.tried.append(passphrase)
        self.passphrase, self.now = passphrase, VaultState.UNLOCKED

    async def unlock(self, passphrase: str) -> None:
        self.tried.append(passphrase)
        if passphrase != self.passphrase:
            raise wrong_passphrase_error()
        self.now = VaultState.UNLOCKED
