"""Browser sign-ins (OAuth): begin, accept the callback once, verify, and only then store the connection."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

from patchbay.domain.apps import AuthInfo
from patchbay.domain.base import AppKey, ConnectionId, EpochMs, JsonObject
from patchbay.domain.clock import DAY_MS, MINUTE_MS
from patchbay.domain.connections import Connection, DeviceCode, SignIn
from patchbay.domain.errors import Conflict, NotFound, NotSupported, TimedOut, ValidationFailed
from patchbay.integration.app_definition import App
from patchbay.integration.context import CurrentAuth
from patchbay.integration.oauth import REDIRECT_FIELD
from patchbay.integration.outgoing_addresses import AddressPolicy
from patchbay.service.connections import Connections
from patchbay.service.service_context import ServiceContext
from patchbay.service.verification import (
    auth_of,
    merge_form_values,
    require_same_account,
    translate_app_errors,
    verified,
    without_grant,
    without_sign_in_data,
)
from patchbay.storage.repositories import sign_ins
from patchbay.storage.repositories.sign_ins import PendingSignIn

SIGN_IN_TIMEOUT_MS = 10 * MINUTE_MS
DRAFT_LIFETIME_MS = DAY_MS
_MAX_QUERY_FIELDS = 50


@dataclass
class _ActiveSignIn:
    """A sign-in in progress: waiting for the browser, being verified, or being stored."""

    since: EpochMs
    verified: asyncio.Future[JsonObject]
    checking: asyncio.Task[None] | None = None
    storing: asyncio.Task[Connection] | None = None
    network: AddressPolicy | None = None
    """Where the verification may connect to; None for a sign-in started before a restart."""
    started_by_admin: bool = False
    """Whether a user with full rights entered the values of the form."""

    @property
    def is_stored(self) -> bool:
        return self.storing is not None and self.storing.done() and not self.storing.exception()

    def end(self) -> None:
        """Cancel the verification; callers that wait for it get `NotFound`."""
        if self.checking is not None:
            self.checking.cancel()
        if not self.verified.done():
            self.verified.set_exception(NotFound("This sign-in was cancelled."))
            self.verified.exception()  # counts as retrieved, also if the loop closes before its callbacks run


class SignIns:
    """Connects and reconnects accounts by signing in in the browser."""

    def __init__(self, context: ServiceContext, connections: Connections) -> None:
        self._context = context
        self._connections = connections
        self._sign_ins: dict[str, _ActiveSignIn] = {}
        self._claiming = asyncio.Lock()
        """Held from the claim of a redirect until its verification has started."""

    async def begin_sign_in(
        self, app_key: AppKey, values: JsonObject, connection_id: ConnectionId | None = None
    ) -> SignIn:
        """Prepare a sign-in and store its draft, encrypted, for ten minutes.

        A workspace that is offline simulates what people do in the browser.
        """
        app = self._context.apps.get(app_key)
        auth_data = await self._auth_data_for(app, values, connection_id)
        auth = auth_of(app)
        info = AuthInfo(uses_browser=auth.generate_auth_url is not None, browser_if=auth.browser_if)
        if auth.generate_auth_url is None or not info.needs_browser(auth_data):
            raise NotSupported(
                f"{app.name} doesn't use a browser sign-in.",
                feature="connections",
                todo="Enter its credentials instead.",
            )
        generate = auth.generate_auth_url
        await self._context.secrets.require()
        await self.delete_old_drafts()
        now = self._context.clock()
        ctx = await self._connections.app_context(app, CurrentAuth(id=connection_id, data=auth_data))
        with translate_app_errors(ctx):
            await generate(ctx)
        is_device_flow = bool(ctx.auth.data.get("deviceCode"))
        if not is_device_flow and not auth_data.get(REDIRECT_FIELD):
            raise Conflict(
                "The browser can't return from the sign-in.",
                meaning="This workspace isn't listening for requests.",
                todo="Start the server with “patchbay serve”, or open the window, then try again.",
            )
        pending = await self._store_draft(app, ctx.auth.data, connection_id, now)
        active = self._active_sign_in(pending.id)
        active.network, active.started_by_admin = ctx.address_policy, self._context.full_rights
        if is_device_flow:
            self._verify(pending.id, app, ctx.auth.data)
        elif (offline := self._context.http.network.offline) is not None:
            await self.handle_redirect(offline.visit_sign_in_page(str(ctx.auth.data["url"])))
            return _describe(pending, ctx.auth.data, offline.sign_in_notice)
        return _describe(pending, ctx.auth.data, self._context.workspace.notice())

    async def handle_redirect(self, query: Mapping[str, str]) -> bool:
        """Handle the redirect's query. Returns False if no sign-in is waiting for it."""
        state_hash = _hash_state(_state_of(query))
        now = self._context.clock()
        async with self._claiming:
            pending = await self._context.db.write(lambda tx: sign_ins.claim(tx, state_hash, now))
            if pending is None:
                return False
            data = await self._context.secrets.unseal(pending.sealed)
            app = self._context.apps.get(pending.app_key)
            self._verify(pending.id, app, {**data, "callback": dict(query)})
        return True

    async def finish_sign_in(self, sign_in_id: str, *, accept_other_account: bool = False) -> Connection:
        """Wait for the redirect and the verification, then store. Can be cancelled and called again."""
        earlier = self._sign_ins.get(sign_in_id)
        if earlier is not None and earlier.storing is not None and earlier.is_stored:
            return await self._connections.get_connection(earlier.storing.result().id)
        pending = await self._context.db.read(lambda tx: sign_ins.get(tx, sign_in_id))
        active = self._active_sign_in(sign_in_id)
        if pending.answered_at and active.checking is None:
            async with self._claiming:  # the redirect may have arrived just now
                pass
        if pending.answered_at and active.checking is None:
            raise Conflict(
                "This sign-in was interrupted.",
                meaning="Patchbay was closed while it was being verified.",
                todo="Start it again.",
            )
        data = await self._wait_for_verification(active, pending)
        if active.storing is None or (active.storing.done() and not active.is_stored):
            active.storing = asyncio.create_task(self._store(pending, data, accept_other_account))
            active.storing.add_done_callback(_ignore_exception)
        return await asyncio.shield(active.storing)

    async def submit_callback(self, sign_in_id: str, address: str) -> None:
        """Complete the sign-in with the URL from the browser's address bar, without a redirect."""
        await self._context.db.read(lambda tx: sign_ins.get(tx, sign_in_id))
        query = _read_address(address)
        if not _state_of(query) or len(query) == 1:
            raise ValidationFailed(
                {"address": ["Paste the full address of the page where the sign-in ended."]},
                meaning="It contains “code=” and “state=”.",
            )
        pending = await self._context.db.read(lambda tx: sign_ins.get(tx, sign_in_id))
        if pending.state_hash != _hash_state(_state_of(query)) or not await self.handle_redirect(query):
            raise ValidationFailed(
                {"address": ["This address belongs to another sign-in, or has already been used."]},
                todo="Start the sign-in again, then paste the address where it ends.",
            )

    async def cancel_sign_in(self, sign_in_id: str) -> None:
        """Delete a sign-in. Callers that wait for it get `NotFound`."""
        await self._delete_draft(sign_in_id)
        active = self._sign_ins.pop(sign_in_id, None)
        if active is not None:
            active.end()

    def close(self) -> None:
        """Cancel all sign-ins, as the workspace closes."""
        for active in self._sign_ins.values():
            active.end()
        self._sign_ins.clear()

    async def _auth_data_for(
        self, app: App, values: JsonObject, connection_id: ConnectionId | None
    ) -> JsonObject:
        """The values of the form; when reconnecting, over the stored values without the last tokens."""
        stored = None
        if connection_id is not None:
            before = await self._connections.stored(connection_id)
            if before.app_key != app.key:
                raise ValidationFailed({"connectionId": ["This connection belongs to another app."]})
            stored = without_grant(await self._connections.stored_auth_data(connection_id))
        auth_data = merge_form_values(app, values, stored)
        if any(field.key == REDIRECT_FIELD for field in auth_of(app).fields):
            auth_data[REDIRECT_FIELD] = self._context.workspace.redirect_url()
        return auth_data

    async def _store_draft(
        self, app: App, data: JsonObject, connection_id: ConnectionId | None, now: EpochMs
    ) -> PendingSignIn:
        sign_in_id = str(uuid4())
        state = data.get("state")
        device_expires_at = data.get("deviceExpiresAt")
        expires_at = now + SIGN_IN_TIMEOUT_MS
        if isinstance(device_expires_at, (int, float)):
            expires_at = int(device_expires_at)
        pending = PendingSignIn(
            id=sign_in_id,
            app_key=app.app_key,
            connection_id=connection_id,
            state_hash=_hash_state(str(state)) if state else None,
            created_at=now,
            expires_at=expires_at,
            answered_at=None,
            sealed=await self._context.secrets.seal(ConnectionId(sign_in_id), data),
        )
        await self._context.db.write(lambda tx: sign_ins.add(tx, pending))
        self._context.secrets.mark_committed(pending.sealed)
        return pending

    def _active_sign_in(self, sign_in_id: str) -> _ActiveSignIn:
        active = self._sign_ins.get(sign_in_id)
        if active is None:
            active = _ActiveSignIn(self._context.clock(), asyncio.get_running_loop().create_future())
            active.verified.add_done_callback(_ignore_exception)
            self._sign_ins[sign_in_id] = active
        return active

    def _verify(self, sign_in_id: str, app: App, data: JsonObject) -> None:
        """Start the verification as a task of its own: codes work once, so callers mustn't cancel it."""
        active = self._active_sign_in(sign_in_id)
        # The redirect has no actor, so the permissions of the user who started the sign-in apply.
        network = active.network or self._context.http.network.strictest

        async def check() -> None:
            try:
                ctx = await self._connections.app_context(app, CurrentAuth(data=data))
                ctx.network = network
                found = await verified(ctx)
            except Exception as error:  # noqa: BLE001  passed on to the waiting caller
                result: JsonObject | Exception = error
            else:
                result = without_sign_in_data(found)
            if not active.verified.done():
                if isinstance(result, Exception):
                    active.verified.set_exception(result)
                else:
                    active.verified.set_result(result)

        active.checking = asyncio.create_task(check(), name=f"sign-in-{app.key}")

    async def _wait_for_verification(self, active: _ActiveSignIn, pending: PendingSignIn) -> JsonObject:
        left = (pending.expires_at - self._context.clock()) / 1000
        try:
            async with asyncio.timeout(max(left, 0)):
                return await asyncio.shield(active.verified)
        except TimeoutError:
            if (
                active.checking is not None
            ):  # the browser was in time, and the verification has its own timeouts
                return await asyncio.shield(active.verified)
            raise TimedOut(
                "The sign-in timed out.",
                meaning="The page in the browser was closed, or couldn't return to Patchbay.",
                todo="Start it again. If the browser doesn't return, paste the address where it ends.",
            ) from None

    async def _store(
        self, pending: PendingSignIn, data: JsonObject, accept_other_account: bool
    ) -> Connection:
        app = self._context.apps.get(pending.app_key)
        trusted = self._active_sign_in(pending.id).started_by_admin
        if pending.connection_id is None:
            connection = await self._connections.add_verified(app, data, started_by_admin=trusted)
        else:
            before = await self._connections.stored(pending.connection_id)
            if not accept_other_account:
                require_same_account(before, app, data)
            connection = await self._connections.replace_credentials(
                before, app, data, started_by_admin=trusted
            )
        await self._delete_draft(pending.id)
        return connection

    async def _delete_draft(self, sign_in_id: str) -> None:
        await self._context.db.write(lambda tx: sign_ins.remove(tx, sign_in_id))
        await self._context.secrets.delete_unused_items()

    async def delete_old_drafts(self) -> None:
        """Delete drafts that weren't finished within a day. Called at each sign-in and every hour."""
        oldest_kept = self._context.clock() - DRAFT_LIFETIME_MS
        self._sign_ins = {key: item for key, item in self._sign_ins.items() if item.since >= oldest_kept}
        if await self._context.db.write(lambda tx: sign_ins.delete_older(tx, oldest_kept)):
            await self._context.secrets.delete_unused_items()


def _describe(pending: PendingSignIn, data: JsonObject, notice: str | None) -> SignIn:
    device = None
    if data.get("deviceCode"):
        device = DeviceCode(
            user_code=str(data["userCode"]),
            verification_url=str(data["verificationUrl"]),
            interval=int(str(data["pollInterval"])),
        )
    return SignIn(
        id=pending.id,
        app_key=pending.app_key,
        url=str(data["url"]),
        redirect_url=str(data.get(REDIRECT_FIELD) or ""),
        expires_at=pending.expires_at,
        device=device,
        notice=None if device else notice,
    )


def _state_of(query: Mapping[str, str]) -> str:
    """What identifies the sign-in in a redirect: the state, or in OAuth 1.0a the request token."""
    return str(query.get("state") or query.get("oauth_token") or query.get("denied") or "")


def _read_address(address: str) -> dict[str, str]:
    """What is in the address where the browser ended: in its query, or for some services after the #."""
    parts = urlsplit(address.strip())
    found: dict[str, str] = {}
    for text in (parts.fragment, parts.query):
        found |= dict(parse_qsl(text, max_num_fields=_MAX_QUERY_FIELDS))
    return found


def _hash_state(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()


def _ignore_exception(future: asyncio.Future[Any]) -> None:
    """Mark the exception as retrieved: a failed sign-in may have no waiting caller."""
    if not future.cancelled():
        future.exception()
