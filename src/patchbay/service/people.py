"""People and their roles."""

from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.audit_log import AuditAction, AuditEntry, AuditFilter
from patchbay.domain.base import EpochMs, FlowId, UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import AlreadyTaken, Conflict, ValidationFailed
from patchbay.domain.paging import Page, PageRequest
from patchbay.domain.people import EDITOR, ROLES, Role, User
from patchbay.service.api_keys import StoredApiKeys, hash_key, new_key
from patchbay.service.names import checked_email, checked_name
from patchbay.service.publishing import PublishingOperations
from patchbay.service.service_context import Operations
from patchbay.storage.database import Database
from patchbay.storage.repositories import api_keys, audit, users
from patchbay.storage.repositories.rows import Tx

# MERGED: The person a local workspace belongs to.


async def ensure_owner(
    db: Database, clock: Callable[[], EpochMs], full_name: str = "Owner", email: str = "owner@localhost"
) -> User:
    """The first user of this database, made when there is none yet."""
    new_id, now = str(uuid4()), clock()
    return await db.write(lambda tx: users.owner(tx, new_id, full_name, email, now))


# MERGED: Keys of the HTTP interface as people manage them, and the audit log.

MAX_AUDIT_ENTRIES = 100_000
"""How long the audit log grows; the oldest entries go first."""


class ApiKeyOperations(Operations):
    """Who may come in, and who did what."""

    @property
    def api_keys(self) -> StoredApiKeys:
        """What the server asks about the keys that are shown to it."""
        return self._service_context.keys

    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        """Oldest first, without their values."""
        return await self._service_context.keys.list()

    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        """Raises `ValidationFailed`, `NotFound` for a person who is not there."""
        created = new_key(name, scope, user_id, self._clock())
        if user_id is not None:
            await self._db.read(lambda tx: users.get(tx, user_id))
        if self._has_separate_key_database:
            await self._service_context.keys.add(created)
            await self._record_audit_entry(
                AuditAction.CREATED, ResourceType.API_KEY, created.key.id, created.key.name
            )
        else:
            await self._commit(
                lambda tx: api_keys.add(tx, created.key, hash_key(created.value)),
                AuditAction.CREATED, ResourceType.API_KEY, created.key.id,
            )  # fmt: skip
        self._changes.notify(ResourceType.API_KEY, created.key.id, action="created")
        return created

    async def revoke_api_key(self, key_id: str) -> Change:
        """It lets nobody in from now on. Raises `NotFound`."""
        if self._has_separate_key_database:
            name = next((key.name for key in await self._service_context.keys.list() if key.id == key_id), "")
            await self._service_context.keys.revoke(key_id)
            await self._record_audit_entry(AuditAction.DELETED, ResourceType.API_KEY, key_id, name)
        else:
            await self._commit(
                lambda tx: api_keys.remove(tx, key_id), AuditAction.DELETED, ResourceType.API_KEY, key_id
            )
        return self._changes.notify(ResourceType.API_KEY, key_id, action="deleted")

    async def audit_log(self, where: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Newest first."""
        return await self._db.read(lambda tx: audit.find(tx, where, page))

    async def trim_audit_log(self, max_entries: int = MAX_AUDIT_ENTRIES) -> None:
        """Forget all but the newest entries. Called every hour."""
        await self._db.write(lambda tx: audit.delete_oldest(tx, max_entries))

    @property
    def _has_separate_key_database(self) -> bool:
        """Whether keys are in a database of their own, as those of the demo are."""
        return self._service_context.keys.db is not self._db


FULL_NAME_FIELD = "fullName"


class PeopleOperations(PublishingOperations, ApiKeyOperations):
    """Who is in. The owner of the workspace always is, and there is always an admin."""

    async def list_users(self) -> tuple[User, ...]:
        return await self._db.read(users.find)

    async def list_roles(self) -> tuple[Role, ...]:
        return ROLES

    async def create_user(self, full_name: str, email: str, role_id: str | None = None) -> User:
        now = self._clock()
        person = User(
            id=str(uuid4()), full_name=checked_name(full_name, FULL_NAME_FIELD), email=checked_email(email),
            role=EDITOR if role_id is None else require_role(role_id), created_at=now, updated_at=now,
        )  # fmt: skip

        def work(tx: Tx) -> User:
            if known := users.find_by_email(tx, person.email):
                raise email_taken_error(known)
            return users.add(tx, person)

        await self._commit(work, AuditAction.CREATED, ResourceType.USER, person.id)
        self._changes.notify(ResourceType.USER, person.id, action="created")
        return person

    async def update_user(
        self, user_id: UserId, *, full_name: str | None = None, role_id: str | None = None
    ) -> User:
        """Another role holds for their keys at once."""
        now, columns = self._clock(), dict[str, str]()
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
            return await self._db.read(lambda tx: users.get(tx, user_id))
        person = await self._commit(work, AuditAction.UPDATED, ResourceType.USER, user_id)
        self._changes.notify(ResourceType.USER, user_id)
        self._engine.triggers_changed()  # the role says of whose failures their flows hear
        return person

    async def delete_user(self, user_id: UserId) -> Change:
        for flow_id in await self._db.read(lambda tx: self._published_flows_of_removable_user(tx, user_id)):
            await self.unpublish_flow(flow_id)
        now = self._clock()

        def work(tx: Tx) -> tuple[str, ...]:
            if self._published_flows_of_removable_user(tx, user_id):
                raise Conflict(
                    "A flow of this person was published while they were being removed.",
                    meaning="They were not removed; their other flows are drafts now.",
                    todo="Remove them again.",
                )
            users.remove(tx, user_id, now)
            return users.delete_api_keys(tx, user_id)

        revoked_ids = await self._commit(work, AuditAction.DELETED, ResourceType.USER, user_id)
        if self._has_separate_key_database:
            revoked_ids = await self._revoke_keys_of(user_id)
        if revoked_ids:
            self._changes.notify(ResourceType.API_KEY, *revoked_ids, action="deleted")
        return self._changes.notify(ResourceType.USER, user_id, action="deleted")

    async def _revoke_keys_of(self, user_id: UserId) -> tuple[str, ...]:
        """For keys in a database of their own; which they were."""
        keys = self._service_context.keys
        key_ids = tuple(key.id for key in await keys.list() if key.user_id == user_id)
        for key_id in key_ids:
            await keys.revoke(key_id)
        return key_ids

    def _published_flows_of_removable_user(self, tx: Tx, user_id: UserId) -> tuple[FlowId, ...]:
        """The published flows of somebody who may be removed. Raises `NotFound`, `Conflict`."""
        person = users.get(tx, user_id)
        if person.id == self._service_context.owner:
            raise Conflict(
                f"{person.full_name} owns this workspace and cannot be removed.",
                meaning="What is made in the window on the computer of the workspace belongs to the owner.",
                todo="Give them another name, or remove other people.",
            )
        _require_another_admin(tx, person)
        return users.published_flow_ids(tx, user_id)


def require_role(role_id: str) -> Role:
    """Raises `ValidationFailed` for a role that is not there."""
    found = next((role for role in ROLES if role.id == role_id), None)
    if found is None:
        names = ", ".join(role.name for role in ROLES[:-1])
        words = f"There is no such role. Use the id of {names} or {ROLES[-1].name}."
        raise ValidationFailed({"roleId": [words]}, happened=words, todo="GET /v1/roles lists them.")
    return found


def email_taken_error(known: User) -> AlreadyTaken:
    """The error for an address that somebody has."""
    if known.status == users.INVITED:
        words, todo = "Somebody with this address is invited already.", "Withdraw the invitation first."
    else:
        words, todo = "Somebody with this address is in already.", "Use another address."
    return AlreadyTaken({"email": [words]}, happened=words, todo=todo)


def _require_another_admin(tx: Tx, person: User) -> None:
    if users.admin_ids(tx) == {person.id}:
        raise Conflict(
            f"{person.full_name} is the only admin.",
            meaning="Without one nobody could manage people, keys and settings over the interface.",
            todo="Make somebody else an admin first.",
        )
