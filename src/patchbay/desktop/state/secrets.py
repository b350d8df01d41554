"""The secrets page of the settings: where credentials are, whether they can be used, and what can be done."""

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.state.services import Services
from patchbay.desktop.tasks import Latest
from patchbay.domain.errors import AppError
from patchbay.domain.secrets import SecretsHome, SecretsState

HOMES = {
    SecretsHome.SEALED: "Encrypted in the data folder, under one key",
    SecretsHome.ITEMS: "In the system keyring, an item for each connection",
}


class SecretsViewModel(QObject):
    """Reads the state when asked; every command ends in a fresh state or an error in words."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services, self._backend = services, services.backend
        self.state: SecretsState | None = None
        self.error: AppError | None = None
        self.busy = False
        self._slot = Latest(services.tasks, self)

    @property
    def needs_passphrase(self) -> bool:
        """Whether a passphrase vault is a way out: there is no keyring, or the vault is locked."""
        reason = self.state.reason if self.state else None
        return reason in ("no_keyring", "locked")

    def load(self) -> None:
        self._ask(self._backend.secrets_state())

    def move(self, home: SecretsHome) -> None:
        """Bring all secrets to the other home."""
        if self.state is not None and home is not self.state.home:
            self._ask(self._backend.move_secrets(home))

    def give_up_lost(self) -> None:
        """Forget secrets that cannot be opened any more."""
        self._ask(self._give_up())

    async def _give_up(self) -> SecretsState:
        await self._backend.give_up_lost_secrets()
        return await self._backend.secrets_state()

    def _ask(self, work: Coroutine[Any, Any, SecretsState]) -> None:
        self.busy, self.error = True, None
        self._slot.ask(work, done=self._told, failed=self._failed)
        self.changed.emit()

    def _told(self, state: SecretsState) -> None:
        self.state, self.busy = state, False
        self.changed.emit()

    def _failed(self, error: AppError) -> None:
        self.error, self.busy = error, False
        self.changed.emit()
