"""Open invitations: rows of `user` with the status “invited”, each with a row of `invitation`.

Revoking an invitation deletes both rows, so that the email address can be used again.
"""

from typing import Any

from sqlalchemy import RowMapping, Select, delete, insert, select, update

from patchbay.domain.base import UserId
from patchbay.domain.people import VIEWER, Invitation
from patchbay.storage.repositories import users
from patchbay.storage.repositories.rows import Tx, not_found
from patchbay.storage.tables import invitation, user


def find(tx: Tx) -> tuple[Invitation, ...]:
    """All open invitations by name, also expired ones."""
    rows = tx.execute(_invitation_query().order_by(*users.BY_NAME)).mappings()
    return tuple(map(_invitation, rows))


def get(tx: Tx, user_id: UserId) -> Invitation:
    """Return the invitation of a user. Raises `NotFound`."""
    return _get_one(tx, _invitation_query().where(user.c.id == user_id))


def find_by_token(tx: Tx, digest: str) -> Invitation:
    """Get the invitation with this token hash, also an expired one. Raises `NotFound`."""
    return _get_one(tx, _invitation_query().where(invitation.c.token_hash == digest))


def put(tx: Tx, item: Invitation, digest: str) -> None:
    """Store an invitation. If the person is already invited, the new link replaces the old one."""
    if item.id in {known.id for known in find(tx)}:
        columns = {"full_name": item.full_name, "role": (item.role or VIEWER).key}
        users.change(tx, item.id, item.updated_at, **columns)
        revoke_link(tx, item.id)
    else:
        users.add(tx, item)
    tx.execute(insert(invitation).values(user_id=item.id, token_hash=digest, expires_at=item.expires_at or 0))


def mailed(tx: Tx, user_id: UserId, digest: str) -> None:
    """Mark the link with this token hash as emailed."""
    same = (invitation.c.user_id == user_id, invitation.c.token_hash == digest)
    tx.execute(update(invitation).where(*same).values(mailed=True))


def revoke_link(tx: Tx, user_id: UserId) -> None:
    """Make the person's invitation link invalid."""
    tx.execute(delete(invitation).where(invitation.c.user_id == user_id))


def remove(tx: Tx, user_id: UserId) -> None:
    """Delete an invitation, with its user if they never joined."""
    revoke_link(tx, user_id)
    tx.execute(delete(user).where(user.c.id == user_id, user.c.status == users.INVITED))


def _get_one(tx: Tx, query: Select[Any]) -> Invitation:
    row = tx.execute(query).mappings().first()
    if row is None:
        raise not_found("invitation")
    return _invitation(row)


def _invitation_query() -> Select[Any]:
    joined = select(user, invitation.c.expires_at, invitation.c.mailed).join(
        invitation, invitation.c.user_id == user.c.id
    )
    return joined.where(user.c.status == users.INVITED)


def _invitation(row: RowMapping) -> Invitation:
    return Invitation.model_validate({**row, "role": users.role_from_row(row)})
