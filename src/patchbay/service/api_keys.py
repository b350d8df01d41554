"""Keys of our HTTP interface: made here, shown once, stored as a hash."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from uuid import uuid4

from patchbay.domain.access import ApiKey
from patchbay.domain.base import EpochMs, UserId
from patchbay.service.names import checked_name
from patchbay.storage.database import Database
from patchbay.storage.repositories import api_keys

KEY_BYTES = 48
USED_EVERY_MS = 60_000


class StoredApiKeys:
    """`ApiKeys` over the database. The hash needs no salt: a key is 384 random bits."""

    def __init__(self, db: Database, clock: Callable[[], EpochMs], user_id: UserId | None = None) -> None:
        self._db, self._clock, self._user_id = db, clock, user_id

    async def create(self, name: str) -> tuple[ApiKey, str]:
        """A new key and its value, which cannot be had again."""
        value = secrets.token_hex(KEY_BYTES)
        key = ApiKey(
            id=str(uuid4()), name=checked_name(name), hint=f"{value[:4]}...{value[-4:]}",
            user_id=self._user_id, created_at=self._clock(),
        )  # fmt: skip
        await self._db.write(lambda tx: api_keys.add(tx, key, _digest(value)))
        return key, value

    async def list(self) -> tuple[ApiKey, ...]:
        return tuple(key for key, _ in await self._db.read(api_keys.find))

    async def revoke(self, key_id: str) -> None:
        await self._db.write(lambda tx: api_keys.remove(tx, key_id))

    async def check(self, value: str) -> ApiKey | None:
        """The key with this value. Every stored hash is compared, each in constant time."""
        wanted = _digest(value)
        same = [
            key for key, digest in await self._db.read(api_keys.find) if hmac.compare_digest(digest, wanted)
        ]
        if not same:
            return None
        return await self._used(same[0])

    async def _used(self, key: ApiKey) -> ApiKey:
        now = self._clock()
        if key.last_used_at is not None and now - key.last_used_at < USED_EVERY_MS:
            return key
        await self._db.write(lambda tx: api_keys.used(tx, key.id, now))
        return key.model_copy(update={"last_used_at": now})


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
