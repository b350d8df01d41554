"""Encrypts all secrets of a database with the keys of another key store, in one transaction.

Until its commit, every value is encrypted with the old keys, afterwards with the new one. The ID of the key,
which each row has, tells which. Keys and items are read before, and nothing but the rows is written inside.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from cryptography.exceptions import InvalidTag

from patchbay.domain.base import ConnectionId
from patchbay.domain.errors import SecretsUnavailable, StorageFault
from patchbay.domain.ports import KeyStore
from patchbay.service.data_key_store import DataKeyStore, wrong_data_key
from patchbay.service.secret_encryption import (
    FINGERPRINT,
    KEY_NOTE_PREFIX,
    PROFILE,
    EncryptionKey,
    create_key,
    key_item_name,
    parse_key,
    put_key,
    remove_key,
)
from patchbay.service.secret_store import HOME, ITEM_NAME_PREFIX, ITEM_NOTE_PREFIX
from patchbay.storage.repositories import connections, meta, secrets, sign_ins
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import ITEM_FORMAT, Sealed

_MAX_NAMES = 5


@dataclass(frozen=True)
class ReencryptedSecrets:
    """How many values are encrypted with the new key, all of which were decrypted with it again."""

    connections: int = 0
    webhooks: int = 0

    @property
    def total(self) -> int:
        """All values."""
        return self.connections + self.webhooks


@dataclass(frozen=True)
class StoredSecrets:
    """All encrypted values of a database, and what is needed to decrypt them."""

    rows: tuple[Sealed, ...]
    profile: str
    fingerprint: str | None
    """Of the data key that their keys are derived from, if they are."""
    owners: Mapping[ConnectionId, str]
    """Names of the connections and webhooks, for messages. Deleted connections have none."""

    @classmethod
    def read(cls, tx: Tx) -> "StoredSecrets":
        """Read them from a database."""
        rows = secrets.find_all(tx)
        owners = {row.connection_id: _owner(tx, row) for row in rows if not _is_deleted(tx, row)}
        return cls(rows, meta.get(tx, PROFILE) or "", meta.get(tx, FINGERPRINT), owners)


class OldKeys:
    """What decrypts the secrets of a database now. Reads it from the key store before it is needed."""

    def __init__(self, keys: Iterable[EncryptionKey] = (), items: Mapping[str, bytes] | None = None) -> None:
        self._keys = {key.key_id: key for key in keys}
        self._items = items or {}

    @classmethod
    async def load(cls, stored: StoredSecrets, key_store: KeyStore) -> "OldKeys":
        """Read the keys, and the items if values are stored in a keyring. Raises `SecretsUnavailable`."""
        rows, profile = stored.rows, stored.profile
        keys, items = [], {}
        for key_id in {row.key_id for row in rows if row.format != ITEM_FORMAT}:
            text = await key_store.get(key_item_name(profile, key_id))
            key = None if text is None else parse_key(profile, key_id, text)
            if key is not None:
                keys.append(key)
        for item in {row.key_id for row in rows if row.format == ITEM_FORMAT}:
            text = await key_store.get(ITEM_NAME_PREFIX + item) if key_store.holds_items else None
            if text is not None:
                items[item] = text.encode()
        return cls(keys, items)

    def decrypt(self, row: Sealed) -> bytes | None:
        """The value of a row; None if its key or item is missing, or doesn't fit."""
        if row.format == ITEM_FORMAT:
            return _normalized(self._items.get(row.key_id))
        key = self._keys.get(row.key_id)
        try:
            return None if key is None else key.open(row)
        except InvalidTag:
            return None


class SecretReencryption:
    """One change of keys: from those in `source` to a new one in `target`."""

    def __init__(self, source: KeyStore, target: KeyStore, purpose: str) -> None:
        """`purpose` makes the new key's ID, so that the next attempt finds the key of an interrupted one."""
        self._source, self._target, self._purpose = source, target, purpose
        self._old = OldKeys()
        self._new: EncryptionKey | None = None
        self.done = ReencryptedSecrets()
        """What `reencrypt` has encrypted."""

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the data key that is used afterwards; None if there is none."""
        return self._target.fingerprint if isinstance(self._target, DataKeyStore) else None

    async def check(self, stored: StoredSecrets) -> ReencryptedSecrets:
        """Whether everything can be decrypted and the target can be used. Returns what would be encrypted.

        Raises `SecretsUnavailable`, with the names of the connections. Changes nothing.
        """
        self._old, found = await _load_keys(stored, self._source)
        await self._target.get(key_item_name(stored.profile, "none"))
        return found

    async def verify(self, stored: StoredSecrets) -> ReencryptedSecrets:
        """Whether everything can be decrypted with the target, as after an earlier run. Raises as `check`."""
        return (await _load_keys(stored, self._target))[1]

    async def prepare(self, stored: StoredSecrets) -> None:
        """Read the old keys, and create the new one if there is anything to encrypt."""
        if (await self.check(stored)).total:
            key_id = str(uuid5(NAMESPACE_URL, f"{stored.profile} {self._purpose}"))
            text = await self._target.get(key_item_name(stored.profile, key_id))
            existing = None if text is None else parse_key(stored.profile, key_id, text)
            self._new = existing or await create_key(self._target, stored.profile, key_id)

    def reencrypt(self, tx: Tx) -> None:
        """Encrypt all values with the new key, and decrypt each again. The caller commits.

        Those of deleted connections that can't be decrypted are deleted.
        """
        plain = {}
        for row in secrets.find_all(tx):
            value = self._old.decrypt(row)
            if value is None and _is_deleted(tx, row):
                secrets.remove_deleted(tx, row.connection_id)
            elif value is None or self._new is None:
                raise _not_decrypted([_owner(tx, row)], self._source)
            else:
                plain[row.connection_id] = value
                secrets.put(tx, self._new.seal(row.connection_id, value))
        self._put_record(tx)
        if self._decrypt_all(tx) != plain:
            raise _not_verified()
        self.done = _count(plain)

    def _decrypt_all(self, tx: Tx) -> dict[ConnectionId, bytes]:
        """All values, decrypted with the new key alone."""
        rows = secrets.find_all(tx)
        try:
            return {row.connection_id: self._new.open(row) for row in rows} if self._new is not None else {}
        except InvalidTag:
            raise _not_verified() from None

    def _put_record(self, tx: Tx) -> None:
        """Say which key is used now, and forget what is in the old key store: it may still be used there."""
        for prefix in (KEY_NOTE_PREFIX, ITEM_NOTE_PREFIX):
            for name in meta.names(tx, prefix):
                meta.remove(tx, name)
        meta.remove(tx, HOME)
        sign_ins.delete_all(tx)  # they last minutes only and can be started again
        if self._new is None:
            remove_key(tx, self.fingerprint)
        else:
            put_key(tx, self._new, self._new.check_value(), self.fingerprint)


async def _load_keys(stored: StoredSecrets, key_store: KeyStore) -> tuple[OldKeys, ReencryptedSecrets]:
    """What decrypts the values, and how many. Raises `SecretsUnavailable` if some can't be decrypted."""
    if isinstance(key_store, DataKeyStore) and stored.fingerprint not in (None, key_store.fingerprint):
        raise wrong_data_key(str(stored.fingerprint), key_store.fingerprint)
    keys = await OldKeys.load(stored, key_store)
    lost = {row.connection_id for row in stored.rows if keys.decrypt(row) is None}
    if names := [name for owner, name in stored.owners.items() if owner in lost]:
        raise _not_decrypted(names, key_store)
    return keys, _count(row.connection_id for row in stored.rows if row.connection_id not in lost)


def _count(owners: Iterable[ConnectionId]) -> ReencryptedSecrets:
    of_webhooks = [secrets.is_webhook_owner(owner) for owner in owners]
    return ReencryptedSecrets(len(of_webhooks) - sum(of_webhooks), sum(of_webhooks))


def _normalized(item: bytes | None) -> bytes | None:
    """The value of a keyring item as JSON; None if it isn't one."""
    try:
        data = None if item is None else json.loads(item)
    except ValueError:
        return None
    return item if isinstance(data, dict) else None


def _not_decrypted(names: Sequence[str], key_store: KeyStore) -> SecretsUnavailable:
    more = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return SecretsUnavailable(
        f"These secrets can't be decrypted: {', '.join(names[:_MAX_NAMES])}{more}.",
        reason="key_wrong",
        meaning=f"Their keys aren't in the {key_store.kind}, or they were altered. Nothing was changed.",
        todo="Give the key store in which their keys are, or reconnect or delete these connections first.",
    )


def _is_deleted(tx: Tx, row: Sealed) -> bool:
    return secrets.get_deleted(tx, row.connection_id) is not None


def _owner(tx: Tx, row: Sealed) -> str:
    if secrets.is_webhook_owner(row.connection_id):
        return f"the webhook of the flow {row.connection_id.partition(':')[2]}"
    connection = connections.get(tx, row.connection_id)
    return f"“{connection.screen_name or connection.app_key}”"


def _not_verified() -> StorageFault:
    return StorageFault(
        "A secret that was encrypted with the new key couldn't be decrypted with it.",
        meaning="Nothing was changed.",
        todo="Run the command again.",
    )
