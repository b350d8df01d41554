"""Keys of the HTTP interface as people manage them, and the audit log."""

from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.audit import AuditAction, AuditEntry, AuditFilter
from patchbay.domain.base import UserId
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.paging import Page, PageRequest
from patchbay.service.api_keys import StoredApiKeys, hash_key, new_key
from patchbay.service.parts import Operations
from patchbay.storage.repositories import api_keys, audit, users

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
