"""Renews tokens before they expire and after a 401, one renewal at a time per connection.

With rotating tokens, two concurrent renewals invalidate each other. So a renewal locks the connection and
re-reads the stored tokens first; if they have changed, it uses them. New tokens are stored before they are
used, and only if the stored ones are still those that were read.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from patchbay.domain.base import ConnectionId, EpochMs, Json, JsonObject
from patchbay.domain.errors import AppError, ThirdPartyError
from patchbay.domain.ports import Credentials
from patchbay.integration.app_definition import App, ContextFunction
from patchbay.integration.context import CurrentAuth
from patchbay.integration.oauth_messages import is_revoked
from patchbay.integration.urls import service_name

if TYPE_CHECKING:
    from patchbay.integration.context import Context

RENEWAL_REJECTED_KEY = "renewalRefused"
"""Auth data: the message of a permanent rejection. No further renewals are tried."""
RENEWAL_MARGIN_MS = 60_000
RENEWAL_SHARE = 0.8


async def stored_auth(
    credentials: Credentials, connection_id: ConnectionId, app: App | None = None
) -> CurrentAuth:
    """The renewable auth of a stored connection. `app`: its app, if it isn't the step's.

    Raises `NotFound` or `SecretsUnavailable`.
    """

    async def save(changed: JsonObject) -> None:
        await credentials.save(connection_id, changed)

    return CurrentAuth(
        id=connection_id,
        data=await credentials.load(connection_id),
        save=save,
        app=app,
        stored=StoredCredentials(credentials, connection_id),
    )


class StoredCredentials:
    """The storage of a connection's auth data, as needed for renewal."""

    def __init__(self, credentials: Credentials, connection_id: ConnectionId) -> None:
        self._credentials, self._id = credentials, connection_id

    async def load(self) -> JsonObject:
        return await self._credentials.load(self._id)

    async def replace(self, before: JsonObject, after: JsonObject) -> bool:
        return await self._credentials.replace(self._id, before, after)

    async def mark_invalid(self, reason: str) -> None:
        await self._credentials.mark_invalid(self._id, reason)


class TokenRenewer:
    """Renews tokens, with one lock per connection. One instance per event loop.

    `exclusively` keeps other programs that share the database from renewing the same connection.
    """

    def __init__(self) -> None:
        self.exclusively: Callable[[str], AbstractAsyncContextManager[None]] = lambda name: nullcontext()
        self._locks: dict[ConnectionId, asyncio.Lock] = {}
        self._running: set[asyncio.Task[bool]] = set()

    async def renew_if_due(self, ctx: "Context") -> None:
        """Renew credentials about to expire. Ignores temporary failures while the old token is valid."""
        data = ctx.auth.data
        _raise_if_renewal_rejected(ctx, data)
        if not is_renewal_due(data, ctx.now):
            return
        try:
            await self.renew(ctx, data)
        except AppError:
            ends = data.get("expiresAt")
            has_expired = isinstance(ends, (int, float)) and ctx.now >= ends
            if has_expired or ctx.auth.data.get(RENEWAL_REJECTED_KEY):
                raise

    async def renew(self, ctx: "Context", used: JsonObject) -> bool:
        """Renew the credentials after `used` was rejected. Returns False if that isn't possible."""
        app = ctx.auth.app or ctx.app
        refresh = app.auth.refresh_token if app.auth else None
        if refresh is None or not ctx.auth.can_renew:
            return False
        if ctx.auth.stored is None or ctx.auth.id is None:
            after = await _request_new_tokens(ctx, refresh)
            await ctx.auth.set(**after)
            return after != used
        # A separate task: if cancelled between the response and the commit, it would lose the new token.
        task = asyncio.create_task(self._renew_with_lock(ctx, ctx.auth.id, ctx.auth.stored, refresh, used))
        self._running.add(task)
        task.add_done_callback(self._on_done)
        return await asyncio.shield(task)

    async def wait_until_idle(self) -> None:
        """Wait until all renewals have finished."""
        while self._running:
            await asyncio.wait(self._running)

    async def _renew_with_lock(
        self,
        ctx: "Context",
        connection_id: ConnectionId,
        stored: StoredCredentials,
        refresh: ContextFunction,
        used: JsonObject,
    ) -> bool:
        async with self._locks.setdefault(connection_id, asyncio.Lock()):
            if ctx.auth.data is not used:
                return True
            async with self.exclusively(f"renewal of {connection_id}"):
                return await _renew_stored(ctx, stored, refresh)

    def _on_done(self, task: asyncio.Task[bool]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # the caller may have been cancelled


def is_renewal_due(data: Mapping[str, Json], now: EpochMs) -> bool:
    """Whether 80 % of a token's lifetime has passed, or it expires within a minute."""
    ends, issued = data.get("expiresAt"), data.get("obtainedAt")
    if not isinstance(ends, (int, float)) or not isinstance(issued, (int, float)):
        return False
    due_at = issued + (ends - issued) * RENEWAL_SHARE
    if ends - issued > 2 * RENEWAL_MARGIN_MS:
        due_at = min(due_at, ends - RENEWAL_MARGIN_MS)
    return now >= due_at


async def _renew_stored(ctx: "Context", stored: StoredCredentials, refresh: ContextFunction) -> bool:
    before = await stored.load()
    _raise_if_renewal_rejected(ctx, before)
    if before != ctx.auth.data:
        ctx.auth.data = before  # another renewal was faster
        return True
    try:
        after = await _request_new_tokens(ctx, refresh)
    except ThirdPartyError as error:
        if not is_revoked(error):
            raise
        return await _handle_rejection(ctx, stored, before, error)
    if after == before:
        return False
    was_stored = await stored.replace(before, after)
    ctx.auth.data = after if was_stored else await stored.load()
    return True


async def _handle_rejection(
    ctx: "Context", stored: StoredCredentials, before: JsonObject, error: ThirdPartyError
) -> bool:
    """Use the tokens another renewal has stored; otherwise mark the connection as expired."""
    rejected_data = {**before, RENEWAL_REJECTED_KEY: error.said or error.happened}
    if not await stored.replace(before, rejected_data):
        ctx.auth.data = await stored.load()
        _raise_if_renewal_rejected(ctx, ctx.auth.data)
        return True
    ctx.auth.data = rejected_data
    grant_error = _renewal_rejected_error(ctx, error.said)
    await stored.mark_invalid(grant_error.happened)
    raise grant_error


async def _request_new_tokens(ctx: "Context", refresh: ContextFunction) -> JsonObject:
    """The auth data after the app's refresh method. It gets a copy of `ctx`, so it doesn't store anything."""
    auth = CurrentAuth(id=ctx.auth.id, data=dict(ctx.auth.data), can_renew=False)
    await refresh(replace(ctx, app=ctx.auth.app or ctx.app, auth=auth))
    return auth.data


def _raise_if_renewal_rejected(ctx: "Context", data: Mapping[str, Json]) -> None:
    if reason_text := data.get(RENEWAL_REJECTED_KEY):
        raise _renewal_rejected_error(ctx, str(reason_text))


def _renewal_rejected_error(ctx: "Context", said: str) -> ThirdPartyError:
    app = ctx.auth.app or ctx.app
    return ThirdPartyError(
        app=service_name(app, str(ctx.auth.data.get("baseUrl") or "")),
        said=said,
        meaning=(
            "The service no longer accepts this sign-in: access was revoked, or the token was used elsewhere."
        ),
        todo="Reconnect.",
        details={"error": "invalid_grant"},
        rejects_credentials=True,
    )
