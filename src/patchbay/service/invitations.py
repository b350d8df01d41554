"""Inviting people, and accepting invitations.

An invitation link contains a token of 256 random bits; only its hash is stored. It works once, for 72 hours.
"""

import hashlib
import secrets
from urllib.parse import urlsplit
from uuid import uuid4

from patchbay.domain.access import NewApiKey, Scope
from patchbay.domain.audit_log import Actor, ActorKind, AuditAction, current_actor
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.errors import AppError, Conflict, NotFound
from patchbay.domain.outgoing import is_loopback
from patchbay.domain.people import Invitation, Role
from patchbay.service.api_key_manager import ApiKeyManager
from patchbay.service.api_keys import hash_key, new_key
from patchbay.service.mail import InvitationMailer
from patchbay.service.names import checked_email, checked_name
from patchbay.service.people import FULL_NAME_FIELD, email_taken_error, require_role
from patchbay.service.service_context import ServiceContext
from patchbay.service.service_settings import read_service_settings
from patchbay.storage.repositories import api_keys, invitations, users
from patchbay.storage.repositories.rows import Tx

INVITATION_PATH = "/accept-invitation"
TOKEN_BYTES = 32
LIFETIME_MS = 72 * HOUR_MS
_SEND_LINK_YOURSELF = "Send the link yourself; it won't be shown again."
_LOCAL_LINK_NOTICE = "Until a public address is set, the link only works on this computer."


class Invitations:
    """Invites people.

    An invitation is stored as a user who hasn't joined; revoking it frees the email address.
    """

    def __init__(self, context: ServiceContext, api_keys: ApiKeyManager, mailer: InvitationMailer) -> None:
        self._context = context
        self._api_keys = api_keys
        self._mailer = mailer

    async def list_invitations(self) -> tuple[Invitation, ...]:
        return await self._context.db.read(invitations.find)

    async def invite(self, full_name: str, email: str, role_id: str) -> Invitation:
        """Invite a person, as `Backend.invite`. Raises `Conflict` while the workspace has no address."""
        name = checked_name(full_name, FULL_NAME_FIELD)
        email = checked_email(email)
        role = require_role(role_id)
        base = self._context.workspace.invitation_address()
        if base is None:
            raise Conflict(
                "Invitation links need an address, and this workspace has none yet.",
                meaning="No invitation was created.",
                todo="Start the server (patchbay serve), open the window, or set a public address.",
            )
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

        await self._context.commit(work, AuditAction.DELETED, ResourceType.USER, user_id)
        return self._context.changes.notify(ResourceType.USER, user_id, action="deleted")

    async def invitation(self, token: str) -> Invitation:
        """Return the open invitation of this token. Raises `NotFound`."""
        return await self._context.db.read(lambda tx: self._find_open_invitation(tx, token))

    async def join(self, token: str) -> NewApiKey:
        """Accept an invitation and return the user's first API key. Raises `NotFound`."""
        person = await self.invitation(token)
        now, scope = self._context.clock(), person.role.scope if person.role else Scope.READ
        created = new_key(f"{person.full_name[:200]}, first key", scope, person.id, now)

        def work(tx: Tx) -> None:
            self._find_open_invitation(tx, token)
            invitations.revoke_link(tx, person.id)
            users.change(tx, person.id, now, status=users.ACTIVE)
            if not self._api_keys.has_separate_database:
                api_keys.add(tx, created.key, hash_key(created.value))

        caller = current_actor.get()
        previous_actor = current_actor.set(
            Actor(
                kind=ActorKind.INVITATION,
                name=person.full_name,
                user_id=person.id,
                address=caller.address if caller else None,
            )
        )
        try:
            await self._context.commit(work, AuditAction.JOINED, ResourceType.USER, person.id)
        finally:
            current_actor.reset(previous_actor)
        if self._api_keys.has_separate_database:
            await self._context.keys.add(created)
        self._context.changes.notify(ResourceType.USER, person.id)
        self._context.changes.notify(ResourceType.API_KEY, created.key.id, action="created")
        return created

    async def _store_invitation(self, name: str, email: str, role: Role, digest: str) -> Invitation:
        """Store an invitation; an earlier one to the same email address keeps its ID."""
        now, new_id = self._context.clock(), UserId(str(uuid4()))

        def work(tx: Tx) -> Invitation:
            known = users.find_by_email(tx, email)
            if known is not None and known.status != users.INVITED:
                raise email_taken_error(known)
            item = Invitation(
                id=known.id if known else new_id,
                full_name=name,
                email=email,
                role=role,
                created_at=now,
                updated_at=now,
                expires_at=now + LIFETIME_MS,
            )
            invitations.put(tx, item, digest)
            return invitations.get(tx, item.id)

        created = await self._context.commit(
            work, AuditAction.INVITED, ResourceType.USER, lambda done: done.id
        )
        self._context.changes.notify(
            ResourceType.USER, created.id, action="created" if created.id == new_id else "updated"
        )
        return created

    async def _mail_invitation(self, created: Invitation, digest: str) -> Invitation:
        """Email the link if mail is set up. The notice of the result says why it failed."""
        notice = None
        settings = await self._context.db.read(read_service_settings)
        if settings.mail_connection_id is None:
            notice = f"The invitation wasn't emailed: no mail connection is set up. {_SEND_LINK_YOURSELF}"
        else:
            try:
                await self._mailer.send(settings.mail_connection_id, created)
            except AppError as problem:
                notice = f"The invitation wasn't emailed: {problem.text()} {_SEND_LINK_YOURSELF}"
        if notice is None:
            await self._context.db.write(lambda tx: invitations.mailed(tx, created.id, digest))
            self._context.changes.notify(ResourceType.USER, created.id)
        notices = [
            notice,
            _LOCAL_LINK_NOTICE if _is_local_link(created.accept_invitation_url or "") else None,
        ]
        return created.model_copy(
            update={"mailed": notice is None, "notice": " ".join(filter(None, notices)) or None}
        )

    def _find_open_invitation(self, tx: Tx, token: str) -> Invitation:
        try:
            found = invitations.find_by_token(tx, _hash_token(token))
        except NotFound:
            raise NotFound(
                "This invitation is no longer valid.",
                meaning="It was accepted, revoked, or replaced by a newer one.",
                todo="Ask the person who invited you for a new link.",
            ) from None
        if found.expires_at is None or found.expires_at <= self._context.clock():
            raise NotFound(
                "This invitation has expired.",
                meaning="Invitation links work for 72 hours.",
                todo="Ask the person who invited you for a new link.",
            )
        return found


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _is_local_link(link: str) -> bool:
    """Whether the link leads to the reader's own computer: loopback addresses and names below `localhost`."""
    host = urlsplit(link).hostname or ""
    return is_loopback(host) or host.endswith(".localhost")
