"""Key stores besides the system keyring (memory, passphrase file), key derivation, and their errors."""

import asyncio
import base64
import os
import tempfile
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from patchbay.domain.errors import SecretsUnavailable
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.domain.ports import KeyStoreKind

# Argon2id: 64 MiB, t=3, p=4, about a third of a second. Stored in each file, so that they can be increased.
MEMORY_KIB = 64 * 1024
ITERATIONS = 3
LANES = 4

# Upper bounds, because parameters are read from files that others may have written.
MAX_MEMORY_KIB = 1 << 19
MAX_ITERATIONS = 32
MAX_LANES = 16
MAX_WORK_KIB = 1 << 22
"""Memory times iterations: about four seconds."""

KEY_BYTES = 32
_FORMAT: Literal[1] = 1
_NONCE_BYTES = 12
_SALT_BYTES = 16
_CHECK_NAME = "check"
_CHECK_VALUE = "patchbay"


class SecretsStatus(StrEnum):
    """Result of opening the secrets.

    All values but the first two are also reasons of `SecretsUnavailable`.
    """

    OK = "ok"
    EMPTY = "empty"
    """No secret has been stored yet; the key is created with the first one."""
    NO_KEYRING = "no_keyring"
    NOT_CREATED = "not_created"
    """The passphrase vault is chosen, but its file doesn't exist."""
    LOCKED = "locked"
    TIMED_OUT = "timed_out"
    KEY_NOT_FOUND = "key_not_found"
    KEY_WRONG = "key_wrong"

    @property
    def is_usable(self) -> bool:
        """Whether secrets can be read and stored."""
        return self in (SecretsStatus.OK, SecretsStatus.EMPTY)


_LOCKED_OUT = "Flows and history are available, but steps that need a connection can't run."

_MESSAGES = {
    "no_keyring": (
        "Credentials can't be stored safely.",
        "This computer has no working system keyring.",
        "Install and start one (gnome-keyring, KWallet or KeePassXC), or set up a passphrase vault.",
    ),
    "not_created": (
        "The passphrase vault hasn't been created yet.",
        "Connections can't be added or used until it exists. Flows without connections still run.",
        "Create it in Settings → Secrets, or start with --passphrase-file. If this folder had a vault, "
        "restore vault.json from a copy of the data folder instead.",
    ),
    "locked": (
        "The credentials are locked.",
        _LOCKED_OUT,
        "Unlock the keyring (or enter the passphrase), then test a connection.",
    ),
    "timed_out": (
        "The system keyring timed out.",
        _LOCKED_OUT,
        "Look for a window that asks for your keyring password, enter it, then test a connection.",
    ),
    "key_not_found": (
        "The encryption key is missing, so saved credentials can't be decrypted.",
        "The database came from another computer or user, or the key was removed. " + _LOCKED_OUT,
        "Restore the key (from the original computer's keyring, or from a backup with its key), or "
        "discard the lost credentials in Settings → Secrets, and reconnect.",
    ),
    "key_wrong": (
        "The encryption key doesn't decrypt your saved credentials.",
        "It belongs to other data, or the stored credentials were altered. " + _LOCKED_OUT,
        "Restore a backup with its key, or discard the lost credentials in Settings → Secrets, and "
        "reconnect.",
    ),
    "item_gone": (
        "The credentials of this connection aren't in the keyring.",
        "Their item was deleted, or the database came from another computer or user.",
        "Reconnect, or restore the keyring.",
    ),
}


def missing_item_error() -> SecretsUnavailable:
    """The error for a connection whose keyring item is missing; other connections aren't affected."""
    happened, meaning, todo = _MESSAGES["item_gone"]
    return SecretsUnavailable(happened, reason="key_not_found", meaning=meaning, todo=todo)


def damaged_vault_error(name: str, detail: str = "Its content is invalid.") -> SecretsUnavailable:
    """The error for a passphrase vault whose file can't be used."""
    return SecretsUnavailable(
        f"The passphrase vault {name} is damaged. {detail}",
        reason="no_keyring",
        meaning=f"{_LOCKED_OUT} The file wasn't changed.",
        todo=f"Restore {name} from a copy of the data folder, then restart Patchbay. Without a copy, "
        "move it away, discard the lost credentials in Settings → Secrets, and reconnect.",
    )


def wrong_passphrase_error() -> SecretsUnavailable:
    """The error for a passphrase that doesn't open the vault."""
    return SecretsUnavailable(
        "The credentials are locked: the passphrase is wrong.",
        reason="locked",
        meaning=_LOCKED_OUT,
        todo="Enter the passphrase of this vault in Settings → Secrets, or restart with it in the file "
        "given with --passphrase-file.",
    )


def secrets_unavailable(reason: str, place: str = "", detail: str = "") -> SecretsUnavailable:
    """The error for one of the reasons in `SecretsStatus`; `place` and `detail` add to its meaning."""
    happened, meaning, todo = _MESSAGES[reason]
    more = " ".join(part for part in (detail or meaning, place) if part)
    return SecretsUnavailable(happened, reason=reason, meaning=more, todo=todo)


class InvalidKdfParameters(ValueError):
    """The parameters are out of bounds, or need more memory than available."""


def derive_key(passphrase: str, salt: bytes, *, memory_kib: int, iterations: int, lanes: int) -> bytes:
    """Derive a key of 32 bytes with Argon2id. Raises `InvalidKdfParameters` before allocating memory."""
    if not has_valid_cost(memory_kib, iterations, lanes) or len(salt) < 8:
        raise InvalidKdfParameters
    derive = Argon2id(salt=salt, length=KEY_BYTES, iterations=iterations, lanes=lanes, memory_cost=memory_kib)
    try:
        return derive.derive(passphrase.encode())
    except MemoryError as error:
        raise InvalidKdfParameters from error


def has_valid_cost(memory_kib: int, iterations: int, lanes: int) -> bool:
    """Whether the cost parameters of Argon2 are within the limits, so that a damaged file can't freeze us."""
    return (
        1 <= lanes <= MAX_LANES
        and 1 <= iterations <= MAX_ITERATIONS
        and 8 * lanes <= memory_kib <= MAX_MEMORY_KIB
        and memory_kib * iterations <= MAX_WORK_KIB
    )


def _from_base64(value: object) -> object:
    return base64.b64decode(value, validate=True) if isinstance(value, str) else value


_Base64 = Annotated[
    bytes, BeforeValidator(_from_base64), PlainSerializer(lambda raw: base64.b64encode(raw).decode())
]


class _VaultPart(BaseModel):
    """A part of the vault file; no value is converted from another type."""

    model_config = ConfigDict(strict=True, populate_by_name=True)


class _Kdf(_VaultPart):
    name: Literal["argon2id"]
    salt: Annotated[_Base64, Field(min_length=8, max_length=64)]
    memory_kib: int = Field(alias="memoryKib")
    iterations: int
    lanes: int


class _Item(_VaultPart):
    nonce: Annotated[_Base64, Field(min_length=_NONCE_BYTES, max_length=_NONCE_BYTES)]
    wrapped: Annotated[_Base64, Field(min_length=16)]


class _VaultFile(_VaultPart):
    format: Literal[1]
    kdf: _Kdf
    items: dict[str, _Item]
    check: _Item | None = None
    """A known value, so that a wrong passphrase is rejected before there are items. Older files have none."""


class MemoryKeyStore:
    """Stores keys in memory, for the demo."""

    place = "Credentials are kept in memory only and deleted when the demo closes."
    kind = KeyStoreKind.MEMORY
    holds_items = False
    max_characters: int | None = None

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        return self._values.get(name)

    async def set(self, name: str, value: str) -> None:
        self._values[name] = value

    async def delete(self, name: str) -> None:
        self._values.pop(name, None)


class PassphraseKeyStore:
    """Stores keys in a file, encrypted with AES-256-GCM under a key derived from a passphrase (Argon2id).

    The user's choice for computers without a keyring. Only its owner can read the file, and it is replaced as
    a whole. A wrong passphrase raises `SecretsUnavailable` (locked).
    """

    place = "Credentials are encrypted with your passphrase; the key is in a file that only you can read."
    kind = KeyStoreKind.PASSPHRASE_VAULT
    holds_items = False
    max_characters: int | None = None

    def __init__(self, path: Path, passphrase: str) -> None:
        self._path, self._passphrase = path, passphrase
        self._lock = asyncio.Lock()

    async def get(self, name: str) -> str | None:
        value: str | None = await self._in_thread(self._get, name)
        return value

    async def set(self, name: str, value: str) -> None:
        await self._in_thread(self._set, name, value)

    async def delete(self, name: str) -> None:
        await self._in_thread(self._delete, name)

    async def create(self) -> None:
        """Write the vault with its check value; one that exists is only checked.

        Raises `SecretsUnavailable`, with reason `locked` if the passphrase is wrong.
        """
        await self._in_thread(self._create)

    async def unlock(self) -> None:
        """Raise `SecretsUnavailable` if the vault doesn't exist, or the passphrase doesn't open it."""
        await self._in_thread(self._unlock)

    async def _in_thread(self, work: Callable[..., Any], *args: str) -> Any:
        async with self._lock:
            return await asyncio.to_thread(work, *args)

    def _get(self, name: str) -> str | None:
        vault = _read_vault(self._path)
        item = vault.items.get(name)
        if item is not None:
            return _unwrap(self._wrapping_key(vault), name, item)
        if vault.check is not None:
            _unwrap(self._wrapping_key(vault), _CHECK_NAME, vault.check)
        return None

    def _create(self) -> None:
        vault = _read_vault(self._path)
        key = self._verified_key(vault)
        if vault.check is None:
            vault.check = _wrap(key, _CHECK_NAME, _CHECK_VALUE)
            self._write(vault)

    def _unlock(self) -> None:
        if not self._path.exists():
            raise secrets_unavailable("not_created")
        self._create()

    def _set(self, name: str, value: str) -> None:
        vault = _read_vault(self._path)
        key = self._verified_key(vault)
        vault.items[name] = _wrap(key, name, value)
        vault.check = vault.check or _wrap(key, _CHECK_NAME, _CHECK_VALUE)
        self._write(vault)

    def _delete(self, name: str) -> None:
        vault = _read_vault(self._path)
        if vault.items.pop(name, None) is not None:
            self._write(vault)

    def _write(self, vault: _VaultFile) -> None:
        """Write a temporary file, then replace the vault with it: a crash leaves the old or the new one."""
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(vault.model_dump_json(by_alias=True))
                file.flush()
                os.fsync(file.fileno())
            replace_file(Path(temporary), self._path)
        except OSError:
            if temporary is not None:
                delete_file(Path(temporary))
            raise secrets_unavailable("no_keyring", detail="The vault file can't be written.") from None

    def _verified_key(self, vault: _VaultFile) -> AESGCM:
        """The key of the passphrase, if it opens everything in the vault."""
        key = self._wrapping_key(vault)
        for name, item in vault.items.items():
            _unwrap(key, name, item)
        if vault.check is not None:
            _unwrap(key, _CHECK_NAME, vault.check)
        return key

    def _wrapping_key(self, vault: _VaultFile) -> AESGCM:
        kdf = vault.kdf
        try:
            key = derive_key(
                self._passphrase,
                kdf.salt,
                memory_kib=kdf.memory_kib,
                iterations=kdf.iterations,
                lanes=kdf.lanes,
            )
        except InvalidKdfParameters:
            required = f"It requires {kdf.memory_kib:,} KiB, {kdf.iterations} iterations, {kdf.lanes} lanes."
            raise damaged_vault_error(self._path.name, required) from None
        return AESGCM(key)


def require_readable_vault(path: Path) -> None:
    """Raise `SecretsUnavailable` when the vault file is damaged. Needs no passphrase."""
    _read_vault(path)


def _read_vault(path: Path) -> _VaultFile:
    """Return the vault in the file, or a new one if the file doesn't exist."""
    try:
        return _VaultFile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        kdf = _Kdf(
            name="argon2id",
            salt=os.urandom(_SALT_BYTES),
            memory_kib=MEMORY_KIB,
            iterations=ITERATIONS,
            lanes=LANES,
        )
        return _VaultFile(format=_FORMAT, kdf=kdf, items={})
    except OSError as error:
        raise damaged_vault_error(path.name, f"It can't be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise damaged_vault_error(path.name) from None


def _wrap(key: AESGCM, name: str, value: str) -> _Item:
    nonce = os.urandom(_NONCE_BYTES)
    return _Item(nonce=nonce, wrapped=key.encrypt(nonce, value.encode(), name.encode()))


def _unwrap(key: AESGCM, name: str, item: _Item) -> str:
    try:
        return key.decrypt(item.nonce, item.wrapped, name.encode()).decode()
    except InvalidTag:
        raise wrong_passphrase_error() from None
