"""Chooses where keys are: in the system keyring, in a passphrase vault, or derived from a data key."""

import asyncio
from pathlib import Path
from typing import Literal

from patchbay.bootstrap.data_key import open_data_key, require_no_key_in_environment
from patchbay.bootstrap.private_files import read_private_text
from patchbay.domain.errors import SecretsUnavailable, ValidationFailed
from patchbay.domain.ports import KeyStore, KeyStoreKind
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.service.key_stores import PassphraseKeyStore, require_readable_vault, secrets_unavailable


def choose_key_store(
    paths: AppPaths, settings: Settings, passphrase_file: str | None = None, passphrase: str | None = None
) -> KeyStore:
    """The key store of a workspace.

    The first that there is of: a data key; a vault with the given passphrase; a locked vault, if the settings
    choose one or its file exists; the system keyring.
    """
    require_no_key_in_environment()
    if paths.data_key is not None:
        if passphrase_file is not None:
            raise ValidationFailed(
                {"data-key-file": ["a passphrase file is given, too"]},
                happened="Secrets use either a data key or a passphrase vault.",
                todo="Leave out --passphrase-file, or the data key.",
            )
        return open_data_key(paths.data_key)
    if passphrase is not None:
        return PassphraseKeyStore(paths.vault, passphrase)
    if passphrase_file is not None:
        return PassphraseKeyStore(paths.vault, read_passphrase(Path(passphrase_file)))
    if settings.secrets.home == "passphrase" or paths.vault.exists():
        return LockedPassphraseVault(paths.vault)
    return SystemKeyring()


def settings_value(kind: KeyStoreKind) -> Literal["keyring", "passphrase"]:
    """The value of `[secrets] home` in the settings file for this kind; a data key needs none."""
    match kind:
        case KeyStoreKind.SYSTEM_KEYRING | KeyStoreKind.DATA_KEY_FILE:  # the option decides, not the setting
            return "keyring"
        case KeyStoreKind.PASSPHRASE_VAULT:
            return "passphrase"
        case KeyStoreKind.MEMORY:
            raise ValueError("Keys in memory aren't stored, so no setting chooses them.")


def read_passphrase(file: Path) -> str:
    """Read a passphrase from a file that only its owner can read. Strips line breaks at the end."""
    return read_private_text(file, "passphrase", "passphrase-file")


class LockedPassphraseVault:
    """A passphrase vault without its passphrase: every operation raises `SecretsUnavailable`.

    The reason is `locked`, or `not_created` if its file doesn't exist.
    """

    kind = PassphraseKeyStore.kind
    holds_items = PassphraseKeyStore.holds_items
    max_characters = PassphraseKeyStore.max_characters

    place = PassphraseKeyStore.place

    def __init__(self, path: Path) -> None:
        self._path = path

    async def get(self, name: str) -> str | None:
        raise await self._problem()

    async def set(self, name: str, value: str) -> None:
        raise await self._problem()

    async def delete(self, name: str) -> None:
        raise await self._problem()

    async def _problem(self) -> SecretsUnavailable:
        """Why the vault can't be used: a damaged file is reported before a missing passphrase."""
        try:
            await asyncio.to_thread(require_readable_vault, self._path)
        except SecretsUnavailable as damaged:
            return damaged
        if not await asyncio.to_thread(self._path.exists):
            return secrets_unavailable("not_created")
        return SecretsUnavailable(
            "The passphrase vault is locked.",
            reason="locked",
            meaning="Connections can't be used until it is unlocked. Flows without connections still run.",
            todo="Enter its passphrase in Settings → Secrets, or start with --passphrase-file.",
        )
