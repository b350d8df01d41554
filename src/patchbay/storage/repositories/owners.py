"""Whose things are: flows with their steps and executions, connections and folders, deleted ones too."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, Table, select

from patchbay.domain.base import ConnectionId, FlowId, UserId
from patchbay.domain.people import ADMIN
from patchbay.domain.ports import OwnedResource
from patchbay.storage.repositories import users
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.tables import connection, execution, flow, folder, step, user

_TABLES: dict[OwnedResource, tuple[Table, bool]] = {
    OwnedResource.FLOW: (flow, False),
    OwnedResource.STEP: (step, True),
    OwnedResource.EXECUTION: (execution, True),
    OwnedResource.CONNECTION: (connection, False),
    OwnedResource.FOLDER: (folder, False),
}
"""Where each is kept, and whether it is part of a flow and belongs to whom the flow belongs."""


def find_owners(tx: Tx, kind: OwnedResource, ids: Collection[str]) -> dict[str, UserId]:
    """By id; what is not there, or belongs to nobody, is left out."""
    table, is_part = _TABLES[kind]
    owner = flow.c.user_id if is_part else table.c.user_id
    query = select(table.c.id, owner).where(table.c.id.in_(ids), owner.is_not(None))
    rows = tx.execute(query.join(flow, flow.c.id == table.c.flow_id) if is_part else query)
    return {row.id: row.user_id for row in rows}


def foreign_connections(
    tx: Tx, flow_id: FlowId, connection_ids: Collection[ConnectionId]
) -> frozenset[ConnectionId]:
    """Those that belong to somebody else than the flow does; none for a flow of an admin."""
    owner = find_owners(tx, OwnedResource.FLOW, [flow_id]).get(flow_id)
    return frozenset() if owner is None else connections_not_owned_by(tx, owner, connection_ids)


def connections_not_owned_by(
    tx: Tx, user_id: UserId, connection_ids: Collection[ConnectionId]
) -> frozenset[ConnectionId]:
    """Those that this person may not use because they are somebody else's; admins may use all."""
    if not connection_ids or user_id in users.admin_ids(tx):
        return frozenset()
    query = find_owners(tx, OwnedResource.CONNECTION, connection_ids)
    return frozenset(one for one, owner in query.items() if owner != user_id)


# MERGED: Whose flows a flow may call and hear of: those of the same person, unless that is an admin.


def restricted_owner(tx: Connection, flow_id: FlowId) -> UserId | None:
    """The person whose flows alone this flow reaches; None: everybody's."""
    restricted = select(user.c.id).join(flow, flow.c.user_id == user.c.id)
    found: UserId | None = tx.execute(restricted.where(flow.c.id == flow_id, is_restricted())).scalar()
    return found


def is_restricted() -> ColumnElement[bool]:
    """Whether a person is no admin, whose flows reach only their own."""
    return user.c.role != ADMIN.key


def can_reach(tx: Connection, caller: FlowId, called: FlowId) -> bool:
    """Whether the one flow may call the other, or know of it."""
    owner_id = restricted_owner(tx, caller)
    if owner_id is None:
        return True
    return tx.execute(select(flow.c.user_id).where(flow.c.id == called)).scalar() == owner_id
