"""Chooses where the data key is stored: in the system keyring, or in a passphrase vault."""

import asyncio
import os
import stat
import sys
from pathlib import Path
from typing import Literal

from patchbay.domain.charsets import decode_text_file
from patchbay.domain.errors import SecretsUnavailable, ValidationFailed
from patchbay.domain.ports import KeyStore, KeyStoreKind
from patchbay.platform.access_lists import is_private
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.service.key_stores import PassphraseKeyStore, require_readable_vault, secrets_unavailable


def choose_key_store(
    paths: AppPaths, settings: Settings, passphrase_file: str | None = None, passphrase: str | None = None
) -> KeyStore:
    """The chosen key store: a passphrase vault if a passphrase is given, it is set, or a vault exists."""
    if passphrase is not None:
        return PassphraseKeyStore(paths.vault, passphrase)
    if passphrase_file is not None:
        return PassphraseKeyStore(paths.vault, read_passphrase(Path(passphrase_file)))
    if settings.secrets.home == "passphrase" or paths.vault.exists():
        return LockedPassphraseVault(paths.vault)
    return SystemKeyring()


def settings_value(kind: KeyStoreKind) -> Literal["keyring", "passphrase"]:
    """The value of `[secrets] home` in the settings file for which `choose_key_store` returns this kind."""
    match kind:
        case KeyStoreKind.SYSTEM_KEYRING:
            return "keyring"
        case KeyStoreKind.PASSPHRASE_VAULT:
            return "passphrase"
        case KeyStoreKind.MEMORY:
            raise ValueError("Keys in memory aren't stored, so no setting chooses them.")


def read_passphrase(file: Path) -> str:
    """Read a passphrase from a file that only its owner can read. Strips line breaks at the end."""
    return read_private_text(file, "passphrase", "passphrase-file")


def read_private_text(file: Path, secret_name: str, option: str) -> str:
    """Read a secret (`secret_name`) from a file that only its owner can read, given by `option`.

    Strips line breaks at the end.
    """
    try:
        about = file.stat()
        text = decode_text_file(file.read_bytes()).rstrip("\r\n")
    except OSError as error:
        raise ValidationFailed(
            {option: [error.strerror or ""]}, happened=f"{file} can't be read: {error.strerror}."
        ) from error
    except UnicodeDecodeError as error:
        raise ValidationFailed(
            {option: ["it isn't a text file"]},
            happened=f"{file} isn't a text file in UTF-8 or UTF-16.",
            todo="Save it as UTF-8.",
        ) from error
    if sys.platform != "win32" and about.st_uid not in (os.geteuid(), 0):
        raise ValidationFailed(
            {option: ["it belongs to another user"]},
            happened=f"{file} belongs to another user, so its {secret_name} wasn't used.",
            todo="Use a file that you own and only you can read.",
        )
    if sys.platform != "win32" and stat.S_IMODE(about.st_mode) & (0o337 if _is_credential(file) else 0o077):
        raise ValidationFailed(
            {option: ["it can be read by others"]},
            happened=f"{file} can be read by other users, so its {secret_name} wasn't used.",
            todo=f"Make it private with: chmod 600 {file}",
        )
    if not is_private(file):
        raise ValidationFailed(
            {option: ["it can be read by others"]},
            happened=f"{file} can be read by other users, so its {secret_name} wasn't used.",
            todo=f'Make it private with: icacls "{file}" /inheritance:r /grant:r "%USERNAME%:F"',
        )
    if not text:
        raise ValidationFailed({option: ["it is empty"]}, happened=f"{file} contains no {secret_name}.")
    return text


def _is_credential(file: Path) -> bool:
    """Whether systemd made this file for this service. It lets the service's user read it by an access list,
    whose mask looks like a right of the group.
    """
    folder = Path(os.environ.get("CREDENTIALS_DIRECTORY", ""))
    if not folder.is_absolute() or file.resolve().parent != folder.resolve():
        return False
    about = folder.stat()
    return about.st_uid in (os.geteuid(), 0) and not about.st_mode & 0o022


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
