"""Ciphertext rows, one for each connection. What is in them only the vault can tell."""

from dataclasses import dataclass

from sqlalchemy import delete, exists, func, insert, select

from patchbay.domain.base import ConnectionId
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.tables import connection, secret

ITEM_FORMAT = 100
"""Format of a row without ciphertext: the value is a keyring item, and `key_id` names it."""


@dataclass(frozen=True)
class Sealed:
    """An encrypted value as stored. `format` is the version of the layout, `key_id` names the data key."""

    connection_id: ConnectionId
    format: int
    key_id: str
    nonce: bytes
    ciphertext: bytes


def get(tx: Tx, connection_id: ConnectionId) -> Sealed | None:
    """The value of a connection that is not deleted."""
    not_deleted = exists().where(connection.c.id == secret.c.connection_id, connection.c.deleted_at.is_(None))
    row = (
        tx.execute(select(secret).where(secret.c.connection_id == connection_id, not_deleted))
        .mappings()
        .first()
    )
    return None if row is None else Sealed(**row)


def put(tx: Tx, value: Sealed) -> None:
    tx.execute(delete(secret).where(secret.c.connection_id == value.connection_id))
    tx.execute(insert(secret).values(**vars(value)))


def count(tx: Tx) -> int:
    """How many encrypted values exist, those of deleted connections too."""
    return tx.execute(select(func.count()).select_from(secret).where(_ENCRYPTED)).scalar_one()


def count_in_use(tx: Tx) -> int:
    """How many connections that aren't deleted have credentials."""
    not_deleted = secret.join(connection, connection.c.id == secret.c.connection_id)
    query = select(func.count()).select_from(not_deleted).where(connection.c.deleted_at.is_(None))
    return tx.execute(query).scalar_one()


def find_all(tx: Tx) -> tuple[Sealed, ...]:
    """All rows, those of deleted connections too."""
    return tuple(Sealed(**row) for row in tx.execute(select(secret)).mappings())


def remove_all(tx: Tx) -> int:
    """Remove every encrypted value; returns how many there were."""
    return tx.execute(delete(secret).where(_ENCRYPTED)).rowcount


_ENCRYPTED = secret.c.format != ITEM_FORMAT
