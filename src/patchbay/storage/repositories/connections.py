"""Connections without their credentials. Deletion only marks the row."""

from typing import Any

from sqlalchemy import Select, distinct, func, insert, select, update

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, UserId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.storage.repositories.rows import Tx, dump_json, load, not_found
from patchbay.storage.tables import connection, flow, step

_STORED = {
    "id",
    "app_key",
    "screen_name",
    "formatted_data",
    "verified",
    "health",
    "reason",
    "tested_at",
    "account",
    "expires_at",
    "rate_limit",
    "created_at",
    "updated_at",
}
_JSON = ("formatted_data", "rate_limit")


def get(tx: Tx, connection_id: ConnectionId) -> Connection:
    """Return a connection that isn't deleted. Raises `NotFound`."""
    row = tx.execute(_not_deleted().where(connection.c.id == connection_id)).mappings().first()
    if row is None:
        raise not_found("connection")
    return Connection.model_validate(load(row, *_JSON))


def is_approved(tx: Tx, connection_id: ConnectionId) -> bool:
    """Whether a user with full rights entered its values last; False if it doesn't exist."""
    return bool(tx.execute(select(connection.c.approved).where(connection.c.id == connection_id)).scalar())


def find(tx: Tx, app_key: AppKey | None = None) -> tuple[Connection, ...]:
    """All connections, or those of one app, newest first."""
    query = _not_deleted().order_by(connection.c.created_at.desc(), connection.c.id)
    if app_key is not None:
        query = query.where(connection.c.app_key == app_key)
    return tuple(Connection.model_validate(load(row, *_JSON)) for row in tx.execute(query).mappings())


def find_including_deleted(tx: Tx) -> tuple[Connection, ...]:
    """All connections, also deleted ones that still have a row."""
    rows = tx.execute(select(connection)).mappings()
    return tuple(Connection.model_validate(load(row, *_JSON)) for row in rows)


def add(tx: Tx, item: Connection, user_id: UserId) -> None:
    """Insert a connection of a user."""
    tx.execute(insert(connection).values(**_columns(item), user_id=user_id))


def put(tx: Tx, item: Connection) -> None:
    """Update a connection. Raises `NotFound` if it was deleted."""
    not_deleted = update(connection).where(connection.c.id == item.id, connection.c.deleted_at.is_(None))
    if not tx.execute(not_deleted.values(**_columns(item))).rowcount:
        raise not_found("connection")


def remove(tx: Tx, connection_id: ConnectionId, now: EpochMs) -> None:
    """Mark a connection as deleted. Raises `NotFound`."""
    get(tx, connection_id)
    tx.execute(update(connection).where(connection.c.id == connection_id).values(deleted_at=now))


def restore(tx: Tx, connection_id: ConnectionId, now: EpochMs) -> Connection:
    """Restore a deleted connection. Raises `NotFound`."""
    undelete = (
        update(connection).where(connection.c.id == connection_id).values(deleted_at=None, updated_at=now)
    )
    tx.execute(undelete)
    return get(tx, connection_id)


def find_deleted(tx: Tx, before: EpochMs) -> tuple[tuple[Connection, EpochMs], ...]:
    """The connections that were deleted before a time and can still be restored, and when that was."""
    rows = tx.execute(select(connection).where(connection.c.deleted_at <= before)).mappings()
    return tuple((Connection.model_validate(load(row, *_JSON)), row["deleted_at"]) for row in rows)


def mark_signed_out(tx: Tx, connection_id: ConnectionId, reason: str, now: EpochMs) -> None:
    """Mark a connection as needing attention, also if it's deleted."""
    values = {"health": ConnectionHealth.NEEDS_ATTENTION, "verified": False, "reason": reason}
    tx.execute(update(connection).where(connection.c.id == connection_id).values(**values, updated_at=now))


def mark_all_unverified(tx: Tx, reason: str, now: EpochMs) -> None:
    """Mark all connections as needing attention, with this reason."""
    unverified = {
        "health": ConnectionHealth.NEEDS_ATTENTION,
        "verified": False,
        "reason": reason,
        "updated_at": now,
    }
    tx.execute(update(connection).values(**unverified))


def count_by_app(tx: Tx) -> dict[AppKey, int]:
    """Count the connections of each app."""
    not_deleted = select(connection.c.app_key, func.count()).where(connection.c.deleted_at.is_(None))
    return {key: number for key, number in tx.execute(not_deleted.group_by(connection.c.app_key))}


def _columns(item: Connection) -> dict[str, Any]:
    limit = item.rate_limit
    return item.model_dump(include=_STORED) | {
        "approved": item.approved,
        "formatted_data": dump_json(item.formatted_data),
        "rate_limit": limit.model_dump_json() if limit else None,
    }


def _not_deleted() -> Select[Any]:
    flow_count = (
        select(func.count(distinct(flow.c.id)))
        .select_from(step.join(flow, flow.c.id == step.c.flow_id))
        .where(step.c.connection_id == connection.c.id)
        .where(step.c.deleted_at.is_(None), flow.c.deleted_at.is_(None))
        .correlate(connection)
        .scalar_subquery()
        .label("flow_count")
    )
    return select(connection, flow_count).where(connection.c.deleted_at.is_(None))
