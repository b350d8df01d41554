"""The person a local workspace belongs to."""

from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.base import EpochMs
from patchbay.domain.organise import User
from patchbay.storage.database import Database
from patchbay.storage.repositories import users


async def ensure_owner(
    db: Database, clock: Callable[[], EpochMs], full_name: str = "Owner", email: str = "owner@localhost"
) -> User:
    """The first user of this database, made when there is none yet."""
    new_id, now = str(uuid4()), clock()
    return await db.write(lambda tx: users.owner(tx, new_id, full_name, email, now))
