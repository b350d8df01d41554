"""Storage of secrets: encrypted rows, or one item per connection in the system keyring.

Every connection, and every flow whose webhook has secrets, has one row in either case. With keyring items the
row only names the item: its `format` is `ITEM_FORMAT` and its `key_id` the item. A new value is always a new
item, so that the commit of the row decides which one is current and no keyring asks whether to overwrite.
Unused items are deleted afterwards.
"""

import json
from collections.abc import Callable, Sequence
from uuid import uuid4

from patchbay.domain.base import ConnectionId, EpochMs, FlowId, JsonObject
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import ConnectionHealth, SecretsStorage
from patchbay.domain.errors import Conflict, NotFound, SecretsUnavailable
from patchbay.domain.ports import KeyStore, KeyStoreKind, PromptingKeyStore
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.data_key_store import not_under_data_key
from patchbay.service.key_stores import (
    SecretsStatus,
    missing_item_error,
    secrets_unavailable,
)
from patchbay.service.secret_encryption import RETRY_MS, SecretEncryption
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, meta, secrets, sign_ins
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import ITEM_FORMAT, Sealed

HOME = "secrets_home"
_WEBHOOK_SECRETS = "webhookSecrets"
"""Key of the secrets in the encrypted value of a webhook."""
ITEM_NOTE_PREFIX = "item:"
"""Prefix of the ID of an item in `meta`, where each is recorded before it is written."""
ITEM_NAME_PREFIX = "connection:"
"""Prefix of the ID of an item in its name in the keyring."""
TRANSIENT_REASONS = ("locked", "timed_out")
"""Reasons of `SecretsUnavailable` that end when the user unlocks the key store."""
_MAX_MOVE_ATTEMPTS = 5
"""Maximum attempts of a move when secrets change meanwhile."""


class SecretStore:
    """Stores and reads the secrets of connections and webhooks, as encrypted rows or keyring items.

    `encryption` encrypts the rows; `items` is the keyring for items, None if there is none.
    """

    def __init__(
        self, db: Database, encryption: SecretEncryption, items: KeyStore | None, clock: Callable[[], EpochMs]
    ) -> None:
        self._db = db
        self.encryption = encryption
        self._items = items
        self._clock = clock
        self._home: SecretsStorage | None = None
        self._problem: SecretsUnavailable | None = None
        self._failed_at: EpochMs = 0
        self._missing_items: set[ConnectionId] = set()
        self._uncommitted: set[str] = set()
        self.is_opening = False
        """Whether the program is still starting to use it, so that it isn't known if secrets can be used."""

    def use_key_store(self, key_store: KeyStore) -> None:
        """Use another key store from now on, such as a passphrase vault that was just unlocked."""
        self.encryption.use_key_store(key_store)
        self._items = key_store if key_store.holds_items else None
        self._problem = None

    @property
    def waiting(self) -> bool:
        """Whether the keyring is being opened or is busy, such as asking for its password."""
        stores = (self.encryption.key_store, self._items)
        return any(
            isinstance(store, PromptingKeyStore) and (self.is_opening or store.waiting) for store in stores
        )

    @property
    def place(self) -> str:
        """One sentence that says where credentials are stored."""
        if self._home is SecretsStorage.ITEMS and self._items is not None:
            return f"Each connection's credentials are stored as an item in the {self._items.kind}."
        return self.encryption.key_store.place

    @property
    def kind(self) -> KeyStoreKind:
        """The kind of the key store; its value is shown in the status bar."""
        return self.encryption.key_store.kind

    @property
    def problem(self) -> SecretsUnavailable | None:
        """Why secrets couldn't be used the last time; None if they could."""
        return self._problem or self.encryption.problem

    def problem_of(self, connection_id: ConnectionId) -> SecretsUnavailable | None:
        """Why the secrets of this connection couldn't be used the last time; None if they could."""
        return self.problem or (missing_item_error() if connection_id in self._missing_items else None)

    async def home(self) -> SecretsStorage:
        """Return where new secrets are stored."""
        if self._home is None:
            stored = await self._db.read(lambda tx: meta.get(tx, HOME))
            self._home = SecretsStorage(stored) if stored else SecretsStorage.SEALED
        return self._home

    async def is_unused(self) -> bool:
        """Whether nothing is stored yet, so that another key store can be used instead."""
        return await self.home() is SecretsStorage.SEALED and not await self._db.read(secrets.find_all)

    async def prompts_for_nothing(self) -> bool:
        """Whether opening it would only make a keyring ask for its password, while nothing is stored yet."""
        key_store = self.encryption.key_store
        if not isinstance(key_store, PromptingKeyStore) or not await self.is_unused():
            return False
        return await key_store.is_locked() is True

    async def open(self) -> SecretsStatus:
        """Check now whether secrets can be used. Failures are returned, not raised."""
        if await self.home() is SecretsStorage.SEALED:
            state = await self.encryption.open()
            if state.is_usable:
                self._problem = None
            return state
        if self.kind is KeyStoreKind.DATA_KEY_FILE:
            self._problem = not_under_data_key()
            return SecretsStatus(self._problem.reason)
        try:
            await self._read_item("state-check")
        except SecretsUnavailable as error:
            return SecretsStatus(error.reason)
        return SecretsStatus.OK

    async def recover(self) -> bool:
        """Clean up the keyring after a crash, and find missing items; return whether all secrets can be used.

        Called at start-up.
        """
        if not (await self.open()).is_usable:
            return False
        await self.encryption.delete_unused_keys()
        await self.delete_unused_items()
        for row in await self._db.read(secrets.find_all):
            if row.format == ITEM_FORMAT:
                self._track_item(row, await self._read_item(ITEM_NAME_PREFIX + row.key_id))
        return not self._missing_items

    async def retry_if_unlocked(self) -> None:
        """Open the secrets again once the key store has been unlocked, without causing a password prompt."""
        problem = self.problem
        key_store = self.encryption.key_store
        if problem is None or problem.reason not in TRANSIENT_REASONS:
            return
        if isinstance(key_store, PromptingKeyStore) and await key_store.is_locked() is False:
            await self.open()

    async def require(self) -> None:
        """Raise `SecretsUnavailable` unless secrets can be stored and read now."""
        if not (await self.open()).is_usable and self.problem:
            raise self.problem

    async def require_for_start(self) -> None:
        """Raise `SecretsUnavailable` if there are secrets that can't be read, so that runs would fail.

        Also if the data key isn't that of the database.
        """
        if not await self.is_unused() or await self.encryption.is_under_data_key():
            await self.require()

    async def seal(self, connection_id: ConnectionId, data: JsonObject) -> Sealed:
        """Return the row to store for these secrets; with keyring items, the item is written first."""
        return await self._seal(await self.home(), connection_id, data)

    async def seal_webhook(self, flow_id: FlowId, secrets_of_webhook: Sequence[str]) -> Sealed:
        """Return the row to store for the secrets of a flow's webhook; otherwise like `seal`."""
        return await self.seal(secrets.webhook_owner(flow_id), {_WEBHOOK_SECRETS: [*secrets_of_webhook]})

    async def unseal(self, sealed: Sealed) -> JsonObject:
        """Return the secrets of a row, wherever they are stored. Raises `SecretsUnavailable`."""
        if sealed.format != ITEM_FORMAT:
            return await self.encryption.unseal(sealed)
        if self._problem and self._clock() - self._failed_at < RETRY_MS:
            raise self._problem
        text = await self._read_item(ITEM_NAME_PREFIX + sealed.key_id)
        self._track_item(sealed, text)
        if text is None:
            raise missing_item_error()
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        if not isinstance(data, dict):
            raise secrets_unavailable("key_wrong", self.place, detail="Its item in the keyring was changed.")
        return data

    def mark_committed(self, sealed: Sealed) -> None:
        """Note that the row has been committed: its item is kept as long as the row names it."""
        self.encryption.mark_committed(sealed)
        self._uncommitted.discard(sealed.key_id)
        self._missing_items.discard(sealed.connection_id)

    async def delete_unused_items(self) -> int:
        """Delete items that no row names; return how many. Call this after committing a row."""
        return 0 if self._items is None else await self._delete_items(self._items)

    async def move(self, home: SecretsStorage) -> None:
        """Move all secrets to `home`: write, read back, commit all rows at once, then delete the old values.

        Raises `SecretsUnavailable` and changes nothing when a value can't be read or stored.
        """
        for _ in range(_MAX_MOVE_ATTEMPTS):
            moved = await self._move_all(home)
            await self.delete_unused_items()
            if moved:
                return
        raise Conflict(
            "The secrets kept changing while they were being moved.",
            meaning="They are still in their old place.",
        )

    async def _move_all(self, home: SecretsStorage) -> bool:
        """Move once; False when secrets changed meanwhile, which makes the copies outdated."""
        rows = await self._db.read(secrets.find_all)
        moved: list[Sealed] = []

        def commit(tx: Tx) -> bool:
            if secrets.find_all(tx) != rows:
                return False
            for fresh in moved:
                secrets.put(tx, fresh)
            meta.put(tx, HOME, home.value)
            return True

        try:
            for row in rows:
                moved.append(await self._copy_to(row, home))
            done = await self._db.write(commit)
        finally:
            for fresh in moved:
                self.mark_committed(fresh)
        if done:
            self._home, self._problem = home, None
        return done

    async def _copy_to(self, row: Sealed, home: SecretsStorage) -> Sealed:
        """Copy the secrets of a row to `home`, and read them back."""
        data = await self.unseal(row)
        fresh = await self._seal(home, row.connection_id, data)
        if await self.unseal(fresh) != data:
            raise secrets_unavailable("no_keyring", self.place, detail="It didn't store the value.")
        return fresh

    def barred(self) -> dict[SecretsStorage, str]:
        """Return where secrets can't be moved to, each with the reason."""
        if self._items is None:
            return {SecretsStorage.ITEMS: "Only a system keyring can store one item per connection."}
        return {}

    async def _seal(self, home: SecretsStorage, connection_id: ConnectionId, data: JsonObject) -> Sealed:
        if home is SecretsStorage.SEALED:
            return await self.encryption.seal(connection_id, data)
        keyring, text = self._keyring(), json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        limit = keyring.max_characters
        if limit is not None and len(text) > limit:
            raise SecretsUnavailable(
                f"These credentials are too long for the {keyring.kind}.",
                reason="too_large",
                meaning=f"An item can have at most {limit} characters; these have {len(text)}.",
                todo="Store secrets encrypted in the data folder instead (Settings → Secrets).",
            )
        item = str(uuid4())
        self._uncommitted.add(item)
        await self._db.write(
            lambda tx: meta.put(tx, ITEM_NOTE_PREFIX + item, "")
        )  # a crash leaves no unknown item
        await keyring.set(ITEM_NAME_PREFIX + item, text)
        return Sealed(connection_id, ITEM_FORMAT, item, b"", b"")

    def _keyring(self) -> KeyStore:
        if self._items is None:
            raise secrets_unavailable("no_keyring", self.place)
        return self._items

    async def _read_item(self, name: str) -> str | None:
        """Read an item; records whether the keyring could be read."""
        try:
            text = await self._keyring().get(name)
        except SecretsUnavailable as error:
            self._problem, self._failed_at = error, self._clock()
            raise
        self._problem = None
        return text

    def _track_item(self, row: Sealed, text: str | None) -> None:
        if text is None:
            self._missing_items.add(row.connection_id)
        else:
            self._missing_items.discard(row.connection_id)

    async def _delete_items(self, keyring: KeyStore) -> int:
        noted = await self._db.read(lambda tx: meta.names(tx, ITEM_NOTE_PREFIX))
        named = {row.key_id for row in await self._db.read(secrets.find_all)}
        named |= await self._db.read(sign_ins.items)
        named |= self._uncommitted
        stale = [name for name in noted if name.removeprefix(ITEM_NOTE_PREFIX) not in named]
        for name in stale:
            await keyring.delete(ITEM_NAME_PREFIX + name.removeprefix(ITEM_NOTE_PREFIX))

        def remove_notes(tx: Tx) -> None:
            for name in stale:
                meta.remove(tx, name)

        if stale:
            await self._db.write(remove_notes)
        return len(stale)


class StoredCredentials:
    """`Credentials` from the secret store. Its values are never logged or shown."""

    def __init__(
        self,
        db: Database,
        secret_store: SecretStore,
        clock: Callable[[], EpochMs],
        changes: ChangeBroadcaster,
    ) -> None:
        self._db = db
        self._secret_store = secret_store
        self._clock = clock
        self._changes = changes

    async def load(self, connection_id: ConnectionId) -> JsonObject:
        """Return the auth data of a connection. Raises `NotFound` or `SecretsUnavailable`."""
        sealed = await self._db.read(lambda tx: secrets.get(tx, connection_id))
        if sealed is None:
            raise NotFound(
                "The connection this step uses doesn't exist.",
                meaning="It was deleted, or its credentials were never stored.",
                todo="Choose another connection in the step, or restore this one.",
            )
        return await self._secret_store.unseal(sealed)

    async def save(self, connection_id: ConnectionId, data: JsonObject) -> None:
        """Replace the auth data, for example after a token refresh. Unchanged data isn't written again."""
        stored = await self._db.read(lambda tx: secrets.get(tx, connection_id))
        if stored is not None and await self._secret_store.unseal(stored) == data:
            return
        sealed = await self._secret_store.seal(connection_id, data)

        def store(tx: Tx) -> None:
            connections.get(tx, connection_id)
            secrets.put(tx, sealed)

        await self._db.write(store)
        self._secret_store.mark_committed(sealed)
        await self._secret_store.delete_unused_items()

    async def replace(self, connection_id: ConnectionId, before: JsonObject, after: JsonObject) -> bool:
        """Store `after` if `before` is still the stored value; return whether it was.

        Rows are compared in the commit: a new value never has the same nonce or item.
        """
        read = await self._db.read(lambda tx: secrets.get(tx, connection_id))
        if read is None or await self._secret_store.unseal(read) != before:
            return False
        sealed = await self._secret_store.seal(connection_id, after)

        def swap(tx: Tx) -> bool:
            if secrets.get(tx, connection_id) != read:
                return False
            secrets.put(tx, sealed)
            return True

        swapped = await self._db.write(swap)
        self._secret_store.mark_committed(sealed)  # or dropped: another writer was faster, and its row stays
        await self._secret_store.delete_unused_items()
        return swapped

    async def webhook_secrets(self, flow_id: FlowId) -> tuple[str, ...]:
        """The secrets of a flow's webhook, newest first. Raises `SecretsUnavailable`."""
        sealed = await self._db.read(lambda tx: secrets.get_webhook(tx, flow_id))
        found = (await self._secret_store.unseal(sealed)).get(_WEBHOOK_SECRETS) if sealed else None
        return tuple(map(str, found)) if isinstance(found, list) else ()

    async def mark_invalid(self, connection_id: ConnectionId, reason: str) -> None:
        """Mark a connection as needing attention."""
        now = self._clock()
        wrong = {
            "health": ConnectionHealth.NEEDS_ATTENTION,
            "verified": False,
            "reason": reason,
            "updated_at": now,
        }

        def store(tx: Tx) -> None:
            connections.put(tx, connections.get(tx, connection_id).model_copy(update=wrong))

        await self._db.write(store)
        self._changes.notify(ResourceType.CONNECTION, connection_id)
