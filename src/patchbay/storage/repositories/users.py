"""Users. A new workspace gets its first one, the owner, when it is opened. Deletion only marks the row."""

from typing import Any

from sqlalchemy import RowMapping, Select, delete, insert, select, update

from patchbay.domain.base import EpochMs, FlowId, UserId
from patchbay.domain.people import ADMIN, EDITOR, ROLES, VIEWER, Role, User
from patchbay.storage.driver import in_any_case
from patchbay.storage.repositories.rows import Tx, not_found
from patchbay.storage.tables import api_key, flow, user

ACTIVE = "active"
INVITED = "invited"
DELETED = "deleted"
"""Values of a user's `status`."""
BY_NAME = (in_any_case(user.c.full_name), user.c.full_name, user.c.id)


def get(tx: Tx, user_id: UserId) -> User:
    """Get an active user. Raises `NotFound`, also for an invited or deleted one."""
    row = tx.execute(_active_user_query().where(user.c.id == user_id)).mappings().first()
    if row is None:
        raise not_found("user")
    return user_from_row(row)


def find(tx: Tx) -> tuple[User, ...]:
    """All active users, by name."""
    rows = tx.execute(_active_user_query().order_by(*BY_NAME)).mappings()
    return tuple(map(user_from_row, rows))


def admin_ids(tx: Tx) -> frozenset[UserId]:
    """IDs of active admins."""
    rows = tx.execute(_active_user_query().where(user.c.role == ADMIN.key)).mappings()
    return frozenset(row["id"] for row in rows)


def find_by_email(tx: Tx, email: str) -> User | None:
    """The user with this email address, also an invited one; None if there is none."""
    row = tx.execute(select(user).where(user.c.email == email)).mappings().first()
    return None if row is None else user_from_row(row)


def add(tx: Tx, item: User) -> User:
    """Store a new user, as an editor if they have no role."""
    role = item.role or EDITOR
    values = item.model_dump(include=set(User.model_fields) - {"role"})
    tx.execute(insert(user).values(**values, role=role.key))
    return item.model_copy(update={"role": role})


def change(tx: Tx, user_id: UserId, now: EpochMs, **columns: Any) -> None:
    """Set columns of a user."""
    tx.execute(update(user).where(user.c.id == user_id).values(updated_at=now, **columns))


def remove(tx: Tx, user_id: UserId, now: EpochMs) -> None:
    """Mark a user as deleted, and release their email address, so that they can be invited again."""
    change(tx, user_id, now, status=DELETED, deleted_at=now, email=f"{user_id}@deleted.invalid")


def published_flow_ids(tx: Tx, user_id: UserId) -> tuple[FlowId, ...]:
    """IDs of this user's published flows, also paused ones."""
    query = select(flow.c.id).where(flow.c.user_id == user_id, flow.c.active, flow.c.deleted_at.is_(None))
    return tuple(tx.execute(query.order_by(flow.c.created_at, flow.c.id)).scalars())


def delete_api_keys(tx: Tx, user_id: UserId) -> tuple[str, ...]:
    """Delete this user's API keys. Returns their IDs."""
    deleted = tuple(tx.execute(select(api_key.c.id).where(api_key.c.user_id == user_id)).scalars())
    tx.execute(delete(api_key).where(api_key.c.user_id == user_id))
    return deleted


def owner(tx: Tx, new_id: UserId, full_name: str, email: str, now: EpochMs) -> User:
    """The first active user of this database; creates one from the given values if there is none."""
    row = tx.execute(_active_user_query().order_by(user.c.created_at, user.c.id).limit(1)).mappings().first()
    if row is not None:
        return user_from_row(row)
    return add(
        tx,
        User(id=new_id, full_name=full_name, email=email, role=ADMIN, created_at=now, updated_at=now),
    )


def user_from_row(row: RowMapping) -> User:
    """The user in a row, with their role."""
    return User.model_validate({**row, "role": role_from_row(row)})


def role_from_row(row: RowMapping) -> Role:
    """The role of a row; an unknown one becomes a viewer, the role with the fewest permissions."""
    return next((role for role in ROLES if role.key == row["role"]), VIEWER)


def _active_user_query() -> Select[Any]:
    return select(user).where(user.c.status == ACTIVE, user.c.deleted_at.is_(None))
