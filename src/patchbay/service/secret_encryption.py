"""Encryption of secrets: one key in a `KeyStore`, one AES-256-GCM row per connection or webhook."""

import asyncio
import base64
import json
import os
from collections.abc import Callable
from uuid import uuid4

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from patchbay.domain.base import ConnectionId, EpochMs, JsonObject
from patchbay.domain.errors import SecretsUnavailable
from patchbay.domain.ports import KeyStore, KeyStoreKind
from patchbay.service.data_key_store import (
    KEY_NAME_PREFIX,
    DataKeyStore,
    data_key_required,
    not_under_data_key,
    wrong_data_key,
)
from patchbay.service.key_stores import SecretsStatus, secrets_unavailable
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, meta, secrets, sign_ins
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import Sealed

FORMAT = 1
NONCE_BYTES = 12
KEY_BYTES = 32
RETRY_MS = 30_000
"""How long running flows reuse a failure to open the key before the key store is asked again."""

# Keys in `meta`. The three names with “data_key” are older than data keys: they are about the encryption key.
PROFILE = "profile_id"
_KEY_ID = "data_key_id"
_KEY_CHECK = "data_key_check"
FINGERPRINT = "data_key_fingerprint"
"""The fingerprint of the data key that the key is derived from; none if the key is in a keyring or vault."""
KEY_NOTE_PREFIX = "data_key:"
"""Prefix of the ID of an encryption key; each is recorded before it is created."""

_CHECK_TEXT = b"patchbay data key"


class EncryptionKey:
    """An encryption key in memory. Raises `InvalidTag` for values of another key and damaged values."""

    __slots__ = ("_cipher", "_profile", "key_id")

    def __init__(self, profile: str, key_id: str, raw: bytes) -> None:
        self._profile, self.key_id = profile, key_id
        self._cipher = AESGCM(raw)

    def seal(self, connection_id: ConnectionId, plain: bytes) -> Sealed:
        """Encrypt a value for one connection; it can't be decrypted for another one."""
        nonce, associated_data = os.urandom(NONCE_BYTES), self._associated_data(FORMAT, connection_id)
        return Sealed(
            connection_id, FORMAT, self.key_id, nonce, self._cipher.encrypt(nonce, plain, associated_data)
        )

    def open(self, sealed: Sealed) -> bytes:
        """Decrypt a secret. Raises if it was changed or belongs to another connection."""
        return self._decrypt(
            sealed.nonce, sealed.ciphertext, self._associated_data(sealed.format, sealed.connection_id)
        )

    def check_value(self) -> bytes:
        """Return a value that identifies this key without revealing it."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, _CHECK_TEXT, self._check_associated_data())

    def require(self, check: bytes) -> None:
        """Raise `InvalidTag` unless the check value was made with this key."""
        self._decrypt(check[:NONCE_BYTES], check[NONCE_BYTES:], self._check_associated_data())

    def _decrypt(self, nonce: bytes, ciphertext: bytes, associated_data: bytes) -> bytes:
        try:
            return self._cipher.decrypt(nonce, ciphertext, associated_data)
        except (ValueError, TypeError):  # an empty nonce, or text where bytes should be
            raise InvalidTag from None

    def _associated_data(self, version: int, connection_id: ConnectionId) -> bytes:
        return json.dumps([version, self._profile, connection_id, self.key_id]).encode()

    def _check_associated_data(self) -> bytes:
        return json.dumps(["check", FORMAT, self._profile, self.key_id]).encode()


class SecretEncryption:
    """Encrypts and decrypts the secrets of connections. Can be shared between the tasks of one event loop.

    `key_store` holds the encryption key.
    """

    def __init__(self, db: Database, key_store: KeyStore, clock: Callable[[], EpochMs]) -> None:
        self._db = db
        self.key_store = key_store
        self._clock = clock
        self._key: EncryptionKey | None = None
        self._profile = ""
        self._lost_key_id: str | None = None
        self._retired_keys: dict[str, EncryptionKey] = {}
        self._uncommitted_nonces: set[bytes] = set()
        """Nonces of encrypted values that may not be committed yet."""
        self._failure: SecretsUnavailable | None = None
        self._failed_at: EpochMs = 0
        self._single_flight = asyncio.Lock()
        self._attempts = 0

    def use_key_store(self, key_store: KeyStore) -> None:
        """Read the key from another key store from now on; the next `open` loads it."""
        self.key_store = key_store
        self._key, self._failure = None, None
        self._retired_keys.clear()

    @property
    def problem(self) -> SecretsUnavailable | None:
        """Why secrets couldn't be used the last time; None if they could."""
        return self._failure

    async def open(self) -> SecretsStatus:
        """Load the key now, regardless of earlier failures. Failures are returned, not raised.

        Concurrent calls share one attempt.
        """
        attempts = self._attempts
        async with self._single_flight:
            if self._attempts == attempts:
                try:
                    await self._find_key()
                except SecretsUnavailable as error:
                    self._failure, self._failed_at = error, self._clock()
                else:
                    self._failure = None
                self._attempts += 1
        if self._failure is not None:
            return SecretsStatus(self._failure.reason)
        return SecretsStatus.OK if self._key else SecretsStatus.EMPTY

    async def require(self) -> None:
        """Raise `SecretsUnavailable` unless secrets can be encrypted and decrypted now."""
        if self._key is None and not (await self.open()).is_usable and self._failure:
            raise self._failure

    async def seal(self, connection_id: ConnectionId, data: JsonObject) -> Sealed:
        """Encrypt a secret. The first one of a database also creates the encryption key."""
        await self.require()
        key = self._key or await self._get_or_create_key()
        plain = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
        sealed = key.seal(connection_id, plain)
        self._uncommitted_nonces.add(sealed.nonce)
        return sealed

    def mark_committed(self, sealed: Sealed) -> None:
        """Note that the value has been committed, so that `rotate_key` finds it in the database."""
        self._uncommitted_nonces.discard(sealed.nonce)

    async def unseal(self, sealed: Sealed) -> JsonObject:
        """Decrypt a secret. Raises `SecretsUnavailable`; after a failure, at once for `RETRY_MS`."""
        if self._key is None and self._failure and self._clock() - self._failed_at < RETRY_MS:
            raise self._failure
        await self.require()
        key = self._key
        if key is not None and key.key_id != sealed.key_id:
            key = self._retired_keys.get(sealed.key_id)
        if key is None:
            key = await self._find_other_key(sealed.key_id)
        data: JsonObject = json.loads(self._decrypt(key, sealed))
        return data

    async def _find_other_key(self, key_id: str) -> EncryptionKey:
        """A key that isn't the current one, such as that of another program that has just changed the key."""
        text = await self.key_store.get(key_item_name(self._profile, key_id))
        key = None if text is None else parse_key(self._profile, key_id, text)
        if key is None:
            raise secrets_unavailable("key_not_found", self.key_store.place)
        self._retired_keys[key_id] = key
        return key

    async def rotate_key(self) -> int:
        """Encrypt all secrets under a new key, in one commit; return how many.

        The old key is deleted once every secret could be decrypted with the new one. If a secret was
        encrypted with the old key meanwhile, the old key is kept until the next start. Raises
        `SecretsUnavailable` and keeps the old key when the new one can't be stored.
        """
        await self.require()
        async with self._single_flight:
            old = self._key
            if old is None:
                return 0
            new, check = await self._create_key()
            moved = await self._db.write(lambda tx: self._reencrypt(tx, old, new, check))
            self._key, self._retired_keys[old.key_id] = new, old
        for row in await self._db.read(secrets.find_all):
            if row.key_id == new.key_id:
                await self.unseal(row)
        if not self._uncommitted_nonces:
            await self.delete_unused_keys()
        return moved

    async def discard_lost_secrets(self) -> int:
        """Delete all secrets if their key is lost or wrong; return how many.

        Their connections then need reconnecting. Does nothing while the secrets can be decrypted, or while
        the key store is only locked or timed out. This can't be undone.
        """
        state = await self.open()
        if state not in (SecretsStatus.KEY_NOT_FOUND, SecretsStatus.KEY_WRONG):
            return 0

        def discard(tx: Tx) -> int:
            remove_key(tx, None)
            connections.mark_all_unverified(tx, "Its credentials were discarded. Reconnect.", self._clock())
            return secrets.remove_all(tx)

        discarded = await self._db.write(discard)
        await self.open()
        return discarded

    async def delete_unused_keys(self) -> None:
        """Delete keys that were created but never used, because the program was killed in between."""
        async with self._single_flight:  # no key is being created now
            noted = await self._db.read(lambda tx: meta.names(tx, KEY_NOTE_PREFIX))
            if noted and self._key is None:
                await self._find_key()  # also while secrets are keyring items, which need no key
            for name in noted:
                await self._retire_key(name.removeprefix(KEY_NOTE_PREFIX))

            def remove_notes(tx: Tx) -> None:
                for name in noted:
                    meta.remove(tx, name)

            if noted:
                await self._db.write(remove_notes)

    async def _retire_key(self, key_id: str) -> None:
        """Delete a key; values encrypted with it during `rotate_key` are encrypted with the new key first."""
        item, new = key_item_name(self._profile, key_id), self._key
        text = await self.key_store.get(item)
        if text is not None and new is not None:
            old = self._retired_keys.get(key_id) or parse_key(self._profile, key_id, text)
            if old is None:
                return  # damaged: it decrypts nothing, and deleting it wouldn't help
            await self._db.write(lambda tx: self._reencrypt(tx, old, new, None))
        await self.key_store.delete(item)

    def _reencrypt(self, tx: Tx, old: EncryptionKey, new: EncryptionKey, check: bytes | None) -> int:
        """Encrypt the values of `old` with `new`; with a `check` value also make `new` the database's key."""
        rows = [row for row in secrets.find_all(tx) if row.key_id == old.key_id]
        for row in rows:
            secrets.put(tx, new.seal(row.connection_id, self._decrypt(old, row)))
        if check is not None:
            sign_ins.delete_older(tx, self._clock() + 1)  # they last minutes only and can be started again
            put_key(tx, new, check, self._fingerprint)
            meta.put(tx, KEY_NOTE_PREFIX + old.key_id, "")
        return len(rows)

    async def is_under_data_key(self) -> bool:
        """Whether the keys of this database are derived from a data key, or are from now on."""
        return bool(self._fingerprint or await self._db.read(lambda tx: meta.get(tx, FINGERPRINT)))

    @property
    def _fingerprint(self) -> str | None:
        return self.key_store.fingerprint if isinstance(self.key_store, DataKeyStore) else None

    async def _find_key(self) -> None:
        if self._key is not None:
            return
        own = self._fingerprint
        record = await self._db.write(lambda tx: _read_key_record(tx, own))
        self._profile, self._lost_key_id = record.profile, record.key_id
        if own is not None and record.fingerprint not in (None, own):
            raise wrong_data_key(str(record.fingerprint), own)
        text = await self._read_key(record)
        if text is None or record.key_id is None or record.key_check is None:
            if record.rows:
                raise secrets_unavailable("key_not_found", self.key_store.place)
            return
        try:
            key = EncryptionKey(self._profile, record.key_id, base64.b64decode(text, validate=True))
            key.require(base64.b64decode(record.key_check))
        except (ValueError, InvalidTag):
            if own is not None and not record.rows:
                return  # the key of a vault or keyring that encrypts nothing any more
            if own is not None and record.fingerprint is None:
                raise not_under_data_key() from None
            raise secrets_unavailable("key_wrong", self.key_store.place) from None
        if own is not None and record.fingerprint is None:
            await self._db.write(lambda tx: meta.put(tx, FINGERPRINT, own))
        self._key = key

    async def _read_key(self, record: "_KeyRecord") -> str | None:
        """The key of the database as the key store has it.

        Asks the key store even if there is none, to fail now and not at the first secret.
        """
        needs_data_key = record.fingerprint is not None and self._fingerprint is None
        if needs_data_key and record.key_id is None:
            raise data_key_required(str(record.fingerprint))
        try:
            text = await self.key_store.get(key_item_name(record.profile, record.key_id or "none"))
        except SecretsUnavailable as problem:
            # An unlocked keyring may have the key after a restore.
            is_vault = self.key_store.kind is KeyStoreKind.PASSPHRASE_VAULT
            if needs_data_key and (is_vault or problem.reason == "no_keyring"):
                raise data_key_required(str(record.fingerprint)) from None
            raise
        if text is None and needs_data_key:
            raise data_key_required(str(record.fingerprint))
        return text

    async def _get_or_create_key(self) -> EncryptionKey:
        async with self._single_flight:
            if self._key is None:
                self._key = await self._create_first_key()
            return self._key

    async def _create_first_key(self) -> EncryptionKey:
        """Create the first key of this database, unless another program that uses it was faster."""
        key, check = await self._create_key()

        def remember(tx: Tx) -> bool:
            meta.lock(tx, PROFILE)  # another program may be doing the same
            if secrets.count(tx) or meta.get(tx, _KEY_ID) != self._lost_key_id:
                return False
            if meta.get(tx, FINGERPRINT) not in (None, self._fingerprint):
                return False
            put_key(tx, key, check, self._fingerprint)
            return True

        if await self._db.write(remember):
            return key
        # Another program using the same database was first: use its key.
        await self.key_store.delete(key_item_name(self._profile, key.key_id))
        await self._find_key()
        if self._key is None:
            raise secrets_unavailable("key_not_found", self.key_store.place)
        return self._key

    async def _create_key(self) -> tuple[EncryptionKey, bytes]:
        """Create a key in the key store and return it with its check value. It is recorded in `meta` first.

        The key is read back, so that a key store that doesn't store anything is detected before first use.
        """
        key_id = str(uuid4())
        await self._db.write(lambda tx: meta.put(tx, KEY_NOTE_PREFIX + key_id, ""))
        key = await create_key(self.key_store, self._profile, key_id)
        return key, key.check_value()

    def _decrypt(self, key: EncryptionKey, sealed: Sealed) -> bytes:
        try:
            return key.open(sealed)
        except InvalidTag:
            raise secrets_unavailable("key_wrong", self.key_store.place) from None


class _KeyRecord:
    """The record of the encryption key in the database."""

    def __init__(self, tx: Tx, profile: str) -> None:
        self.profile = profile
        self.key_id = meta.get(tx, _KEY_ID)
        self.key_check = meta.get(tx, _KEY_CHECK)
        self.fingerprint = meta.get(tx, FINGERPRINT)
        self.rows = secrets.count(tx)


def _read_key_record(tx: Tx, fingerprint: str | None) -> _KeyRecord:
    """Read the key record; creates the profile ID on first use.

    The data key with this fingerprint becomes that of a database without secrets and without a data key.
    """
    profile = meta.get(tx, PROFILE) or meta.put_if_absent(tx, PROFILE, str(uuid4()))
    record = _KeyRecord(tx, profile)
    if fingerprint is not None and record.fingerprint is None and not record.rows:
        record.fingerprint = meta.put_if_absent(tx, FINGERPRINT, fingerprint)
    return record


def put_key(tx: Tx, key: EncryptionKey, check: bytes, fingerprint: str | None) -> None:
    """Make a key that of the database. `fingerprint`: that of the data key it is derived from."""
    meta.remove(tx, KEY_NOTE_PREFIX + key.key_id)
    meta.put(tx, _KEY_ID, key.key_id)
    meta.put(tx, _KEY_CHECK, base64.b64encode(check).decode())
    _put_fingerprint(tx, fingerprint)


def remove_key(tx: Tx, fingerprint: str | None) -> None:
    """Let the database have no key until its next secret, which `fingerprint` may limit to a data key."""
    meta.remove(tx, _KEY_ID)
    meta.remove(tx, _KEY_CHECK)
    _put_fingerprint(tx, fingerprint)


def _put_fingerprint(tx: Tx, fingerprint: str | None) -> None:
    if fingerprint is None:
        meta.remove(tx, FINGERPRINT)
    else:
        meta.put(tx, FINGERPRINT, fingerprint)


async def create_key(key_store: KeyStore, profile: str, key_id: str) -> EncryptionKey:
    """Create a key in the key store, or derive it.

    It is read back, so that a key store that doesn't store anything is detected before first use.
    """
    name = key_item_name(profile, key_id)
    if isinstance(key_store, DataKeyStore):
        text = await key_store.get(name) or ""
    else:
        text = base64.b64encode(os.urandom(KEY_BYTES)).decode()
        await key_store.set(name, text)
        if await key_store.get(name) != text:
            raise secrets_unavailable("no_keyring", key_store.place, detail="It didn't store the key.")
    return EncryptionKey(profile, key_id, base64.b64decode(text))


def parse_key(profile: str, key_id: str, text: str) -> EncryptionKey | None:
    """Parse a key as stored in a key store; None when it is damaged."""
    try:
        return EncryptionKey(profile, key_id, base64.b64decode(text, validate=True))
    except ValueError:
        return None


def key_item_name(profile: str, key_id: str) -> str:
    """The name of a key in key stores."""
    return f"{KEY_NAME_PREFIX}{profile}:{key_id}"
