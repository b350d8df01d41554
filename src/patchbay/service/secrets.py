"""Where secrets are stored: state, moving them, changing the key, and discarding lost ones."""

from patchbay.domain.audit_log import AuditAction
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import SecretsState, SecretsStorage
from patchbay.domain.errors import Conflict
from patchbay.service.service_context import ServiceContext
from patchbay.storage.repositories import secrets


class SecretSettings:
    """Storage of secrets, as the settings show and change it."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    async def secrets_state(self) -> SecretsState:
        """Open the secret store now and report its state."""
        store = self._context.secrets
        await store.open()
        problem = store.problem
        return SecretsState(
            home=await store.home(),
            name=store.kind.value,
            kept=store.place,
            barred=store.barred(),
            problem=problem.text() if problem else None,
            reason=problem.reason if problem else None,
            stored=await self._context.db.read(secrets.count_in_use),
        )

    async def move_secrets(self, home: SecretsStorage) -> SecretsState:
        """Move all secrets to `home`.

        Raises `Conflict` when this computer doesn't offer it, `SecretsUnavailable` when a secret can't be
        moved.
        """
        store = self._context.secrets
        if reason := store.barred().get(home):
            raise Conflict("The secrets can't be moved there.", meaning=reason)
        if home is not await store.home():
            await store.require()
            await store.move(home)
            await self._context.record_audit_entry(AuditAction.MOVED, ResourceType.WORKSPACE, name="Secrets")
            self._context.changes.notify(ResourceType.WORKSPACE)
        return await self.secrets_state()

    async def change_secrets_key(self) -> int:
        """Encrypt all secrets under a new key; return how many.

        Raises `SecretsUnavailable` when the current key can't be read or the new one can't be stored.
        """
        changed = await self._context.secrets.encryption.rotate_key()
        await self._context.record_audit_entry(AuditAction.UPDATED, ResourceType.WORKSPACE, name="Secrets")
        return changed

    async def discard_lost_secrets(self) -> int:
        """Delete the secrets whose key is lost; return how many."""
        discarded = await self._context.secrets.encryption.discard_lost_secrets()
        if discarded:
            await self._context.record_audit_entry(
                AuditAction.DELETED, ResourceType.WORKSPACE, name="Secrets"
            )
            self._context.changes.notify(ResourceType.WORKSPACE)
        return discarded
