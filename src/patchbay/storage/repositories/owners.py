"""Owners of flows, steps, executions, connections, and folders; and what a flow may use.

A flow of an admin may use everything; a flow of another user only what the same user owns.
"""

from collections.abc import Collection, Mapping

from sqlalchemy import ColumnElement, Connection, Table, select

from patchbay.domain.base import ConnectionId, FlowId, IdType, UserId
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
"""The table of each resource, and whether its owner is that of its flow."""


def find_owners(tx: Tx, kind: OwnedResource, ids: Collection[IdType]) -> dict[IdType, UserId]:
    """Owners by resource ID, also of deleted resources; without those that don't exist or have no owner."""
    table, is_part = _TABLES[kind]
    owner = flow.c.user_id if is_part else table.c.user_id
    query = select(table.c.id, owner).where(table.c.id.in_(ids), owner.is_not(None))
    rows = tx.execute(query.join(flow, flow.c.id == table.c.flow_id) if is_part else query)
    return {row.id: row.user_id for row in rows}


def foreign_connections(
    tx: Tx, flow_id: FlowId, connection_ids: Collection[ConnectionId]
) -> frozenset[ConnectionId]:
    """Connections that this flow may not use; none for a flow of an admin."""
    owner = find_owners(tx, OwnedResource.FLOW, [flow_id]).get(flow_id)
    return frozenset() if owner is None else connections_not_owned_by(tx, owner, connection_ids)


def foreign_connections_by_flow(
    tx: Tx, used: Mapping[FlowId, Collection[ConnectionId]]
) -> dict[FlowId, frozenset[ConnectionId]]:
    """Those of the connections used by each flow that it may not use; without flows that have none."""
    if not any(used.values()):
        return {}
    admin_ids = users.admin_ids(tx)
    flow_owners = find_owners(tx, OwnedResource.FLOW, used)
    connection_owners = find_owners(tx, OwnedResource.CONNECTION, frozenset().union(*used.values()))
    found = {
        flow_id: frozenset(
            each for each in used[flow_id] if each in connection_owners and connection_owners[each] != owner
        )
        for flow_id, owner in flow_owners.items()
        if owner not in admin_ids
    }
    return {flow_id: foreign for flow_id, foreign in found.items() if foreign}


def connections_not_owned_by(
    tx: Tx, user_id: UserId, connection_ids: Collection[ConnectionId]
) -> frozenset[ConnectionId]:
    """Connections of other users, which this user may not use; none for an admin."""
    if not connection_ids or user_id in users.admin_ids(tx):
        return frozenset()
    owners = find_owners(tx, OwnedResource.CONNECTION, connection_ids)
    return frozenset(connection_id for connection_id, owner in owners.items() if owner != user_id)


def restricted_owner(tx: Connection, flow_id: FlowId) -> UserId | None:
    """The only user whose flows this flow may call; None if it may call all."""
    restricted = select(user.c.id).join(flow, flow.c.user_id == user.c.id)
    found: UserId | None = tx.execute(restricted.where(flow.c.id == flow_id, is_restricted())).scalar()
    return found


def restricted_user(tx: Connection, user_id: UserId) -> UserId | None:
    """The user, if flows of this user may call only their own; None for an admin."""
    found: UserId | None = tx.execute(select(user.c.id).where(user.c.id == user_id, is_restricted())).scalar()
    return found


def is_restricted() -> ColumnElement[bool]:
    """Whether a user isn't an admin, so that their flows may call only their own."""
    return user.c.role != ADMIN.key


def can_reach(tx: Connection, caller: FlowId, called: FlowId) -> bool:
    """Whether a flow may call another, and see its name."""
    owner_id = restricted_owner(tx, caller)
    return owner_id is None or is_owner(tx, owner_id, called)


def is_owner(tx: Connection, user_id: UserId, flow_id: FlowId) -> bool:
    """Whether the flow belongs to this user."""
    return tx.execute(select(flow.c.user_id).where(flow.c.id == flow_id)).scalar() == user_id
