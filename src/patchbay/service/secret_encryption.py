"""The data key: AES-256-GCM over one value, bound to its place."""

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
from patchbay.domain.ports import KeyStore
from patchbay.service.key_stores import SecretsStatus, WatchedKeyStore, secrets_unavailable
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, meta, secrets, sign_ins
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import Sealed

FORMAT = 1
NONCE_BYTES = 12
KEY_BYTES = 32

_CHECK_TEXT = b"patchbay data key"


class DataKey:
    """A key in memory; shows nothing of itself. For a wrong key or damaged value it raises `InvalidTag`."""

    __slots__ = ("_cipher", "_profile", "key_id")

    def __init__(self, profile: str, key_id: str, raw: bytes) -> None:
        self._profile, self.key_id = profile, key_id
        self._cipher = AESGCM(raw)

    def seal(self, connection_id: ConnectionId, plain: bytes) -> Sealed:
        """Encrypt a value for one connection; elsewhere it does not open."""
        nonce, associated_data = os.urandom(NONCE_BYTES), self._associated_data(FORMAT, connection_id)
        return Sealed(
            connection_id, FORMAT, self.key_id, nonce, self._cipher.encrypt(nonce, plain, associated_data)
        )

    def open(self, sealed: Sealed) -> bytes:
        return self._decrypt(
            sealed.nonce, sealed.ciphertext, self._associated_data(sealed.format, sealed.connection_id)
        )

    def check_value(self) -> bytes:
        """What tells this key from every other, without telling anything of it."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, _CHECK_TEXT, self._check_associated_data())

    def require(self, check: bytes) -> None:
        """Raise `InvalidTag` unless the check value is one of this key."""
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


# MERGED: Encryption of connection secrets: one data key, kept in a `KeyStore`; one AES-256-GCM row
# per connection.

RETRY_MS = 30_000
"""How long a failed opening is believed before the key's home is asked again on behalf of a running flow."""

_PROFILE, _KEY_ID, _KEY_CHECK = "profile_id", "data_key_id", "data_key_check"
_KEY_NOTE_PREFIX = "data_key:"
"""Before the id of a data key in `meta`, where each is noted before it is made."""


class SecretEncryption:
    """Seals and opens the secrets of connections. Safe to share between tasks of one loop."""

    def __init__(self, db: Database, home: KeyStore, clock: Callable[[], EpochMs]) -> None:
        self._db, self._home, self._clock = db, WatchedKeyStore(home), clock
        self._key: DataKey | None = None
        self._profile = ""
        self._lost_key_id: str | None = None
        self._retired_keys: dict[str, DataKey] = {}
        self._uncommitted_nonces: set[bytes] = set()
        """Nonces of what was sealed and is not known to be stored yet."""
        self._failure: SecretsUnavailable | None = None
        self._failed_at: EpochMs = 0
        self._single_flight = asyncio.Lock()
        self._attempts = 0

    @property
    def waiting(self) -> bool:
        """Whether the key's home has been asked and has not answered yet."""
        return self._home.waiting

    @property
    def place(self) -> str:
        """One sentence: where credentials are kept."""
        return self._home.place

    @property
    def name(self) -> str:
        """The same in two words, for the status bar."""
        return self._home.name

    @property
    def problem(self) -> SecretsUnavailable | None:
        """Why secrets could not be used when they were last needed; None when all is well."""
        return self._failure

    async def is_locked(self) -> bool | None:
        """Whether the key's home is locked, learned without a prompt; None where that can't be told."""
        return await self._home.is_locked()

    async def open(self) -> SecretsStatus:
        """Ask for the key now, however often it failed before. Never raises for one of the known reasons.

        Whoever asks while somebody is already waiting gets the same answer, not a wait of their own.
        """
        attempts = self._attempts
        async with self._single_flight:
            if self._attempts == attempts:
                await self._load_key()
        if self._failure is not None:
            return SecretsStatus(self._failure.reason)
        return SecretsStatus.OK if self._key else SecretsStatus.EMPTY

    async def require(self) -> None:
        """Raise `SecretsUnavailable` unless secrets can be stored and opened now."""
        if self._key is None and not (await self.open()).is_usable and self._failure:
            raise self._failure

    async def seal(self, connection_id: ConnectionId, data: JsonObject) -> Sealed:
        """Encrypt; makes the data key when this is the first secret of this database."""
        await self.require()
        key = self._key or await self._get_or_create_key()
        plain = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
        sealed = key.seal(connection_id, plain)
        self._uncommitted_nonces.add(sealed.nonce)
        return sealed

    def mark_committed(self, sealed: Sealed) -> None:
        """The value is in the database; a change of the key finds it there."""
        self._uncommitted_nonces.discard(sealed.nonce)

    async def unseal(self, sealed: Sealed) -> JsonObject:
        """Decrypt. Raises `SecretsUnavailable`, at once while a recent attempt to get the key failed."""
        if self._key is None and self._failure and self._clock() - self._failed_at < RETRY_MS:
            raise self._failure
        await self.require()
        key = self._key
        if key is not None and key.key_id != sealed.key_id:
            key = self._retired_keys.get(sealed.key_id)
        if key is None:
            raise secrets_unavailable("key_not_found", self.place)
        data: JsonObject = json.loads(self._decrypt(key, sealed))
        return data

    async def rotate_key(self) -> int:
        """Encrypt everything under a new key; returns how many values.

        One commit moves all of them. The old key is deleted from its home once every value was read back; a
        value that was sealed meanwhile keeps it there until the next start. Raises `SecretsUnavailable` and
        leaves the old key in force when the home does not keep the new one.
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
        """Give up every stored secret whose key is lost, so that connections can be made anew.

        Returns how many were given up; nothing happens while the vault can be opened or its home merely
        does not answer. Their connections say that they need reconnecting. This cannot be undone.
        """
        state = await self.open()
        if state not in (SecretsStatus.KEY_NOT_FOUND, SecretsStatus.KEY_WRONG):
            return 0

        def forget(tx: Tx) -> int:
            meta.remove(tx, _KEY_ID)
            meta.remove(tx, _KEY_CHECK)
            connections.mark_all_unverified(tx, "Its credentials were discarded. Reconnect.", self._clock())
            return secrets.remove_all(tx)

        discarded = await self._db.write(forget)
        await self.open()
        return discarded

    async def delete_unused_keys(self) -> None:
        """Delete keys that were made and never came into use, because the program was killed in between."""
        async with self._single_flight:  # nobody is making one now
            noted = await self._db.read(lambda tx: meta.names(tx, _KEY_NOTE_PREFIX))
            if noted and self._key is None:
                await self._find_key()  # also while secrets are keyring items, which need no key
            for name in noted:
                await self._retire_key(name.removeprefix(_KEY_NOTE_PREFIX))

            def forget(tx: Tx) -> None:
                for name in noted:
                    meta.remove(tx, name)

            if noted:
                await self._db.write(forget)

    async def _retire_key(self, key_id: str) -> None:
        """Delete a key; values that were sealed with it while it was being changed are moved first."""
        item, new = _key_item_name(self._profile, key_id), self._key
        text = await self._home.get(item)
        if text is not None and new is not None:
            old = self._retired_keys.get(key_id) or _parse_key(self._profile, key_id, text)
            if old is None:
                return  # it opens nothing, and deleting it wouldn't make anything better
            await self._db.write(lambda tx: self._reencrypt(tx, old, new, None))
        await self._home.delete(item)

    def _reencrypt(self, tx: Tx, old: DataKey, new: DataKey, check: bytes | None) -> int:
        """Seal what `old` sealed with `new`; with a `check` also make `new` the key of this database."""
        rows = [row for row in secrets.find_all(tx) if row.key_id == old.key_id]
        for row in rows:
            secrets.put(tx, new.seal(row.connection_id, self._decrypt(old, row)))
        if check is not None:
            sign_ins.delete_older(tx, self._clock() + 1)  # they wait for minutes only, and are begun again
            meta.put(tx, _KEY_ID, new.key_id)
            meta.put(tx, _KEY_CHECK, base64.b64encode(check).decode())
            meta.remove(tx, _KEY_NOTE_PREFIX + new.key_id)
            meta.put(tx, _KEY_NOTE_PREFIX + old.key_id, "")
        return len(rows)

    async def _load_key(self) -> None:
        try:
            await self._find_key()
        except SecretsUnavailable as error:
            self._failure, self._failed_at = error, self._clock()
        else:
            self._failure = None
        self._attempts += 1

    async def _find_key(self) -> None:
        if self._key is not None:
            return
        record = await self._db.write(_read_key_record)
        self._profile, self._lost_key_id = record.profile, record.key_id
        if record.key_id is None or record.key_check is None:
            if record.rows:
                raise secrets_unavailable("key_not_found", self.place)
            await self._home.get(_key_item_name(record.profile, "none"))  # learn now, not at the first secret
            return
        text = await self._home.get(_key_item_name(record.profile, record.key_id))
        if text is None:
            if record.rows:
                raise secrets_unavailable("key_not_found", self.place)
            return
        self._key = self._verify_key(record.key_id, text, record.key_check)

    def _verify_key(self, key_id: str, text: str, check: str) -> DataKey:
        try:
            key = DataKey(self._profile, key_id, base64.b64decode(text, validate=True))
            key.require(base64.b64decode(check))
        except (ValueError, InvalidTag):
            raise secrets_unavailable("key_wrong", self.place) from None
        return key

    async def _get_or_create_key(self) -> DataKey:
        async with self._single_flight:
            if self._key is None:
                self._key = await self._create_first_key()
            return self._key

    async def _create_first_key(self) -> DataKey:
        """The first key of this database, unless another program that uses it was faster."""
        key, check = await self._create_key()

        def remember(tx: Tx) -> bool:
            if secrets.count(tx) or meta.get(tx, _KEY_ID) != self._lost_key_id:
                return False
            meta.remove(tx, _KEY_NOTE_PREFIX + key.key_id)
            meta.put(tx, _KEY_ID, key.key_id)
            meta.put(tx, _KEY_CHECK, base64.b64encode(check).decode())
            return True

        if await self._db.write(remember):
            return key
        # Another program using the same database was first: its key counts.
        await self._home.delete(_key_item_name(self._profile, key.key_id))
        await self._find_key()
        if self._key is None:
            raise secrets_unavailable("key_not_found", self.place)
        return self._key

    async def _create_key(self) -> tuple[DataKey, bytes]:
        """A new key in its home, and its check value. It is noted before it is made.

        Set, read back in a new call, compare: a home that keeps nothing is found out before first use.
        """
        raw, key_id = os.urandom(KEY_BYTES), str(uuid4())
        name, text = _key_item_name(self._profile, key_id), base64.b64encode(raw).decode()
        await self._db.write(lambda tx: meta.put(tx, _KEY_NOTE_PREFIX + key_id, ""))
        await self._home.set(name, text)
        if await self._home.get(name) != text:
            raise secrets_unavailable("no_keyring", self.place, detail="It didn't store the key.")
        key = DataKey(self._profile, key_id, raw)
        return key, key.check_value()

    def _decrypt(self, key: DataKey, sealed: Sealed) -> bytes:
        try:
            return key.open(sealed)
        except InvalidTag:
            raise secrets_unavailable("key_wrong", self.place) from None


class _KeyRecord:
    """What the database says about its key."""

    def __init__(self, tx: Tx, profile: str) -> None:
        self.profile = profile
        self.key_id = meta.get(tx, _KEY_ID)
        self.key_check = meta.get(tx, _KEY_CHECK)
        self.rows = secrets.count(tx)


def _read_key_record(tx: Tx) -> _KeyRecord:
    """Read them; the profile id is made on first use."""
    profile = meta.get(tx, _PROFILE)
    if profile is None:
        profile = str(uuid4())
        meta.put(tx, _PROFILE, profile)
    return _KeyRecord(tx, profile)


def _parse_key(profile: str, key_id: str, text: str) -> DataKey | None:
    """The key that a home keeps as text; None when it is damaged."""
    try:
        return DataKey(profile, key_id, base64.b64decode(text, validate=True))
    except ValueError:
        return None


def _key_item_name(profile: str, key_id: str) -> str:
    return f"dek:{profile}:{key_id}"
