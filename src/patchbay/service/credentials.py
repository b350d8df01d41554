"""Decrypted auth data of connections, for the engine and for the service itself."""

from collections.abc import Callable

from patchbay.domain.base import ConnectionId, EpochMs, JsonObject
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import NotFound
from patchbay.service.changes import ChangeBroadcaster
from patchbay.service.secret_store import SecretStore
from patchbay.storage.database import Database
from patchbay.storage.repositories import connections, secrets
from patchbay.storage.repositories.rows import Tx


class StoredCredentials:
    """`Credentials` over the secret rows. What it returns is never logged or shown."""

    def __init__(
        self, db: Database, vault: SecretStore, clock: Callable[[], EpochMs], changes: ChangeBroadcaster
    ) -> None:
        self._db, self._vault, self._clock, self._changes = db, vault, clock, changes

    async def load(self, connection_id: ConnectionId) -> JsonObject:
        """Raises `NotFound` or `SecretsUnavailable`."""
        sealed = await self._db.read(lambda tx: secrets.get(tx, connection_id))
        if sealed is None:
            raise NotFound(
                "The connection this step uses is not there.",
                meaning="It was deleted, or its credentials were never stored.",
                todo="Choose another connection in the step, or restore this one.",
            )
        return await self._vault.unseal(sealed)

    async def save(self, connection_id: ConnectionId, data: JsonObject) -> None:
        """Replace the whole auth data, as after a token refresh. What is there is not written again."""
        if await self._is_stored(connection_id, data):
            return
        sealed = await self._vault.seal(connection_id, data)

        def store(tx: Tx) -> None:
            connections.get(tx, connection_id)
            secrets.put(tx, sealed)

        await self._db.write(store)
        self._vault.mark_committed(sealed)
        await self._vault.delete_unused_items()

    async def _is_stored(self, connection_id: ConnectionId, data: JsonObject) -> bool:
        sealed = await self._db.read(lambda tx: secrets.get(tx, connection_id))
        return sealed is not None and await self._vault.unseal(sealed) == data

    async def replace(self, connection_id: ConnectionId, before: JsonObject, after: JsonObject) -> bool:
        """Store `after` if what is stored is still `before`, and commit. The row itself is compared: a new
        value never has the same nonce or item.
        """
        read = await self._db.read(lambda tx: secrets.get(tx, connection_id))
        if read is None or await self._vault.unseal(read) != before:
            return False
        sealed = await self._vault.seal(connection_id, after)

        def swap(tx: Tx) -> bool:
            if secrets.get(tx, connection_id) != read:
                return False
            secrets.put(tx, sealed)
            return True

        swapped = await self._db.write(swap)
        self._vault.mark_committed(sealed)  # or given up: the row of whoever was faster stays
        await self._vault.delete_unused_items()
        return swapped

    async def mark_invalid(self, connection_id: ConnectionId, reason: str) -> None:
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
