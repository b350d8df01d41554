"""Encrypted credentials, one row per connection; see `service.secret_encryption`."""

from dataclasses import dataclass

from sqlalchemy import delete, exists, func, insert, select

from patchbay.domain.base import ConnectionId
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.tables import connection, secret

ITEM_FORMAT = 100
"""Format of a row without ciphertext: the credentials are in the keyring item named by `key_id`."""


@dataclass(frozen=True)
class Sealed:
    """Encrypted credentials. `format` is the version of the layout, `key_id` the ID of the data key."""

    connection_id: ConnectionId
    format: int
    key_id: str
    nonce: bytes
    ciphertext: bytes


def get(tx: Tx, connection_id: ConnectionId) -> Sealed | None:
    """The credentials of a connection; None if it has none or is deleted."""
    not_deleted = exists().where(connection.c.id == secret.c.connection_id, connection.c.deleted_at.is_(None))
    row = (
        tx.execute(select(secret).where(secret.c.connection_id == connection_id, not_deleted))
        .mappings()
        .first()
    )
    return None if row is None else Sealed(**row)


def put(tx: Tx, value: Sealed) -> None:
    """Store the encrypted secret of a connection, replacing the previous one."""
    tx.execute(delete(secret).where(secret.c.connection_id == value.connection_id))
    tx.execute(insert(secret).values(**vars(value)))


def count(tx: Tx) -> int:
    """Number of encrypted credentials, also of deleted connections."""
    return tx.execute(select(func.count()).select_from(secret).where(_ENCRYPTED)).scalar_one()


def count_in_use(tx: Tx) -> int:
    """Number of connections with credentials, without deleted ones."""
    not_deleted = secret.join(connection, connection.c.id == secret.c.connection_id)
    query = select(func.count()).select_from(not_deleted).where(connection.c.deleted_at.is_(None))
    return tx.execute(query).scalar_one()


def find_all(tx: Tx) -> tuple[Sealed, ...]:
    """All credentials, also of deleted connections."""
    return tuple(Sealed(**row) for row in tx.execute(select(secret)).mappings())


def remove_all(tx: Tx) -> int:
    """Delete all encrypted credentials. Returns how many there were."""
    return tx.execute(delete(secret).where(_ENCRYPTED)).rowcount


_ENCRYPTED = secret.c.format != ITEM_FORMAT
