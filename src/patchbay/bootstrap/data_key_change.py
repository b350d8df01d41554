"""Changes the keys of a workspace's secrets to those of a data key, without moving it."""

from uuid import uuid4

from sqlalchemy import Connection

from patchbay.bootstrap.local import COMMAND, LocalWorkspace
from patchbay.domain.audit_log import AuditAction
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import now_ms
from patchbay.domain.errors import Conflict
from patchbay.domain.ports import KeyStore
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.secret_rewrap import RewrappedSecrets, SecretRewrap, StoredSecrets
from patchbay.storage.repositories import audit


async def apply_data_key(opened: LocalWorkspace, old: KeyStore, data_key: DataKeyStore) -> RewrappedSecrets:
    """Encrypt all secrets with the data key, in one commit. `old` has the keys until then.

    Raises `Conflict` if another program uses the workspace: it would go on using the old key.
    """
    if opened.runtime is None:
        raise _in_use()
    db = opened.runtime.db
    rewrap = SecretRewrap(old, data_key, f"apply {uuid4()}")

    def commit(tx: Connection) -> None:
        if db.peers is not None and not _is_alone(tx):
            raise _in_use()
        rewrap.rewrap(tx)
        audit.add(tx, COMMAND, AuditAction.UPDATED, ResourceType.WORKSPACE, None, "Secrets", now_ms())

    await rewrap.prepare(await db.read(StoredSecrets.read))
    await db.write(commit)
    return rewrap.done


def _is_alone(tx: Connection) -> bool:
    """Whether no other program uses this database server's workspace until the commit."""
    from patchbay.storage.postgresql.connections import postgres_of  # only with its driver installed
    from patchbay.storage.postgresql.writer import lock_until_commit

    return lock_until_commit(postgres_of(tx))


def _in_use() -> Conflict:
    return Conflict(
        "Another Patchbay program is using this workspace.",
        meaning="It would go on with the old key. Nothing was changed.",
        todo="Stop all servers, workers, and windows that use it, and run the command again.",
    )
