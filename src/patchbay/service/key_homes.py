"""Homes of the data key besides the system keyring: memory for the demo, a passphrase file by choice."""

import asyncio
import base64
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from patchbay.service.passphrase_kdf import InvalidKdfParameters, derive_key
from patchbay.service.vault_words import damaged_vault_error, secrets_unavailable, wrong_passphrase_error

MEMORY_KIB, ITERATIONS, LANES = 64 * 1024, 3, 4
"""Argon2id: 64 MiB, t=3, p=4; about a third of a second. Stored with each file, so they may grow."""

_FORMAT: Literal[1] = 1
_NONCE_BYTES, _SALT_BYTES = 12, 16


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


class MemoryKeyStore:
    """Keeps keys as long as the program runs. For the demo."""

    place = "Credentials are kept in memory only and forgotten when the demo closes."
    name = "memory of this session"
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
    """Keys in a file, each wrapped with AES-256-GCM under a key that Argon2id makes from a passphrase.

    Chosen by the user where there is no keyring. The file is readable by its owner only and replaced as a
    whole. A wrong passphrase raises `SecretsUnavailable` (locked).
    """

    place = "Credentials are encrypted with your passphrase; the key is in a file that only you can read."
    name = "passphrase vault"
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

    async def _in_thread(self, work: Callable[..., Any], *args: str) -> Any:
        async with self._lock:
            return await asyncio.to_thread(work, *args)

    def _get(self, name: str) -> str | None:
        vault = _read_vault(self._path)
        item = vault.items.get(name)
        return None if item is None else _unwrap(self._wrapping_key(vault), name, item)

    def _set(self, name: str, value: str) -> None:
        vault = _read_vault(self._path)
        key = self._wrapping_key(vault)
        for other, item in vault.items.items():
            _unwrap(key, other, item)
        vault.items[name] = _wrap(key, name, value)
        self._write(vault)

    def _delete(self, name: str) -> None:
        vault = _read_vault(self._path)
        if vault.items.pop(name, None) is not None:
            self._write(vault)

    def _write(self, vault: _VaultFile) -> None:
        """Write beside the file, then replace it, so that a crash leaves the old or the new one."""
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(vault.model_dump_json(by_alias=True))
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path)
        except OSError:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
            raise secrets_unavailable("no_keyring", detail="The vault file cannot be written.") from None

    def _wrapping_key(self, vault: _VaultFile) -> AESGCM:
        kdf = vault.kdf
        try:
            key = derive_key(
                self._passphrase, kdf.salt, memory_kib=kdf.memory_kib, iterations=kdf.iterations,
                lanes=kdf.lanes,
            )  # fmt: skip
        except InvalidKdfParameters:
            asked = f"It asks for {kdf.memory_kib:,} KiB, {kdf.iterations} iterations, {kdf.lanes} lanes."
            raise damaged_vault_error(self._path.name, asked) from None
        return AESGCM(key)


def require_readable_vault(path: Path) -> None:
    """Raise `SecretsUnavailable` when the vault file is damaged. Needs no passphrase."""
    _read_vault(path)


def _read_vault(path: Path) -> _VaultFile:
    """The vault in the file, or a new one when there is no file yet."""
    try:
        return _VaultFile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return _VaultFile(format=_FORMAT, kdf=_fresh_kdf(), items={})
    except OSError as error:
        raise damaged_vault_error(path.name, f"It can't be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise damaged_vault_error(path.name) from None


def _fresh_kdf() -> _Kdf:
    return _Kdf(
        name="argon2id", salt=os.urandom(_SALT_BYTES), memory_kib=MEMORY_KIB, iterations=ITERATIONS,
        lanes=LANES,
    )  # fmt: skip


def _wrap(key: AESGCM, name: str, value: str) -> _Item:
    nonce = os.urandom(_NONCE_BYTES)
    return _Item(nonce=nonce, wrapped=key.encrypt(nonce, value.encode(), name.encode()))


def _unwrap(key: AESGCM, name: str, item: _Item) -> str:
    try:
        return key.decrypt(item.nonce, item.wrapped, name.encode()).decode()
    except InvalidTag:
        raise wrong_passphrase_error() from None
