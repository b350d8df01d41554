"""Where secrets are kept: said, changed, and given up when their key is lost."""

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import SecretsState, SecretsStorage
from patchbay.domain.errors import Conflict
from patchbay.service.service_context import Operations
from patchbay.storage.repositories import secrets


class SecretOperations(Operations):
    """The homes of secrets, for the settings."""

    async def secrets_state(self) -> SecretsState:
        """Asks the home, so that the answer is as of now."""
        store = self._service_context.vault
        await store.open()
        problem = store.problem
        return SecretsState(
            home=await store.home(), name=store.name, kept=store.place, barred=store.barred(),
            problem=problem.text() if problem else None, reason=problem.reason if problem else None,
            stored=await self._db.read(secrets.count_in_use),
        )  # fmt: skip

    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        """Raises `Conflict` where that home is barred, `SecretsUnavailable` when a secret cannot be moved."""
        store = self._service_context.vault
        if reason := store.barred().get(home):
            raise Conflict("The secrets cannot be moved there.", meaning=reason)
        if home is not await store.home():
            await store.require()
            await store.move(home)
            await self._record_audit_entry(AuditAction.MOVED, ResourceType.WORKSPACE, name="Secrets")
            self._changes.notify(ResourceType.WORKSPACE)
        return await self.secrets_state()

    async def change_secrets_key(self) -> int:
        """Raises `SecretsUnavailable` when the key in force cannot be used or a new one cannot be kept."""
        changed = await self._service_context.vault.rotate_key()
        await self._record_audit_entry(AuditAction.UPDATED, ResourceType.WORKSPACE, name="Secrets")
        return changed

    async def discard_lost_secrets(self) -> int:
        discarded = await self._service_context.vault.discard_lost_secrets()
        if discarded:
            await self._record_audit_entry(AuditAction.DELETED, ResourceType.WORKSPACE, name="Secrets")
            self._changes.notify(ResourceType.WORKSPACE)
        return discarded
