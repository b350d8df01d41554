"""Inviting people, and what happens when they follow their link.

The link holds a token of 256 random bits; only its hash is stored. It counts once, for 72 hours.
"""

import asyncio
import hashlib
import logging
import secrets
from datetime import UTC, datetime
from html import escape
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import ValidationError

from patchbay.domain.access import NewApiKey, Scope
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, current_actor
from patchbay.domain.base import ConnectionId, EpochMs, Json, JsonObject, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import HOUR_MS, full_month_name
from patchbay.domain.connections import Connection
from patchbay.domain.errors import AppError, Conflict, NotFound, TimedOut, ValidationFailed
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.outgoing import is_loopback
from patchbay.domain.people import Invitation, Role
from patchbay.engine.step_errors import rejects_credentials
from patchbay.integration.app_definition import Action, App
from patchbay.integration.context import Context, CurrentAuth, CurrentStep
from patchbay.integration.registry import AppRegistry
from patchbay.integration.token_renewal import stored_auth
from patchbay.service.api_keys import hash_key, new_key
from patchbay.service.names import checked_email, checked_name
from patchbay.service.people import FULL_NAME_FIELD, PeopleOperations, email_taken_error, require_role
from patchbay.service.service_context import ServiceContext
from patchbay.service.verification import translate_app_errors
from patchbay.storage.repositories import api_keys, connections, invitations, meta, users
from patchbay.storage.repositories.rows import Tx

# MERGED: Letters of the program itself, sent by an action of an app with a connection of the
# workspace.

log = logging.getLogger(__name__)

SETTINGS_KEY = "service.settings"
"""Name in `meta`."""
SEND_MAIL_ACTION = "sendEmail"
"""The key of the action by which apps send mail."""
SEND_TIMEOUT_SECONDS = 60.0
"""How long a letter may take: somebody waits for it."""
OWNER_IS_NOT_ADMIN = "The connection's owner isn't an admin, and could read the invitations."
_SUBJECT = "Your invitation to Patchbay"
_TEXT = """Hello {name},

you are invited to Patchbay at {place}, as {role}.

Open this link to accept the invitation. It works once, until {until}:

{link}

If you didn't expect this, ignore this message. Nobody can join without the link.
"""
_HTML = """<div style="font: 15px/1.5 system-ui, sans-serif; max-width: 34em">
<p>Hello {name},</p>
<p>you are invited to Patchbay at <b>{place}</b>, as {role}.</p>
<p><a href="{link}" style="display: inline-block; padding: 10px 18px; border-radius: 8px;
 background: #4353d0; color: #ffffff; text-decoration: none">Accept invitation</a></p>
<p>The link works once, until {until}:<br><a href="{link}">{link}</a></p>
<p style="color: #505564">If you didn't expect this,
 ignore this message. Nobody can join without the link.</p>
</div>
"""


def read_service_settings(tx: Tx) -> ServiceSettings:
    """What was decided about the service of this workspace."""
    text = meta.get(tx, SETTINGS_KEY)
    if text is None:
        return ServiceSettings()
    try:
        return ServiceSettings.model_validate_json(text)
    except ValidationError as error:
        log.warning("the settings of the service cannot be read, so the usual ones hold: %s", error)
        return ServiceSettings()


async def send_invitation(
    context: ServiceContext, connection_id: ConnectionId, invitation: Invitation
) -> None:
    """Mail the link of an invitation. Raises `AppError` kinds when the letter was not taken."""
    words = _template_values(invitation)
    message: JsonObject = {
        "to": invitation.email, "subject": _SUBJECT, "body": _TEXT.format(**words),
        "html": _HTML.format(**{key: escape(text) for key, text in words.items()}),
    }  # fmt: skip
    await _send(context, connection_id, message)


async def _send(context: ServiceContext, connection_id: ConnectionId, message: JsonObject) -> None:
    app, action = await _mail_app(context, connection_id)
    await context.vault.require()
    auth = await stored_auth(context.credentials, connection_id)
    owner = await context.db.read(lambda tx: users.get(tx, context.owner))
    sender: JsonObject = {"fromName": "Patchbay", "fromEmail": _sender_address(auth, owner.email)}
    ctx = Context(
        app=app, auth=auth, step=CurrentStep(app_key=app.key, parameters={**sender, **message}),
        http_factory=context.http, workers=context.workers, now=context.clock(),
        network=await context.http.network.policy(connection_id=connection_id),
    )  # fmt: skip
    try:
        async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
            with translate_app_errors(ctx):
                await action.run(ctx)
    except TimeoutError:
        raise TimedOut(
            f"The mail server did not take the letter within {SEND_TIMEOUT_SECONDS:g} seconds."
        ) from None
    except AppError as error:
        if rejects_credentials(error):
            await context.credentials.mark_invalid(connection_id, error.happened)
        raise


async def _mail_app(context: ServiceContext, connection_id: ConnectionId) -> tuple[App, Action]:
    try:
        connection, trusted = await context.db.read(lambda tx: _connection_with_trust(tx, connection_id))
    except NotFound:
        raise _unusable_mail_connection(
            "The mail connection that was chosen is not there any more."
        ) from None
    if not trusted:
        raise _unusable_mail_connection(OWNER_IS_NOT_ADMIN)
    if not can_send_mail(context.apps, connection.app_key):
        raise _unusable_mail_connection(f"The connection “{connection.screen_name}” cannot send mail.")
    return context.apps.get(connection.app_key), context.apps.action(connection.app_key, SEND_MAIL_ACTION)


def belongs_to_admin(tx: Tx, connection: Connection) -> bool:
    """Whether letters may go through it: whoever can change a connection reads what is sent with it."""
    return connection.user_id is None or connection.user_id in users.admin_ids(tx)


def _connection_with_trust(tx: Tx, connection_id: ConnectionId) -> tuple[Connection, bool]:
    found = connections.get(tx, connection_id)
    return found, belongs_to_admin(tx, found)


def can_send_mail(apps: AppRegistry, app_key: str) -> bool:
    """Whether connections of this app can send mail."""
    try:
        apps.action(app_key, SEND_MAIL_ACTION)
    except NotFound:
        return False
    return True


def _unusable_mail_connection(words: str) -> ValidationFailed:
    return ValidationFailed(
        {"mailConnectionId": [words]}, happened=words,
        todo="Choose another mail connection in the settings of the service.",
    )  # fmt: skip


def _sender_address(auth: CurrentAuth, owner_email: str) -> str:
    """The address of the account, or else that of the workspace's owner, when it is one of the world."""
    username: Json = auth.data.get("username")
    for address in (str(username or "").strip(), owner_email):
        if "." in address.rpartition("@")[2] and "@" in address:
            return address
    raise _unusable_mail_connection(
        "The user name of the mail connection is no e-mail address, so there is no sender."
    )


def _template_values(invitation: Invitation) -> dict[str, str]:
    link = invitation.accept_invitation_url or ""
    until = datetime.fromtimestamp((invitation.expires_at or 0) / 1000, UTC)
    return {
        "name": invitation.full_name, "place": urlsplit(link).netloc, "link": link,
        "role": invitation.role.name if invitation.role else "",
        "until": f"{until.day} {full_month_name(until)} {until:%Y, %H:%M} UTC",
    }  # fmt: skip


INVITATION_PATH = "/accept-invitation"
TOKEN_BYTES = 32
LIFETIME_MS = 72 * HOUR_MS
_SEND_LINK_YOURSELF = "Give the link to them yourself; it is shown this once."
_LOCAL_LINK_NOTICE = "The link works on this computer only, until a public address is set."


class InvitationOperations(PeopleOperations):
    """People who are asked in. An invitation is the person to be; withdrawing it frees the address."""

    async def list_invitations(self) -> tuple[Invitation, ...]:
        return await self._db.read(invitations.find)

    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        """As `Backend.invite`. Raises `Conflict` while there is no address that a link could lead to."""
        name, email, role = (
            checked_name(full_name, FULL_NAME_FIELD),
            checked_email(email),
            require_role(role_id),
        )
        base = self._require_address()
        token = secrets.token_hex(TOKEN_BYTES)
        created = await self._store_invitation(name, email, role, _hash_token(token))
        link = f"{base.rstrip('/')}{INVITATION_PATH}?token={token}"
        return await self._mail_invitation(
            created.model_copy(update={"accept_invitation_url": link}), _hash_token(token)
        )

    async def revoke_invitation(self, user_id: UserId) -> Change:
        def work(tx: Tx) -> None:
            invitations.get(tx, user_id)
            invitations.remove(tx, user_id)

        await self._commit(work, AuditAction.DELETED, ResourceType.USER, user_id)
        return self._changes.notify(ResourceType.USER, user_id, action="deleted")

    async def invitation(self, token: str) -> Invitation:
        return await self._db.read(lambda tx: self._find_open_invitation(tx, token))

    async def join(self, token: str) -> NewApiKey:
        person = await self.invitation(token)
        now, scope = self._clock(), person.role.scope if person.role else Scope.READ
        created = new_key(f"{person.full_name[:200]}, first key", scope, person.id, now)

        def work(tx: Tx) -> None:
            self._find_open_invitation(tx, token)
            invitations.revoke_link(tx, person.id)
            users.change(tx, person.id, now, status=users.ACTIVE)
            if not self._has_separate_key_database:
                api_keys.add(tx, created.key, hash_key(created.value))

        previous_actor = current_actor.set(_invitation_actor(person, current_actor.get()))
        try:
            await self._commit(work, AuditAction.JOINED, ResourceType.USER, person.id)
        finally:
            current_actor.reset(previous_actor)
        if self._has_separate_key_database:
            await self._service_context.keys.add(created)
        self._changes.notify(ResourceType.USER, person.id)
        self._changes.notify(ResourceType.API_KEY, created.key.id, action="created")
        return created

    async def _store_invitation(self, name: str, email: str, role: Role, digest: str) -> Invitation:
        """Stored, under the id of an earlier invitation to the same address."""
        now, new_id = self._clock(), str(uuid4())

        def work(tx: Tx) -> Invitation:
            known = users.find_by_email(tx, email)
            if known is not None and known.status != users.INVITED:
                raise email_taken_error(known)
            item = Invitation(
                id=known.id if known else new_id, full_name=name, email=email, role=role,
                created_at=now, updated_at=now, expires_at=now + LIFETIME_MS,
            )  # fmt: skip
            invitations.put(tx, item, digest)
            return invitations.get(tx, item.id)

        created = await self._commit(work, AuditAction.INVITED, ResourceType.USER, lambda done: done.id)
        self._changes.notify(
            ResourceType.USER, created.id, action="created" if created.id == new_id else "updated"
        )
        return created

    async def _mail_invitation(self, created: Invitation, digest: str) -> Invitation:
        """Mail the link when mail is set up. A failure is told in the invitation's notice."""
        notice = None
        settings = await self._db.read(read_service_settings)
        if settings.mail_connection_id is None:
            notice = f"It was not mailed: no mail connection is chosen for that. {_SEND_LINK_YOURSELF}"
        else:
            try:
                await send_invitation(self._service_context, settings.mail_connection_id, created)
            except AppError as problem:
                notice = f"It was not mailed: {problem.text()} {_SEND_LINK_YOURSELF}"
        if notice is None:
            await self._db.write(lambda tx: invitations.mailed(tx, created.id, digest))
            self._changes.notify(ResourceType.USER, created.id)
        notices = [
            notice,
            _LOCAL_LINK_NOTICE if _is_local_link(created.accept_invitation_url or "") else None,
        ]
        return created.model_copy(
            update={"mailed": notice is None, "notice": " ".join(filter(None, notices)) or None}
        )

    def _require_address(self) -> str:
        address = self._service_context.workspace.invitation_address()
        if address is None:
            raise Conflict(
                "There is no address yet that the link of an invitation could lead to.",
                meaning="Nobody was invited.",
                todo="Start the service (patchbay serve) or open the window, or set a public address.",
            )
        return address

    def _find_open_invitation(self, tx: Tx, token: str) -> Invitation:
        try:
            found = invitations.find_by_token(tx, _hash_token(token))
        except NotFound:
            raise NotFound(
                "This invitation does not work any more.",
                meaning="It was used, withdrawn, or replaced by a newer one.",
                todo="Ask whoever invited you for a new link.",
            ) from None
        if _is_expired(found, self._clock()):
            raise NotFound(
                "This invitation has run out.", meaning="Its link worked for 72 hours.",
                todo="Ask whoever invited you for a new link.",
            )  # fmt: skip
        return found


def _is_expired(item: Invitation, now: EpochMs) -> bool:
    return item.expires_at is None or item.expires_at <= now


def _invitation_actor(person: Invitation, current_actor: Actor | None) -> Actor:
    return Actor(
        kind=ActorKind.INVITATION, name=person.full_name, user_id=person.id,
        address=current_actor.address if current_actor else None,
    )  # fmt: skip


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _is_local_link(link: str) -> bool:
    """Whether browsers look for the page on their own computer, as they do for names below `localhost`."""
    host = urlsplit(link).hostname or ""
    return is_loopback(host) or host.endswith(".localhost")
