"""API keys as admins manage them; `api_keys` stores and checks them."""

from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.audit_log import AuditAction
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.service.api_keys import hash_key, new_key
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import api_keys, users


class ApiKeyManager:
    """Lists, creates and revokes API keys, and records that in the audit log."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def list_api_keys(self) -> tuple[ApiKey, ...]:
        """Return all keys without their values, oldest first."""
        return await self._context.keys.list()

    async def create_api_key(
        self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None
    ) -> NewApiKey:
        """Create a key and return it with its value.

        Raises `ValidationFailed`, `NotFound` for an unknown user.
        """
        created = new_key(name, scope, user_id, self._context.clock())
        if user_id is not None:
            await self._context.db.read(lambda tx: users.get(tx, user_id))
        if self.has_separate_database:
            await self._context.keys.add(created)
            await self._context.record_audit_entry(
                AuditAction.CREATED, ResourceType.API_KEY, created.key.id, created.key.name
            )
        else:
            await self._context.commit(
                lambda tx: api_keys.add(tx, created.key, hash_key(created.value)),
                AuditAction.CREATED,
                ResourceType.API_KEY,
                created.key.id,
            )
        self._context.changes.notify(ResourceType.API_KEY, created.key.id, action="created")
        return created

    async def revoke_api_key(self, key_id: str) -> Change:
        """Revoke a key; it is rejected from now on. Raises `NotFound`."""
        if self.has_separate_database:
            name = next((key.name for key in await self._context.keys.list() if key.id == key_id), "")
            await self._context.keys.revoke(key_id)
            await self._context.record_audit_entry(AuditAction.DELETED, ResourceType.API_KEY, key_id, name)
        else:
            await self._context.commit(
                lambda tx: api_keys.remove(tx, key_id), AuditAction.DELETED, ResourceType.API_KEY, key_id
            )
        return self._context.changes.notify(ResourceType.API_KEY, key_id, action="deleted")

    async def revoke_keys_of(self, user_id: UserId) -> tuple[str, ...]:
        """Revoke all keys of a user and return their IDs; for keys in a separate database."""
        keys = self._context.keys
        key_ids = tuple(key.id for key in await keys.list() if key.user_id == user_id)
        for key_id in key_ids:
            await keys.revoke(key_id)
        return key_ids

    @property
    def has_separate_database(self) -> bool:
        """Whether API keys are in a separate database, as those of the demo are."""
        return self._context.keys.db is not self._context.db
