"""People. A local workspace has one, the owner, made on first use."""

from typing import Any

from sqlalchemy import RowMapping, Select, insert, select

from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.organise import ADMIN, EDITOR, ROLES, VIEWER, User
from patchbay.storage.repositories.rows import Tx, gone
from patchbay.storage.tables import user


def get(tx: Tx, user_id: UserId) -> User:
    row = tx.execute(_living().where(user.c.id == user_id)).mappings().first()
    if row is None:
        raise gone("person")
    return _user(row)


def find(tx: Tx) -> tuple[User, ...]:
    rows = tx.execute(_living().order_by(user.c.full_name, user.c.id)).mappings()
    return tuple(map(_user, rows))


def add(tx: Tx, person: User) -> User:
    """Store the person; without a role, an editor."""
    role = person.role or EDITOR
    tx.execute(insert(user).values(**person.model_dump(exclude={"role"}), role=role.key))
    return person.model_copy(update={"role": role})


def owner(tx: Tx, new_id: UserId, full_name: str, email: str, now: EpochMs) -> User:
    """The first person of this database; made from the given parts when there is none yet."""
    row = tx.execute(_living().order_by(user.c.created_at, user.c.id).limit(1)).mappings().first()
    if row is not None:
        return _user(row)
    first = User(
        id=new_id, full_name=full_name, email=email, role=ADMIN, created_at=now, updated_at=now
    )  # fmt: skip
    return add(tx, first)


def _user(row: RowMapping) -> User:
    role = next((role for role in ROLES if role.key == row["role"]), VIEWER)
    return User.model_validate({**row, "role": role})


def _living() -> Select[Any]:
    return select(user).where(user.c.deleted_at.is_(None))
