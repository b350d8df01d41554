"""Encrypts the secrets of a workspace with a data key, in place."""

from uuid import uuid4

from sqlalchemy import Connection

from patchbay.bootstrap.local import COMMAND, LocalWorkspace
from patchbay.domain.audit_log import AuditAction
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import now_ms
from patchbay.domain.errors import Conflict
from patchbay.domain.ports import KeyStore
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.secret_reencryption import ReencryptedSecrets, SecretReencryption, StoredSecrets
from patchbay.storage.repositories import audit


async def apply_data_key(opened: LocalWorkspace, old: KeyStore, data_key: DataKeyStore) -> ReencryptedSecrets:
    """Encrypt all secrets with the data key, in one commit. `old` has the keys until then.

    Raises `Conflict` if another program uses the workspace: it would go on using the old key.
    """
    if opened.runtime is None:
        raise _in_use()
    db = opened.runtime.db
    reencryption = SecretReencryption(old, data_key, f"apply {uuid4()}")

    def commit(tx: Connection) -> None:
        if db.peers is not None and not _lock_alone(tx):
            raise _in_use()
        reencryption.reencrypt(tx)
        audit.add(tx, COMMAND, AuditAction.UPDATED, ResourceType.WORKSPACE, None, "Secrets", now_ms())

    await reencryption.prepare(await db.read(StoredSecrets.read))
    await db.write(commit)
    return reencryption.done


def _lock_alone(tx: Connection) -> bool:
    """Lock the workspace of a database server until the commit. False if another program uses it."""
    from patchbay.storage.postgresql.connections import postgres_of  # only with its driver installed
    from patchbay.storage.postgresql.writer import lock_until_commit

    return lock_until_commit(postgres_of(tx))


def _in_use() -> Conflict:
    return Conflict(
        "Another Patchbay program is using this workspace.",
        meaning="It would go on with the old key. Nothing was changed.",
        todo="Stop all servers, workers, and windows that use it, and run the command again.",
    )
