"""Backups: a file encrypted with a passphrase, with the database, the settings and the keys to its secrets.

    magic, version | Argon2id parameters and salt | the encrypted file key | chunk 0 | chunk 1 | …

The file key is random; only its encryption depends on the passphrase. Chunks are encrypted with AES-256-GCM
under the file key. The whole header, the number of the chunk and whether it is the last one are authenticated
with it, so changed, moved and missing chunks are detected, at the end too. Parameters are stored, so they can
be increased.
"""

import io
import json
import os
import struct
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from patchbay.domain.base import EpochMs
from patchbay.domain.connections import SecretsStorage
from patchbay.domain.errors import SecretsUnavailable, ValidationFailed
from patchbay.domain.ports import KeyStore
from patchbay.service.key_stores import (
    ITERATIONS,
    LANES,
    MEMORY_KIB,
    InvalidKdfParameters,
    MemoryKeyStore,
    derive_key,
    has_valid_cost,
    secrets_unavailable,
)
from patchbay.service.secret_encryption import SecretEncryption
from patchbay.service.secret_store import SecretStore
from patchbay.storage.database import Database
from patchbay.storage.database_copy import count_contents
from patchbay.storage.repositories import secrets

MAGIC = b"PATCHBAY BACKUP"
VERSION = 1
CHUNK_BYTES = 1 << 20

# Names of the parts
KEYS = "keys.json"
SETTINGS = "settings.toml"
DATABASE = "patchbay.db"

Keys = dict[str, str]
"""Items of a key store by name."""

_KEY_NAMES = ("dek:", "connection:")
"""Prefixes of the names of keys, and of keyring items of connections."""
_MAX_PART_BYTES = 64 << 20

_HEAD = struct.Struct(">15sBIII16s12s")
"""Magic, version, memory in KiB, iterations, lanes, salt, nonce of the encrypted file key."""
_TAG_BYTES, _KEY_BYTES = 16, 32
_WRAPPED_BYTES = _KEY_BYTES + _TAG_BYTES
HEAD_BYTES = _HEAD.size + _WRAPPED_BYTES


class EncryptedFileWriter:
    """Encrypts data as it is written. The file is complete only after `finish`."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._file = file
        self._buffer = bytearray()
        self._number = 0
        key, nonce = os.urandom(_KEY_BYTES), os.urandom(12)
        fixed_head = _HEAD.pack(MAGIC, VERSION, MEMORY_KIB, ITERATIONS, LANES, os.urandom(16), nonce)
        self._head = fixed_head + _wrapping_key(fixed_head, passphrase).encrypt(nonce, key, fixed_head)
        self._cipher = AESGCM(key)
        file.write(self._head)

    def write(self, data: bytes) -> int:
        """Encrypt data; it is written in chunks. Returns its length."""
        self._buffer += data
        while len(self._buffer) > CHUNK_BYTES:
            self._write_chunk(bytes(self._buffer[:CHUNK_BYTES]), last=False)
            del self._buffer[:CHUNK_BYTES]
        return len(data)

    def finish(self) -> None:
        """Write the last chunk, without which the file can't be read."""
        self._write_chunk(bytes(self._buffer), last=True)
        self._buffer.clear()

    def _write_chunk(self, plain: bytes, *, last: bool) -> None:
        associated_data = _associated_data(self._head, self._number, last)
        self._file.write(self._cipher.encrypt(_nonce(self._number), plain, associated_data))
        self._number += 1


class EncryptedFileReader:
    """Decrypts data as it is read. Raises `ValidationFailed` for any change to the file."""

    def __init__(self, file: BinaryIO, passphrase: str) -> None:
        self._file = file
        self._buffer = b""
        self._number = 0
        self._head = _check_head(file.read(HEAD_BYTES))
        fixed_head, wrapped = self._head[: _HEAD.size], self._head[_HEAD.size :]
        try:
            key = _wrapping_key(fixed_head, passphrase).decrypt(
                _HEAD.unpack(fixed_head)[-1], wrapped, fixed_head
            )
        except InvalidTag:
            raise restore_error(
                "The passphrase doesn't open this backup.",
                "The backup was made with another passphrase, or the start of the file was changed.",
            ) from None
        self._cipher = AESGCM(key)
        self._next_chunk = file.read(CHUNK_BYTES + _TAG_BYTES)
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """Read and decrypt up to `size` bytes; all of it without `size`."""
        while not self._ended and (size < 0 or len(self._buffer) < size):
            self._buffer += self._read_chunk()
        cut = len(self._buffer) if size < 0 else size
        taken, self._buffer = self._buffer[:cut], self._buffer[cut:]
        return taken

    def _read_chunk(self) -> bytes:
        sealed, self._next_chunk = self._next_chunk, self._file.read(CHUNK_BYTES + _TAG_BYTES)
        self._ended = not self._next_chunk
        try:
            plain = self._cipher.decrypt(
                _nonce(self._number), sealed, _associated_data(self._head, self._number, self._ended)
            )
        except (InvalidTag, ValueError):
            raise damaged_backup_error() from None
        self._number += 1
        return plain


def restore_error(happened: str, meaning: str) -> ValidationFailed:
    """The error for a file that can't be restored."""
    return ValidationFailed(
        {"file": [happened]}, happened=happened, meaning=f"{meaning} Nothing was changed."
    )


def damaged_backup_error() -> ValidationFailed:
    """The error for a backup that was cut off or changed."""
    return restore_error("The backup is damaged or incomplete.", "Part of it is missing or was changed.")


def _check_head(head: bytes) -> bytes:
    if not head.startswith(MAGIC):
        raise restore_error(
            "This file isn't a Patchbay backup.", "It's another file, or its beginning is damaged."
        )
    if len(head) < HEAD_BYTES:
        raise damaged_backup_error()
    _, version, memory, iterations, lanes, _, _ = _HEAD.unpack(head[: _HEAD.size])
    if version != VERSION:
        raise restore_error("The backup was made by a newer version of Patchbay.", "Update Patchbay first.")
    if not has_valid_cost(memory, iterations, lanes):
        raise damaged_backup_error()
    return head


def _wrapping_key(fixed_head: bytes, passphrase: str) -> AESGCM:
    _, _, memory, iterations, lanes, salt, _ = _HEAD.unpack(fixed_head)
    try:
        key = derive_key(passphrase, salt, memory_kib=memory, iterations=iterations, lanes=lanes)
    except InvalidKdfParameters:
        raise damaged_backup_error() from None
    return AESGCM(key)


def _nonce(number: int) -> bytes:
    """A counter is a safe nonce, because each file has its own key."""
    return number.to_bytes(12, "big")


def _associated_data(head: bytes, number: int, last: bool) -> bytes:
    return head + number.to_bytes(8, "big") + (b"last" if last else b"more")


@dataclass(frozen=True)
class DatabaseInventory:
    """Contents of a database: counts by name, the keys to its secrets, and how many secrets are missing."""

    counts: dict[str, int]
    keys: Keys
    missing_secrets: int


@dataclass(frozen=True)
class UnpackedBackup:
    """The contents of a backup. `database` is the path of the unpacked database."""

    database: Path
    settings: bytes | None
    keys: Keys


class _RecordingKeyStore:
    """A key store that records the items that were read."""

    def __init__(self, home: KeyStore) -> None:
        self._home, self.read_items = home, Keys()
        self.place = home.place
        self.kind = home.kind
        self.holds_items = home.holds_items
        self.max_characters = home.max_characters

    async def get(self, name: str) -> str | None:
        value = await self._home.get(name)
        if value is not None:
            self.read_items[name] = value
        return value

    async def set(self, name: str, value: str) -> None:
        await self._home.set(name, value)

    async def delete(self, name: str) -> None:
        await self._home.delete(name)


async def inspect_database(database: Path, home: KeyStore, *, items: bool) -> DatabaseInventory:
    """Decrypt every secret of a database that isn't in use, and return its contents.

    `items`: whether `home` can contain keyring items of connections.

    Raises `SecretsUnavailable` when the key does not open them, `ValidationFailed` when the file is damaged.
    """
    recorder = _RecordingKeyStore(home)
    async with _open_database(database) as db:
        if await db.integrity_check():
            raise damaged_backup_error()
        store = _secret_store(db, recorder, items=items)
        rows, missing_secrets = await db.read(secrets.find_all), 0
        if rows:  # without secrets, no key and no key store is needed
            await store.require()
        for row in rows:
            try:
                await store.unseal(row)
            except SecretsUnavailable as problem:
                if store.problem is not None or not items:
                    raise problem
                missing_secrets += 1  # only the item of this connection or webhook is missing
        return DatabaseInventory(await db.read(count_contents), recorder.read_items, missing_secrets)


def write_backup(file: BinaryIO, passphrase: str, database: Path, settings: Path, keys: Keys) -> None:
    """Write a backup to `file`, in chunks."""
    encrypted = EncryptedFileWriter(file, passphrase)
    with tarfile.open(fileobj=cast(Any, encrypted), mode="w|", bufsize=CHUNK_BYTES) as tar:
        _add(tar, KEYS, json.dumps(keys).encode())
        if settings.exists():
            _add(tar, SETTINGS, settings.read_bytes())
        entry = tarfile.TarInfo(DATABASE)
        entry.size = database.stat().st_size
        with database.open("rb") as source:
            tar.addfile(entry, source)
    encrypted.finish()


def read_backup(file: BinaryIO, passphrase: str, folder: Path) -> UnpackedBackup:
    """Verify the whole `file` and unpack it, the database into `folder`. Raises `ValidationFailed`."""
    opened = EncryptedFileReader(file, passphrase)
    found: dict[str, bytes] = {}
    database = folder / DATABASE
    try:
        with tarfile.open(fileobj=cast(Any, opened), mode="r|", bufsize=CHUNK_BYTES) as tar:
            for entry in tar:
                content = tar.extractfile(entry)
                if entry.name == DATABASE and content is not None:
                    _unpack(content, database)
                elif entry.name in (KEYS, SETTINGS) and content is not None:
                    if entry.size > _MAX_PART_BYTES:
                        raise damaged_backup_error()
                    found[entry.name] = content.read()
        while opened.read(CHUNK_BYTES):
            """Read up to the last chunk, which proves that nothing is missing."""
        keys = _parse_keys(found[KEYS])
    except (tarfile.TarError, KeyError, ValueError, EOFError, OverflowError, RecursionError):
        raise damaged_backup_error() from None
    if not database.exists():
        raise damaged_backup_error()
    return UnpackedBackup(database, found.get(SETTINGS), keys)


def _parse_keys(content: bytes) -> Keys:
    """Parse the keys; rejects names that Patchbay doesn't use, which could overwrite other keyring items."""
    keys = json.loads(content)
    if not isinstance(keys, dict) or not all(isinstance(value, str) for value in keys.values()):
        raise damaged_backup_error()
    if not all(name.startswith(_KEY_NAMES) for name in keys):
        raise damaged_backup_error()
    return keys


async def inspect_backup(unpacked: UnpackedBackup) -> DatabaseInventory:
    """Decrypt every secret of a backup with its own keys, and return its contents."""
    key_store = MemoryKeyStore()
    for name, value in unpacked.keys.items():
        await key_store.set(name, value)
    return await inspect_database(unpacked.database, key_store, items=True)


async def install_keys(unpacked: UnpackedBackup, home: KeyStore, *, items: bool) -> Keys:
    """Store the keys of a backup in this computer's key store, and read them back.

    Returns the added items by name, each with its previous value (empty: none), for `restore_previous_keys`.
    If the key store can't hold items of connections (`items` False), their secrets are moved to encrypted
    rows.
    """
    before: Keys = {}
    try:
        for name, value in unpacked.keys.items():
            known = await home.get(name)
            if known != value:
                before[name] = known or ""
                await home.set(name, value)
                if await home.get(name) != value:
                    raise secrets_unavailable("no_keyring", home.place, detail="It didn't store the key.")
        async with _open_database(unpacked.database) as db:
            store = _secret_store(db, home, items=True)
            if not items and await store.home() is SecretsStorage.ITEMS:
                await store.move(SecretsStorage.SEALED)
    except BaseException:
        await restore_previous_keys(before, home)
        raise
    return before


async def restore_previous_keys(before: Keys, home: KeyStore) -> None:
    """Undo `install_keys`."""
    for name, value in before.items():
        await (home.set(name, value) if value else home.delete(name))


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def _unpack(content: Any, to: Path) -> None:
    with to.open("xb") as target:
        while part := content.read(CHUNK_BYTES):
            target.write(part)
        target.flush()
        os.fsync(target.fileno())


@asynccontextmanager
async def _open_database(database: Path) -> AsyncIterator[Database]:
    db = await Database.open(database)
    try:
        yield db
    finally:
        await db.close()


def _secret_store(db: Database, home: KeyStore, *, items: bool) -> SecretStore:
    return SecretStore(db, SecretEncryption(db, home, _zero_clock), home if items else None, _zero_clock)


def _zero_clock() -> EpochMs:
    """A clock for stores that are never retried."""
    return 0
