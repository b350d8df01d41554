"""Connections: verifies and stores them, and tests them regularly."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol
from uuid import uuid4

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import AppKey, ConnectionId, EpochMs, JsonObject
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.engine import RateLimit
from patchbay.domain.errors import AppError, Forbidden, NotFound, SecretsUnavailable
from patchbay.domain.fields import SCREEN_NAME
from patchbay.integration.app_definition import App
from patchbay.integration.context import Context, CurrentAuth
from patchbay.integration.token_renewal import stored_auth
from patchbay.service.names import checked_name
from patchbay.service.service_context import ServiceContext
from patchbay.service.service_settings import read_service_settings
from patchbay.service.verification import (
    auth_of,
    find_credentials_problem,
    is_inconclusive,
    merge_form_values,
    presets,
    require_can_be_duplicated,
    require_no_browser,
    require_same_account,
    screen_name,
    verified,
    with_expiry_health,
    with_name,
    with_verified_credentials,
    without_grant,
)
from patchbay.storage.repositories import connections, secrets
from patchbay.storage.repositories.rows import Tx

PERMANENT_REASONS = ("key_not_found", "key_wrong")
"""Reasons of `SecretsUnavailable` that don't pass by themselves: the connection needs attention."""
FIRST_TEST_DELAY_SECONDS = 60.0
"""Delay after the start, so that due flows run first."""
PAUSE_BETWEEN_TESTS_SECONDS = 2.0
"""Pause between two tests, to avoid bursts of requests."""
CHECK_INTERVAL_SECONDS = 600.0

log = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]


class Connections:
    """Accounts at apps. Their secrets go to the secret store, and from there to app code only."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._unreachable: dict[ConnectionId, tuple[EpochMs, str]] = {}
        """Connections whose latest test got no response: when, and why."""

    async def list_connections(self, app_key: AppKey | None = None) -> tuple[Connection, ...]:
        """Return connections, newest first. If secrets can't be used, each connection says why."""
        found = await self._context.db.read(lambda tx: connections.find(tx, app_key))
        return tuple(map(self._with_current_health, found))

    async def get_connection(self, connection_id: ConnectionId) -> Connection:
        return self._with_current_health(await self.stored(connection_id))

    async def add_connection(self, app_key: AppKey, values: JsonObject) -> Connection:
        """Verify the credentials with the third party, then store them. Rejected ones aren't stored."""
        await self._context.reload_apps()
        app = self._context.apps.get(app_key)
        require_no_browser(app, {**presets(auth_of(app)), **values})
        auth_data = merge_form_values(app, values)
        await self._context.secrets.require()
        return await self.add_verified(
            app, await verified(await self.app_context(app, CurrentAuth(data=auth_data)))
        )

    async def reconnect(
        self, connection_id: ConnectionId, values: JsonObject, *, accept_other_account: bool = False
    ) -> Connection:
        """Verify new credentials and replace the old ones, which keep working until then."""
        before = await self.stored(connection_id)
        app = self._context.apps.get(before.app_key)
        auth_data = merge_form_values(app, values, without_grant(await self.stored_auth_data(connection_id)))
        require_no_browser(app, auth_data)
        await self._context.secrets.require()
        data = await verified(await self.app_context(app, CurrentAuth(id=connection_id, data=auth_data)))
        if not accept_other_account:
            require_same_account(before, app, data)
        return await self.replace_credentials(before, app, data)

    async def duplicate_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        """Add a connection with the same credentials and another name."""
        name = checked_name(screen_name, SCREEN_NAME)
        before = await self.stored(connection_id)
        app = self._context.apps.get(before.app_key)
        data = await self._context.credentials.load(connection_id)
        require_can_be_duplicated(app, data)
        # Read after the data: replacing the data changes the approval in the same commit.
        stored = await self.stored(connection_id)
        known = {
            "approved": stored.approved and self._context.full_rights,
            "id": str(uuid4()),
            "created_at": self._context.clock(),
            "updated_at": self._context.clock(),
            "flow_count": 0,
        }
        return await self._insert(
            with_name(before.model_copy(update=known), name), {**data, SCREEN_NAME: name}
        )

    async def test_connection(self, connection_id: ConnectionId) -> Connection:
        """Test the credentials with the third party. The result is stored, not raised.

        If the third party can't be reached, the health stays and the reason is shown. Raises
        `SecretsUnavailable` when the credentials can't be decrypted.
        """
        try:
            return await self._test(connection_id, AuditAction.TESTED)
        except AppError as error:
            if not is_inconclusive(error):
                raise
            self._unreachable[connection_id] = self._context.clock(), error.text()
        await self._context.record_audit_entry(AuditAction.TESTED, ResourceType.CONNECTION, connection_id)
        return self._announce(await self.stored(connection_id))

    async def _test(self, connection_id: ConnectionId, audit_action: AuditAction | None) -> Connection:
        before = await self.stored(connection_id)
        app = self._context.apps.get(before.app_key)
        await self._context.secrets.require()
        try:
            auth = await stored_auth(self._context.credentials, connection_id)
        except NotFound:
            reason: str | None = "Its credentials aren't stored here. Reconnect."
        else:
            reason = await find_credentials_problem(await self.app_context(app, auth, stored=True))
        result = {
            "health": ConnectionHealth.NEEDS_ATTENTION if reason else ConnectionHealth.VALID,
            "reason": reason,
            "verified": reason is None,
            "tested_at": self._context.clock(),
        }
        self._unreachable.pop(connection_id, None)
        return await self._change(connection_id, result, audit_action)

    async def test_connection_in_background(self, connection_id: ConnectionId) -> Connection:
        """Test without an audit log entry.

        Raises network errors and overload, which don't affect the health.
        """
        return await self._test(connection_id, None)

    async def rename_connection(self, connection_id: ConnectionId, screen_name: str) -> Connection:
        name = checked_name(screen_name, SCREEN_NAME)
        after = with_name(await self.stored(connection_id), name)
        known = {"screen_name": after.screen_name, "formatted_data": after.formatted_data}
        return await self._change(connection_id, known, AuditAction.RENAMED)

    async def set_connection_rate_limit(
        self, connection_id: ConnectionId, limit: RateLimit | None
    ) -> Connection:
        """Set the rate limit of a connection, shared by all flows; None: that of its app."""
        limited = await self._change(connection_id, {"rate_limit": limit}, AuditAction.UPDATED)
        self._context.engine.triggers_changed()
        return limited

    async def delete_connection(self, connection_id: ConnectionId) -> Change:
        """Hide a connection. Steps still refer to it, so `restore_connection` makes them work again."""
        now = self._context.clock()
        await self._context.commit(
            lambda tx: connections.remove(tx, connection_id, now),
            AuditAction.DELETED,
            ResourceType.CONNECTION,
            connection_id,
        )
        return self._context.changes.notify(ResourceType.CONNECTION, connection_id, action="deleted")

    async def restore_connection(self, connection_id: ConnectionId) -> Connection:
        now = self._context.clock()
        connection = await self._context.commit(
            lambda tx: connections.restore(tx, connection_id, now),
            AuditAction.RESTORED,
            ResourceType.CONNECTION,
            connection_id,
        )
        self._context.changes.notify(ResourceType.CONNECTION, connection_id, action="created")
        return self._with_current_health(connection)

    async def stored(self, connection_id: ConnectionId) -> Connection:
        """Return the connection as it is stored, without its current health."""
        return await self._context.db.read(lambda tx: connections.get(tx, connection_id))

    async def stored_auth_data(self, connection_id: ConnectionId) -> JsonObject:
        """Return the stored auth data; empty if it can't be read: everything must be entered again."""
        try:
            return await self._context.credentials.load(connection_id)
        except (NotFound, SecretsUnavailable):
            return {}

    async def app_context(self, app: App, auth: CurrentAuth, *, stored: bool = False) -> Context:
        """Return the context for app code.

        `stored`: with stored values, not values that the actor has just entered.
        """
        context = self._context
        return Context(
            app=app,
            auth=auth,
            http_factory=context.http,
            workers=context.workers,
            now=context.clock(),
            network=await context.http.network.policy(connection_id=auth.id, entering=not stored),
        )

    async def add_verified(self, app: App, data: JsonObject, *, started_by_admin: bool = True) -> Connection:
        """Store a verified connection.

        `started_by_admin`: whether a user with full rights entered its values.
        """
        now = self._context.clock()
        approved = self._context.full_rights and started_by_admin
        fresh = Connection(
            id=ConnectionId(str(uuid4())), app_key=app.app_key, created_at=now, approved=approved
        )
        return await self._insert(with_verified_credentials(fresh, app, data, now), data)

    async def _insert(self, connection: Connection, data: JsonObject) -> Connection:
        owner = self._context.owner_id
        connection = connection.model_copy(update={"user_id": owner})
        sealed = await self._context.secrets.seal(connection.id, data)

        def store(tx: Tx) -> None:
            connections.add(tx, connection, owner)
            secrets.put(tx, sealed)

        await self._context.commit(store, AuditAction.CREATED, ResourceType.CONNECTION, connection.id)
        self._context.secrets.mark_committed(sealed)
        self._context.changes.notify(ResourceType.CONNECTION, connection.id, action="created")
        return self._with_current_health(connection)

    async def replace_credentials(
        self, before: Connection, app: App, data: JsonObject, *, started_by_admin: bool = True
    ) -> Connection:
        """Replace credentials with verified ones, in one commit. `started_by_admin`: see `add_verified`."""
        approved = self._context.full_rights and started_by_admin
        after = with_verified_credentials(before, app, data, self._context.clock()).model_copy(
            update={"approved": approved}
        )
        if screen_name(data) == screen_name(await self.stored_auth_data(before.id)):
            after = with_name(after, before.screen_name)  # it may have been renamed since
        sealed = await self._context.secrets.seal(before.id, data)

        full_rights = self._context.full_rights  # read here, because the writer thread has no actor

        def swap(tx: Tx) -> Connection:
            # Reconnecting the connection of invitation mail would redirect the invitations.
            if not full_rights and read_service_settings(tx).mail_connection_id == before.id:
                raise Forbidden(
                    "Invitations are mailed with this connection, so only an admin can reconnect it.",
                    meaning="The new account or server would receive every invitation.",
                    todo="Ask an admin to reconnect it, or to choose another connection for invitations.",
                )
            connections.put(tx, after)
            secrets.put(tx, sealed)
            return connections.get(tx, before.id)

        swapped = await self._context.commit(
            swap, AuditAction.RECONNECTED, ResourceType.CONNECTION, before.id
        )
        self._context.secrets.mark_committed(sealed)
        self._unreachable.pop(before.id, None)
        await self._context.secrets.delete_unused_items()
        return self._announce(swapped)

    async def _change(
        self, connection_id: ConnectionId, values: Mapping[str, object], audit_action: AuditAction | None
    ) -> Connection:
        """Change columns of a connection, with an audit log entry if there is an `audit_action`."""
        changes = {**values, "updated_at": self._context.clock()}

        def store(tx: Tx) -> Connection:
            connections.put(tx, connections.get(tx, connection_id).model_copy(update=changes))
            return connections.get(tx, connection_id)

        if audit_action is None:
            return self._announce(await self._context.db.write(store))
        return self._announce(
            await self._context.commit(store, audit_action, ResourceType.CONNECTION, connection_id)
        )

    def _announce(self, connection: Connection) -> Connection:
        self._context.changes.notify(ResourceType.CONNECTION, connection.id)
        return self._with_current_health(connection)

    def _with_current_health(self, connection: Connection) -> Connection:
        current = with_expiry_health(connection, self._context.clock())
        if unreachable := self._unreachable.get(connection.id):
            at, why = unreachable
            current = current.model_copy(update={"unreachable": why, "unreachable_at": at})
        problem = self._context.secrets.problem_of(connection.id)
        if problem is None:
            return current
        known: dict[str, object] = {"secrets_problem": problem.text()}
        if problem.reason in PERMANENT_REASONS:
            known |= {"health": ConnectionHealth.NEEDS_ATTENTION, "reason": problem.text()}
        return current.model_copy(update=known)


class TestableConnections(Protocol):
    """The part of a workspace that `ConnectionHealthMonitor` uses."""

    async def list_connections(self) -> tuple[Connection, ...]: ...
    async def test_connection_in_background(self, connection_id: ConnectionId) -> Connection:
        """Test a connection without an entry in the audit log."""
        ...


class ConnectionHealthMonitor:
    """Tests connections whose last test is older than `interval_hours()`; 0 turns it off.

    A service that couldn't be reached, also in a manual test, is tested again at the next check. Until then
    its connections keep their health.
    """

    def __init__(
        self,
        connections: TestableConnections,
        clock: Callable[[], EpochMs],
        interval_hours: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._connections = connections
        self._clock = clock
        self._interval_hours = interval_hours
        self._sleep = sleep

    async def run(self) -> None:
        """Test due connections every `CHECK_INTERVAL_SECONDS`, until cancelled."""
        await self._sleep(FIRST_TEST_DELAY_SECONDS)
        while True:
            await self.test_due_connections()
            await self._sleep(CHECK_INTERVAL_SECONDS)

    async def test_due_connections(self) -> None:
        """Test the connections that are due, one after another."""
        if self._interval_hours() <= 0:
            return
        try:
            for connection in await self._connections.list_connections():
                age = self._clock() - (connection.tested_at or 0)
                if connection.unreachable is not None or age >= self._interval_hours() * HOUR_MS:
                    await self._test(connection)
                    await self._sleep(PAUSE_BETWEEN_TESTS_SECONDS)
        except SecretsUnavailable as problem:
            log.info("connections are not tested: %s", problem.happened)
        except AppError as problem:
            log.warning("testing connections stopped: %s", problem.text())

    async def _test(self, connection: Connection) -> None:
        try:
            await self._connections.test_connection_in_background(connection.id)
        except SecretsUnavailable:
            raise  # it would be the same for the next connection
        except AppError as problem:
            log.info("connection %s could not be tested: %s", connection.id, problem.happened)
