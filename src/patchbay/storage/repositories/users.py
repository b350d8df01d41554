"""People. A local workspace has one, the owner, made on first use."""

from typing import Any

from sqlalchemy import Select, insert, select

from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.organise import User
from patchbay.storage.repositories.rows import Tx, gone
from patchbay.storage.tables import user


def get(tx: Tx, user_id: UserId) -> User:
    row = tx.execute(_living().where(user.c.id == user_id)).mappings().first()
    if row is None:
        raise gone("person")
    return User.model_validate(dict(row))


def find(tx: Tx) -> tuple[User, ...]:
    rows = tx.execute(_living().order_by(user.c.full_name, user.c.id)).mappings()
    return tuple(User.model_validate(dict(row)) for row in rows)


def add(tx: Tx, person: User) -> User:
    tx.execute(insert(user).values(**person.model_dump()))
    return person


def owner(tx: Tx, new_id: UserId, full_name: str, email: str, now: EpochMs) -> User:
    """The first person of this database; made from the given parts when there is none yet."""
    row = tx.execute(_living().order_by(user.c.created_at, user.c.id).limit(1)).mappings().first()
    if row is not None:
        return User.model_validate(dict(row))
    return add(tx, User(id=new_id, full_name=full_name, email=email, created_at=now, updated_at=now))


def _living() -> Select[Any]:
    return select(user).where(user.c.deleted_at.is_(None))
