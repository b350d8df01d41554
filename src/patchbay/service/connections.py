"""Connections: verify first, store after, and never leave half of it behind."""

from collections.abc import Mapping
from uuid import uuid4

from patchbay.domain.backend import Change, Noun
from patchbay.domain.base import AppKey, ConnectionId, JsonObject
from patchbay.domain.connections import Connection, Health
from patchbay.domain.errors import NotFound, SecretsUnavailable
from patchbay.integration.context import Context, CurrentAuth
from patchbay.integration.contract import App
from patchbay.service.names import checked_name
from patchbay.service.parts import Operations
from patchbay.service.verification import (
    SCREEN_NAME,
    auth_of,
    entered,
    screen_name,
    shown_values,
    still_verified,
    verified,
)
from patchbay.storage.repositories import connections, secrets
from patchbay.storage.repositories.rows import Tx


class ConnectionOperations(Operations):
    """A person's accounts at apps. Secrets go to the vault and come back to app code only."""

    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        """Newest first. While the vault cannot be opened, each says so."""
        found = await self._db.read(lambda tx: connections.find(tx, app_key))
        return tuple(map(self._seen, found))

    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        return self._seen(await self._stored(connection_id))

    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        """Verify the values with the third party, then store. Stores nothing when refused."""
        app = self._apps.get(app_key)
        asked = entered(auth_of(app), values)
        await self._parts.vault.require()
        data = await verified(self._context(app, CurrentAuth(data=asked)))
        now = self._clock()
        fresh = Connection(id=str(uuid4()), app_key=app_key, created_at=now)
        connection = self._accepted(fresh, app, data)
        sealed = await self._parts.vault.seal(connection.id, data)

        def store(tx: Tx) -> None:
            connections.add(tx, connection, self._owner)
            secrets.put(tx, sealed)

        await self._db.write(store)
        self._changes.tell(Noun.CONNECTION, connection.id, action="created")
        return connection

    async def reconnect(self, connection_id: ConnectionId, values: JsonObject) -> Connection:
        """Verify new values on the side and swap them in on success; the old ones work until then."""
        before = await self._stored(connection_id)
        app = self._apps.get(before.app_key)
        asked = entered(auth_of(app), values, await self._kept(connection_id))
        await self._parts.vault.require()
        data = await verified(self._context(app, CurrentAuth(id=connection_id, data=asked)))
        after = self._accepted(before, app, data)
        sealed = await self._parts.vault.seal(connection_id, data)

        def swap(tx: Tx) -> Connection:
            connections.put(tx, after)
            secrets.put(tx, sealed)
            return connections.get(tx, connection_id)

        swapped = await self._db.write(swap)
        await self._parts.vault.tidy()
        return self._told(swapped)

    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        """Ask the third party whether the credentials still hold; the answer is stored, never raised.

        Raises `SecretsUnavailable` when our own side cannot open them: that says nothing about the account.
        """
        before = await self._stored(connection_id)
        app = self._apps.get(before.app_key)
        await self._parts.vault.require()
        reason = await self._doubt(connection_id, app)
        answer = {
            "health": Health.NEEDS_ATTENTION if reason else Health.VALID, "reason": reason,
            "verified": reason is None, "tested_at": self._clock(),
        }  # fmt: skip
        return await self._change(connection_id, answer)

    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        name = checked_name(screen_name, SCREEN_NAME)
        before = await self._stored(connection_id)
        shown = before.formatted_data | {SCREEN_NAME: name}
        return await self._change(connection_id, {"screen_name": name, "formatted_data": shown})

    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        """Hide it; steps keep pointing at it, so that `restore_connection` makes them work again."""
        now = self._clock()
        await self._db.write(lambda tx: connections.remove(tx, connection_id, now))
        return self._changes.tell(Noun.CONNECTION, connection_id, action="deleted")

    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        now = self._clock()
        connection = await self._db.write(lambda tx: connections.restore(tx, connection_id, now))
        self._changes.tell(Noun.CONNECTION, connection_id, action="created")
        return self._seen(connection)

    async def _stored(self, connection_id: ConnectionId) -> Connection:
        return await self._db.read(lambda tx: connections.get(tx, connection_id))

    async def _kept(self, connection_id: ConnectionId) -> JsonObject:
        """What is stored now; nothing when it cannot be opened, so that everything must be entered again."""
        try:
            return await self._parts.credentials.load(connection_id)
        except (NotFound, SecretsUnavailable):
            return {}

    async def _doubt(self, connection_id: ConnectionId, app: App) -> str | None:
        try:
            data = await self._parts.credentials.load(connection_id)
        except NotFound:
            return "Its credentials are not stored here. Reconnect."

        async def save(changed: JsonObject) -> None:
            await self._parts.credentials.save(connection_id, changed)

        return await still_verified(self._context(app, CurrentAuth(id=connection_id, data=data, save=save)))

    def _context(self, app: App, auth: CurrentAuth) -> Context:
        return Context(app=app, auth=auth, http_factory=self._parts.http, now=self._clock())

    def _accepted(self, connection: Connection, app: App, data: JsonObject) -> Connection:
        now = self._clock()
        known = {
            "screen_name": screen_name(data), "formatted_data": shown_values(auth_of(app), data),
            "verified": True, "health": Health.VALID, "reason": None, "tested_at": now, "updated_at": now,
        }  # fmt: skip
        return connection.model_copy(update=known)

    async def _change(self, connection_id: ConnectionId, values: Mapping[str, object]) -> Connection:
        changes = {**values, "updated_at": self._clock()}

        def store(tx: Tx) -> Connection:
            connections.put(tx, connections.get(tx, connection_id).model_copy(update=changes))
            return connections.get(tx, connection_id)

        return self._told(await self._db.write(store))

    def _told(self, connection: Connection) -> Connection:
        self._changes.tell(Noun.CONNECTION, connection.id)
        return self._seen(connection)

    def _seen(self, connection: Connection) -> Connection:
        problem = self._parts.vault.problem
        if problem is None:
            return connection
        return connection.model_copy(update={"health": Health.NEEDS_ATTENTION, "reason": problem.text()})
