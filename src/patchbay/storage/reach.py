"""Whose flows a flow may call and hear of: those of the same person, unless that is an admin."""

from sqlalchemy import ColumnElement, Connection, select

from patchbay.domain.base import FlowId, UserId
from patchbay.domain.organise import ADMIN
from patchbay.storage.tables import flow, user


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
