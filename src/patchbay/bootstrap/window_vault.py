"""`WindowVault`: creates and unlocks the passphrase vault of the workspace that the window has open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from patchbay.bootstrap.opening_backend import OpeningBackend
from patchbay.desktop.core.language import tr
from patchbay.desktop.core.vault import VaultState
from patchbay.domain.errors import NotSupported
from patchbay.domain.ports import KeyStoreKind
from patchbay.platform.paths import AppPaths

if TYPE_CHECKING:  # loaded with the workspace, after the window is shown
    from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime
    from patchbay.service.key_stores import PassphraseKeyStore


class WindowVault:
    """Implements `VaultAccess` for this computer. `on_unlocked` gets the passphrase, on the loop thread."""

    def __init__(
        self, opening: OpeningBackend, paths: AppPaths, on_unlocked: Callable[[str], object]
    ) -> None:
        self._opening, self._paths, self._on_unlocked = opening, paths, on_unlocked

    async def state(self) -> VaultState:
        """Return whether the vault needs the user, from the last attempt to use credentials."""
        from patchbay.service.secret_store import TRANSIENT_REASONS

        runtime = await self._runtime()
        if runtime is None:
            return await self._state_elsewhere()
        await runtime.secrets_opened()
        store = runtime.secret_store
        reason = store.problem.reason if store.problem is not None else None
        if store.kind is not KeyStoreKind.PASSPHRASE_VAULT:
            if reason in TRANSIENT_REASONS and await store.is_unused():
                return VaultState.OPTIONAL
            return VaultState.MISSING if reason == "no_keyring" else VaultState.NOT_NEEDED
        states = {"not_created": VaultState.MISSING, "locked": VaultState.LOCKED, None: VaultState.UNLOCKED}
        return states.get(reason, VaultState.NOT_NEEDED)

    async def create(self, passphrase: str) -> None:
        """Create the vault, and use it from now on."""
        runtime, vault = await self._own_runtime(), self._key_store(passphrase)
        await vault.create()
        await self._use(runtime, vault, passphrase)

    async def unlock(self, passphrase: str) -> None:
        """Unlock the vault if the passphrase is right."""
        runtime, vault = await self._own_runtime(), self._key_store(passphrase)
        await vault.unlock()
        await self._use(runtime, vault, passphrase)

    async def _use(self, runtime: WorkspaceRuntime, vault: PassphraseKeyStore, passphrase: str) -> None:
        await runtime.use_key_store(vault)
        self._on_unlocked(passphrase)

    def _key_store(self, passphrase: str) -> PassphraseKeyStore:
        from patchbay.service.key_stores import PassphraseKeyStore

        return PassphraseKeyStore(self._paths.vault, passphrase)

    async def _runtime(self) -> WorkspaceRuntime | None:
        from patchbay.bootstrap.local import LocalWorkspace

        opened = await self._opening.opened()
        return opened.runtime if isinstance(opened, LocalWorkspace) else None

    async def _own_runtime(self) -> WorkspaceRuntime:
        runtime = await self._runtime()
        if runtime is None:
            raise NotSupported(
                tr("The vault can't be unlocked in this window, because another program runs the flows."),
                todo=tr("Restart that program with --passphrase-file."),
            )
        return runtime

    async def _state_elsewhere(self) -> VaultState:
        info = await self._opening.info()
        is_locked = info.secrets_name == KeyStoreKind.PASSPHRASE_VAULT and info.secrets_problem is not None
        return VaultState.LOCKED_ELSEWHERE if is_locked else VaultState.NOT_NEEDED
