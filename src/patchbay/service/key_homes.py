"""Homes of the data key besides the system keyring: memory for the demo, a passphrase file by choice."""

import asyncio
import base64
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from patchbay.service.vault_words import unavailable

MEMORY_KIB, ITERATIONS, LANES = 64 * 1024, 3, 4
"""Argon2id: 64 MiB, t=3, p=4; about a third of a second. Stored with each file, so they may grow."""

_FORMAT = 1
_NONCE_BYTES, _SALT_BYTES = 12, 16


class MemoryKeyHome:
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


class PassphraseKeyHome:
    """Keys in a file, each wrapped with AES-256-GCM under a key that Argon2id makes from a passphrase.

    Chosen by the user where there is no keyring. The file is readable by its owner only and replaced as a
    whole. A wrong passphrase raises `SecretsUnavailable` (locked).
    """

    place = "Credentials are encrypted with your passphrase; the key is in a file that only you can read."
    name = "passphrase vault"
    max_characters: int | None = None

    def __init__(self, path: Path, passphrase: str) -> None:
        self._path, self._passphrase = path, passphrase
        self._one_at_a_time = asyncio.Lock()

    async def get(self, name: str) -> str | None:
        value: str | None = await self._in_thread(self._get, name)
        return value

    async def set(self, name: str, value: str) -> None:
        await self._in_thread(self._set, name, value)

    async def delete(self, name: str) -> None:
        await self._in_thread(self._delete, name)

    async def _in_thread(self, work: Callable[..., Any], *args: str) -> Any:
        async with self._one_at_a_time:
            return await asyncio.to_thread(work, *args)

    def _get(self, name: str) -> str | None:
        vault = self._read()
        item = vault["items"].get(name)
        return None if item is None else _unwrap(self._wrapping_key(vault), name, item)

    def _set(self, name: str, value: str) -> None:
        vault = self._read()
        key = self._wrapping_key(vault)
        for other, item in vault["items"].items():
            _unwrap(key, other, item)
        vault["items"][name] = _wrap(key, name, value)
        self._write(vault)

    def _delete(self, name: str) -> None:
        vault = self._read()
        if vault["items"].pop(name, None) is not None:
            self._write(vault)

    def _read(self) -> dict[str, Any]:
        try:
            vault: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {"format": _FORMAT, "kdf": _fresh_kdf(), "items": {}}
        except (OSError, ValueError):
            raise unavailable("no_keyring", detail="The vault file cannot be read.") from None
        return vault

    def _write(self, vault: dict[str, Any]) -> None:
        """Write beside the file, then replace it, so that a crash leaves the old or the new one."""
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(vault, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path)
        except OSError:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
            raise unavailable("no_keyring", detail="The vault file cannot be written.") from None

    def _wrapping_key(self, vault: dict[str, Any]) -> AESGCM:
        kdf = vault["kdf"]
        derive = Argon2id(
            salt=base64.b64decode(kdf["salt"]),
            length=32,
            iterations=kdf["iterations"],
            lanes=kdf["lanes"],
            memory_cost=kdf["memoryKib"],
        )
        return AESGCM(derive.derive(self._passphrase.encode()))


def _fresh_kdf() -> dict[str, Any]:
    salt = base64.b64encode(os.urandom(_SALT_BYTES)).decode()
    return {
        "name": "argon2id",
        "salt": salt,
        "memoryKib": MEMORY_KIB,
        "iterations": ITERATIONS,
        "lanes": LANES,
    }


def _wrap(key: AESGCM, name: str, value: str) -> dict[str, str]:
    nonce = os.urandom(_NONCE_BYTES)
    wrapped = key.encrypt(nonce, value.encode(), name.encode())
    return {"nonce": base64.b64encode(nonce).decode(), "wrapped": base64.b64encode(wrapped).decode()}


def _unwrap(key: AESGCM, name: str, item: dict[str, str]) -> str:
    nonce, wrapped = base64.b64decode(item["nonce"]), base64.b64decode(item["wrapped"])
    try:
        return key.decrypt(nonce, wrapped, name.encode()).decode()
    except InvalidTag:
        raise unavailable("locked", detail="The passphrase is not the right one.") from None
