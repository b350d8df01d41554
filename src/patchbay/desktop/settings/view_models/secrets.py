"""The secrets page of the settings: where credentials are stored, whether they can be used, and commands."""

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.keyring_prompt import KeyringWatcher
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.tasks import LatestRequest, Task
from patchbay.domain.backend import Feature
from patchbay.domain.connections import SecretsState, SecretsStorage
from patchbay.domain.errors import AppError

LOCATION_LABELS = {
    SecretsStorage.SEALED: tr("Encrypted in the data folder, under one key"),
    SecretsStorage.ITEMS: tr("In the system keyring, one item per connection"),
}


class SecretsViewModel(QObject):
    """The state of the secrets; each command ends with a new state or an error."""

    changed = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.services, self._backend = services, services.backend
        self.state: SecretsState | None = None
        self.error: AppError | None = None
        self.busy = False
        self.moving = False
        self.cancelled = False
        self._task: Task | None = None
        self._request = LatestRequest(services.tasks, self)
        self.vault = VaultState.NOT_NEEDED
        self.keyring = KeyringWatcher(services, self)
        self.keyring.changed.connect(self.changed)

    @property
    def unavailable_reason(self) -> str | None:
        """Why the state of secrets is unavailable here; None if it is available."""
        unavailable_reason = self._backend.capabilities
        return unavailable_reason.reason(Feature.CONNECTIONS) or unavailable_reason.reason(Feature.ENGINE)

    def load(self) -> None:
        if self.unavailable_reason is None:
            self._run(self._load())

    def check_again(self) -> None:
        """Read the state again; a notice says if the problem is still the same."""
        before = self.state

        def on_checked(state: SecretsState) -> None:
            if before is not None and before.problem == state.problem:
                unchanged = tr("Tried again, but nothing has changed.")
                self.services.notices.post(f"{unchanged} {state.problem}")

        self.load()
        if self._task is not None:
            self._task.done.connect(on_checked)

    def move(self, home: SecretsStorage) -> None:
        """Move all secrets to the other storage."""
        if self.state is not None and home is not self.state.home:
            self._run(self._backend.move_secrets(home), moving=True)

    def cancel(self) -> None:
        """Cancel the running command; what was done so far stays done."""
        if self._task is not None:
            self._task.cancel()

    def discard_lost(self) -> None:
        """Delete secrets that can't be decrypted any more."""
        self._run(self._discard_lost())

    def change_key(self) -> None:
        """Encrypt all secrets with a new key."""
        self._run(self._change_key())

    async def _change_key(self) -> SecretsState:
        await self._backend.change_secrets_key()
        return await self._backend.secrets_state()

    @property
    def can_change_key(self) -> bool:
        """Whether there are encrypted secrets, and they can be read."""
        state = self.state
        sealed = state is not None and state.home is SecretsStorage.SEALED
        return bool(sealed and state and state.problem is None and state.stored)

    async def _discard_lost(self) -> SecretsState:
        await self._backend.discard_lost_secrets()
        return await self._backend.secrets_state()

    async def _load(self) -> SecretsState:
        state = await self._backend.secrets_state()
        if self.services.vault is not None:
            self.vault = await self.services.vault.state()
        return state

    def _run(self, work: Coroutine[Any, Any, SecretsState], *, moving: bool = False) -> None:
        self.busy = True
        self.moving = moving
        self.cancelled = False
        self.error = None
        self._task = task = self._request.run(work, done=self._on_state_loaded, failed=self._on_failed)
        task.cancelled.connect(self._on_cancelled)
        self.keyring.watch(True)
        self.changed.emit()

    def _on_state_loaded(self, state: SecretsState) -> None:
        self.state = state
        self._finish()

    def _on_failed(self, error: AppError) -> None:
        self.error = error
        self._finish()

    def _on_cancelled(self) -> None:
        if self.sender() is self._task:
            self.cancelled = True
            self._finish()

    def _finish(self) -> None:
        self.busy = False
        self.moving = False
        self._task = None
        self.keyring.watch(False)
        self.changed.emit()
