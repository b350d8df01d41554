"""Ends the sign-ins of deleted connections at their services, so that their tokens become invalid."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextvars import Context as ContextVars
from weakref import WeakValueDictionary

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import AppKey, ConnectionId, EpochMs, JsonObject, UserId
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import DAY_MS
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, NotFound, SecretsUnavailable, TimedOut
from patchbay.domain.fields import AuthField
from patchbay.integration import urls
from patchbay.integration.app_definition import App
from patchbay.integration.context import CurrentAuth
from patchbay.integration.oauth import OAuth2, oauth2_of
from patchbay.service.connections import Connections
from patchbay.service.service_context import ServiceContext
from patchbay.service.verification import is_inconclusive, translate_app_errors, without_grant
from patchbay.storage.repositories import connections, secrets
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.repositories.secrets import Sealed

UNDO_MS = 60_000
"""How long a deleted connection keeps its sign-in, so that restoring it makes its flows work again."""
TRY_AGAIN_MS = DAY_MS
"""How long after the deletion a service that can't be reached is tried again, once an hour."""
TIMEOUT_SECONDS = 10.0
SIGNED_OUT = "Its sign-in was ended after it was deleted. Reconnect."

_log = logging.getLogger(__name__)


class SignOuts:
    """Ends sign-ins a minute after their connections were deleted, if the services can do that.

    A sign-in that another connection uses stays: most services end everything that an account has granted
    to a client. Afterwards, a restored connection has to be reconnected.
    """

    def __init__(
        self,
        context: ServiceContext,
        connections: Connections,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._context = context
        self._connections = connections
        self._sleep = sleep
        self._owner_locks: WeakValueDictionary[UserId | None, asyncio.Lock] = WeakValueDictionary()
        self._retry_later: set[ConnectionId] = set()
        self._timers: set[asyncio.Task[None]] = set()

    def schedule(self) -> None:
        """End the sign-in of a connection that was just deleted, once the deletion can't be undone."""

        async def wait() -> None:
            await self._sleep(UNDO_MS / 1000)
            try:
                await self._sign_out_deleted(retry=False)
            except AppError as problem:
                _log.warning("Deleted connections couldn't be signed out: %s", problem.text())

        # Without the actor of the deletion: it's Patchbay that does this.
        timer = asyncio.create_task(wait(), name="sign-out", context=ContextVars())
        self._timers.add(timer)
        timer.add_done_callback(self._timers.discard)

    async def close(self) -> None:
        """Stop waiting. Sign-ins that aren't ended yet are ended after the next start."""
        for timer in self._timers:
            timer.cancel()
        await asyncio.gather(*self._timers, return_exceptions=True)

    async def sign_out_deleted(self) -> None:
        """End the sign-ins of all connections that were deleted at least a minute ago."""
        await self._sign_out_deleted(retry=True)

    async def _sign_out_deleted(self, *, retry: bool) -> None:
        """As `sign_out_deleted`. `retry`: also those whose services couldn't be reached before.

        One connection of each owner at a time, so that those with slow services only delay others of the same
        owner.
        """
        before = self._context.clock() - UNDO_MS
        by_owner: dict[UserId | None, list[tuple[Connection, EpochMs]]] = {}
        for connection, at in await self._context.db.read(lambda tx: connections.find_deleted(tx, before)):
            by_owner.setdefault(connection.user_id, []).append((connection, at))

        async def sign_out_of(owner: UserId | None) -> None:
            async with self._owner_locks.setdefault(owner, asyncio.Lock()):
                for connection, at in by_owner[owner]:
                    if retry or connection.id not in self._retry_later:
                        await self._sign_out(connection, at)

        results = await asyncio.gather(*map(sign_out_of, by_owner), return_exceptions=True)
        for error in filter(None, results):
            raise error

    async def _sign_out(self, connection: Connection, deleted_at: EpochMs) -> None:
        app, oauth = self._find_oauth(connection.app_key)
        stored = await self._context.db.read(lambda tx: secrets.get_deleted(tx, connection.id))
        if app is None or oauth is None or stored is None:
            return
        try:
            data = await self._context.secrets.unseal(stored)
        except SecretsUnavailable:
            return
        has_tokens = data.get("accessToken") or data.get("refreshToken")
        if not has_tokens or not _revoke_url(oauth, data) or await self._is_shared(connection, oauth, data):
            return
        problem = await self._revoke(app, oauth, connection, data)
        self._retry_later.discard(connection.id)
        is_recent = self._context.clock() - deleted_at < TRY_AGAIN_MS
        if problem is not None and is_inconclusive(problem) and is_recent:
            self._retry_later.add(connection.id)
            _log.info("A deleted connection couldn't be signed out yet. %s", problem.text())
            return
        if problem is not None:
            _log.warning(
                "The deleted connection “%s” couldn't be signed out of %s: %s Remove the access of Patchbay "
                "in the account's settings there.",
                connection.screen_name,
                app.name,
                problem.text(),
            )
        kept = _without_tokens(oauth, data)
        await self._store_signed_out(connection.id, stored, kept, succeeded=problem is None)

    def _find_oauth(self, app_key: AppKey) -> tuple[App | None, OAuth2 | None]:
        """The app, and its OAuth if that has a way to end sign-ins."""
        try:
            app = self._context.apps.get(app_key)
        except NotFound:
            return None, None
        oauth = oauth2_of(app.auth) if app.auth else None
        return app, oauth if oauth is not None and oauth.revocation is not None else None

    async def _is_shared(self, connection: Connection, oauth: OAuth2, data: JsonObject) -> bool:
        """Whether another connection uses the same client and account, or an unknown account."""
        grant = _revoke_url(oauth, data), data.get(oauth.client_id_field)
        for other in await self._context.db.read(connections.find):
            _, others = self._find_oauth(other.app_key)
            if others is None:
                continue
            client_id = other.formatted_data.get(others.client_id_field)
            if (_revoke_url(others, other.formatted_data), client_id) != grant:
                continue
            if not other.account or not connection.account or other.account == connection.account:
                return True
        return False

    async def _revoke(
        self, app: App, oauth: OAuth2, connection: Connection, data: JsonObject
    ) -> AppError | None:
        """End the sign-in. Returns why it couldn't be ended."""
        auth = CurrentAuth(id=connection.id, data=data)
        ctx = await self._connections.app_context(app, auth, stored=True)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                with translate_app_errors(ctx):
                    await oauth.revoke(ctx)
        except TimeoutError:
            return TimedOut(f"{app.name} didn't respond within {TIMEOUT_SECONDS:.0f} seconds.")
        except AppError as error:
            return error
        return None

    async def _store_signed_out(
        self, connection_id: ConnectionId, stored: Sealed, data: JsonObject, *, succeeded: bool
    ) -> None:
        """Store the data without tokens, unless the connection has been restored and reconnected."""
        sealed = await self._context.secrets.seal(connection_id, data)
        now = self._context.clock()

        def replace(tx: Tx) -> None:
            current = secrets.get(tx, connection_id) or secrets.get_deleted(tx, connection_id)
            if current == stored:
                secrets.put(tx, sealed)
                connections.mark_signed_out(tx, connection_id, SIGNED_OUT, now)

        action = AuditAction.SIGNED_OUT if succeeded else AuditAction.SIGN_OUT_FAILED
        await self._context.commit(replace, action, ResourceType.CONNECTION, connection_id)
        self._context.secrets.mark_committed(sealed)
        await self._context.secrets.delete_unused_items()
        self._context.changes.notify(ResourceType.CONNECTION, connection_id)


def _without_tokens(oauth: OAuth2, data: JsonObject) -> JsonObject:
    """The auth data without what the sign-in set, except values that aren't secret, such as addresses."""
    tokens = {key for key in oauth.stores if AuthField(key=key, label=key).is_secret}
    return {key: value for key, value in without_grant(data).items() if key not in tokens}


def _revoke_url(oauth: OAuth2, data: JsonObject) -> str:
    """Where the sign-ins are ended; empty if nothing was entered for it."""
    return urls.fill_template(oauth.revocation.url, data) if oauth.revocation else ""
