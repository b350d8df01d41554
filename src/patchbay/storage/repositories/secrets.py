"""Encrypted secrets: one row per connection, and one per flow whose webhook has secrets.

See `service.secret_encryption`.
"""

from dataclasses import dataclass

from sqlalchemy import RowMapping, delete, exists, func, select

from patchbay.domain.base import ConnectionId, FlowId
from patchbay.storage.repositories.rows import Tx, put_row
from patchbay.storage.tables import connection, secret, webhook_secret

ITEM_FORMAT = 100
"""Format of a row without ciphertext: the credentials are in the keyring item named by `key_id`."""
_WEBHOOK_PREFIX = "webhook:"


@dataclass(frozen=True)
class Sealed:
    """Encrypted secrets. `format` is the version of the layout, `key_id` the ID of the encryption key.

    Those of a flow's webhook have `webhook_owner(flow_id)` as `connection_id`.
    """

    connection_id: ConnectionId
    format: int
    key_id: str
    nonce: bytes
    ciphertext: bytes


def webhook_owner(flow_id: FlowId) -> ConnectionId:
    """The ID to which the secrets of a flow's webhook are bound. No connection has it."""
    return ConnectionId(_WEBHOOK_PREFIX + flow_id)


def is_webhook_owner(owner: ConnectionId) -> bool:
    """Whether these are the secrets of a flow's webhook rather than those of a connection."""
    return owner.startswith(_WEBHOOK_PREFIX)


def get(tx: Tx, connection_id: ConnectionId) -> Sealed | None:
    """The credentials of a connection; None if it has none or is deleted."""
    not_deleted = exists().where(connection.c.id == secret.c.connection_id, connection.c.deleted_at.is_(None))
    row = (
        tx.execute(select(secret).where(secret.c.connection_id == connection_id, not_deleted))
        .mappings()
        .first()
    )
    return None if row is None else Sealed(**row)


def get_deleted(tx: Tx, connection_id: ConnectionId) -> Sealed | None:
    """The credentials that a deleted connection still has; None if it isn't deleted or has none."""
    deleted = exists().where(connection.c.id == secret.c.connection_id, connection.c.deleted_at.is_not(None))
    row = (
        tx.execute(select(secret).where(secret.c.connection_id == connection_id, deleted)).mappings().first()
    )
    return None if row is None else Sealed(**row)


def get_webhook(tx: Tx, flow_id: FlowId) -> Sealed | None:
    """The secrets of a flow's webhook; None if it has none."""
    row = tx.execute(select(webhook_secret).where(webhook_secret.c.flow_id == flow_id)).mappings().first()
    return None if row is None else _webhook_from_row(row)


def put(tx: Tx, value: Sealed) -> None:
    """Store the encrypted secrets of a connection or a webhook, replacing the previous ones."""
    if is_webhook_owner(value.connection_id):
        flow_id = FlowId(value.connection_id.removeprefix(_WEBHOOK_PREFIX))
        sealed = {name: part for name, part in vars(value).items() if name != "connection_id"}
        put_row(tx, webhook_secret, {"flow_id": flow_id, **sealed})
    else:
        put_row(tx, secret, vars(value))


def remove_deleted(tx: Tx, connection_id: ConnectionId) -> None:
    """Delete the credentials of a connection if it is deleted."""
    deleted = exists().where(connection.c.id == secret.c.connection_id, connection.c.deleted_at.is_not(None))
    tx.execute(delete(secret).where(secret.c.connection_id == connection_id, deleted))


def remove_webhook(tx: Tx, flow_id: FlowId) -> None:
    """Delete the secrets of a flow's webhook."""
    tx.execute(delete(webhook_secret).where(webhook_secret.c.flow_id == flow_id))


def count(tx: Tx) -> int:
    """Number of encrypted values, also of deleted connections."""
    counts = (select(func.count()).select_from(table).where(is_encrypted) for table, is_encrypted in _TABLES)
    return sum(tx.execute(query).scalar_one() for query in counts)


def count_in_use(tx: Tx) -> int:
    """Number of connections with credentials, without deleted ones."""
    not_deleted = secret.join(connection, connection.c.id == secret.c.connection_id)
    query = select(func.count()).select_from(not_deleted).where(connection.c.deleted_at.is_(None))
    return tx.execute(query).scalar_one()


def find_all(tx: Tx) -> tuple[Sealed, ...]:
    """All secrets of connections, also of deleted ones, and of webhooks."""
    of_connections = (Sealed(**row) for row in tx.execute(select(secret)).mappings())
    of_webhooks = map(_webhook_from_row, tx.execute(select(webhook_secret)).mappings())
    return (*of_connections, *of_webhooks)


def remove_all(tx: Tx) -> int:
    """Delete all encrypted values. Returns how many there were."""
    return sum(tx.execute(delete(table).where(is_encrypted)).rowcount for table, is_encrypted in _TABLES)


def _webhook_from_row(row: RowMapping) -> Sealed:
    columns = {name: value for name, value in row.items() if name != "flow_id"}
    return Sealed(webhook_owner(row["flow_id"]), **columns)


_TABLES = tuple((table, table.c.format != ITEM_FORMAT) for table in (secret, webhook_secret))
"""The tables, each with the condition for rows that are encrypted."""
