"""The users of a workspace and their roles."""

import contextlib
from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import EpochMs, FlowId, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AlreadyTaken, Conflict, ValidationFailed
from patchbay.domain.people import EDITOR, ROLES, Role, User
from patchbay.service.api_key_manager import ApiKeyManager
from patchbay.service.names import checked_email, checked_name
from patchbay.service.publishing import Publishing
from patchbay.service.service_context import ServiceContext
from patchbay.storage.database import Database
from patchbay.storage.repositories import users
from patchbay.storage.repositories.rows import Tx

_REMOVAL_ATTEMPTS = 3

FULL_NAME_FIELD = "fullName"
"""Key of the name in `ValidationFailed`."""


class _FlowPublishedMeanwhile(Exception):
    """A request that began before the removal of its user has published a flow."""


async def ensure_owner(
    db: Database, clock: Callable[[], EpochMs], full_name: str = "Owner", email: str = "owner@localhost"
) -> User:
    """Return the owner of a local workspace: the first user of its database, created if there is none."""
    new_id, now = UserId(str(uuid4())), clock()
    async with db.exclusively("owner"):  # two servers may start for the first time together
        return await db.write(lambda tx: users.owner(tx, new_id, full_name, email, now))


class People:
    """Users and their roles. The owner of the workspace can't be removed, and one admin always remains."""

    def __init__(self, context: ServiceContext, publishing: Publishing, api_keys: ApiKeyManager) -> None:
        self._context = context
        self._publishing = publishing
        self._api_keys = api_keys

    async def list_users(self) -> tuple[User, ...]:
        return await self._context.db.read(users.find)

    async def list_roles(self) -> tuple[Role, ...]:
        return ROLES

    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        now = self._context.clock()
        person = User(
            id=UserId(str(uuid4())),
            full_name=checked_name(full_name, FULL_NAME_FIELD),
            email=checked_email(email),
            role=EDITOR if role_id is None else require_role(role_id),
            created_at=now,
            updated_at=now,
        )

        def work(tx: Tx) -> User:
            if known := users.find_by_email(tx, person.email):
                raise email_taken_error(known)
            return users.add(tx, person)

        await self._context.commit(work, AuditAction.CREATED, ResourceType.USER, person.id)
        self._context.changes.notify(ResourceType.USER, person.id, action="created")
        return person

    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        """Change the name or the role; their API keys get the permissions of the new role at once."""
        now, columns = self._context.clock(), dict[str, str]()
        if full_name is not None:
            columns["full_name"] = checked_name(full_name, FULL_NAME_FIELD)
        role = None if role_id is None else require_role(role_id)
        if role is not None:
            columns["role"] = role.key

        def work(tx: Tx) -> User:
            before = users.get(tx, user_id)
            if role is not None and not role.is_admin:
                _require_another_admin(tx, before)
            users.change(tx, user_id, now, **columns)
            return users.get(tx, user_id)

        if not columns:
            return await self._context.db.read(lambda tx: users.get(tx, user_id))
        person = await self._context.commit(work, AuditAction.UPDATED, ResourceType.USER, user_id)
        self._context.changes.notify(ResourceType.USER, user_id)
        self._context.engine.triggers_changed()  # the role decides which failures their flows are notified of
        return person

    async def delete_user(self, user_id: UserId) -> Change:
        """Remove a user: revoke their API keys and unpublish their flows."""

        def revoke(tx: Tx) -> tuple[str, ...]:
            self._published_flows_of_removable_user(tx, user_id)
            return users.delete_api_keys(tx, user_id)

        # The keys go first. Otherwise, a user who keeps publishing couldn't be removed.
        revoked_ids = await self._context.db.write(revoke)
        if self._api_keys.has_separate_database:
            revoked_ids = await self._api_keys.revoke_keys_of(user_id)
        if revoked_ids:
            self._context.changes.notify(ResourceType.API_KEY, *revoked_ids, action="deleted")
        for _ in range(_REMOVAL_ATTEMPTS):  # requests that began before may still publish flows
            for flow_id in await self._context.db.read(
                lambda tx: self._published_flows_of_removable_user(tx, user_id)
            ):
                await self._publishing.unpublish_flow(flow_id)
            with contextlib.suppress(_FlowPublishedMeanwhile):
                await self._context.commit(
                    lambda tx: self._remove(tx, user_id), AuditAction.DELETED, ResourceType.USER, user_id
                )
                return self._context.changes.notify(ResourceType.USER, user_id, action="deleted")
        raise Conflict(
            "Flows of this user were published during the removal.",
            meaning="The user wasn't removed. Their API keys are revoked, and other flows are drafts now.",
            todo="Remove the user again.",
        )

    def _remove(self, tx: Tx, user_id: UserId) -> None:
        if self._published_flows_of_removable_user(tx, user_id):
            raise _FlowPublishedMeanwhile
        users.remove(tx, user_id, self._context.clock())
        users.delete_api_keys(tx, user_id)

    def _published_flows_of_removable_user(self, tx: Tx, user_id: UserId) -> tuple[FlowId, ...]:
        """Return the published flows of a user.

        Raises `NotFound`, `Conflict` when the user can't be removed.
        """
        person = users.get(tx, user_id)
        if person.id == self._context.workspace_owner:
            raise Conflict(
                f"{person.full_name} owns this workspace and can't be removed.",
                meaning="Everything created in the window on the workspace's computer belongs to the owner.",
                todo="Rename the owner instead.",
            )
        _require_another_admin(tx, person)
        return users.published_flow_ids(tx, user_id)


def require_role(role_id: str) -> Role:
    """Return the role with this ID. Raises `ValidationFailed` for an unknown one."""
    found = next((role for role in ROLES if role.id == role_id), None)
    if found is None:
        names = ", ".join(role.name for role in ROLES[:-1])
        words = f"Unknown role. Use the ID of {names} or {ROLES[-1].name}."
        raise ValidationFailed({"roleId": [words]}, happened=words, todo="GET /v1/roles lists them.")
    return found


def email_taken_error(known: User) -> AlreadyTaken:
    """The error for an email address that is already in use."""
    if known.status == users.INVITED:
        words, todo = "This email address has already been invited.", "Revoke the invitation first."
    else:
        words, todo = "A user with this email address already exists.", "Use another address."
    return AlreadyTaken({"email": [words]}, happened=words, todo=todo)


def _require_another_admin(tx: Tx, person: User) -> None:
    if users.admin_ids(tx) == {person.id}:
        raise Conflict(
            f"{person.full_name} is the only admin.",
            meaning="A workspace needs an admin to manage people, API keys and settings.",
            todo="Make another person an admin first.",
        )
