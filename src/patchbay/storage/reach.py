"""Whose flows a flow may call and hear of: those of the same person, unless that is an admin."""

from sqlalchemy import ColumnElement, Connection, select

from patchbay.domain.base import FlowId, UserId
from patchbay.domain.organise import ADMIN
from patchbay.storage.tables import flow, user


def reach(tx: Connection, flow_id: FlowId) -> UserId | None:
    """The person whose flows alone this flow reaches; None: everybody's."""
    bounded = select(user.c.id).join(flow, flow.c.user_id == user.c.id)
    found: UserId | None = tx.execute(bounded.where(flow.c.id == flow_id, is_bounded())).scalar()
    return found


def is_bounded() -> ColumnElement[bool]:
    """Whether a person is no admin, whose flows reach only their own."""
    return user.c.role != ADMIN.key


def reaches(tx: Connection, caller: FlowId, called: FlowId) -> bool:
    """Whether the one flow may call the other, or know of it."""
    person = reach(tx, caller)
    if person is None:
        return True
    return tx.execute(select(flow.c.user_id).where(flow.c.id == called)).scalar() == person
