"""Keys of our HTTP interface: made here, shown once, stored as a hash."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from uuid import uuid4

from patchbay.domain.access import AccessGrant, ApiKey, NewApiKey, Scope
from patchbay.domain.base import EpochMs, UserId
from patchbay.domain.people import User
from patchbay.domain.ports import OwnedResource
from patchbay.service.names import checked_name
from patchbay.storage.database import Database
from patchbay.storage.repositories import api_keys, owners, users

KEY_BYTES = 48
LAST_USED_PRECISION_MS = 60_000


@dataclass(frozen=True)
class _CachedKey:
    """One stored key, and what it opens now; None when its person is gone."""

    key: ApiKey
    digest: str
    access: AccessGrant | None


class StoredApiKeys:
    """`ApiKeys` over the database. The hash needs no salt: a key is 384 random bits.

    What is known is kept in memory until `invalidate` is called, which whoever changes keys or people does.
    `people` is the database of the workspace, where the keys are kept apart from it.
    """

    def __init__(self, db: Database, clock: Callable[[], EpochMs], people: Database | None = None) -> None:
        self.db, self._workspace_db, self._clock = db, people or db, clock
        self._cached_keys: tuple[_CachedKey, ...] | None = None
        self._cache_version = 0
        self._last_used: dict[str, EpochMs] = {}

    async def create(self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None) -> NewApiKey:
        """A new key and its value, which cannot be had again. Whose it is is not checked."""
        made = new_key(name, scope, user_id, self._clock())
        await self.add(made)
        return made

    async def add(self, made: NewApiKey) -> None:
        """Store a key, by its hash."""
        await self.db.write(lambda tx: api_keys.add(tx, made.key, hash_key(made.value)))
        self.invalidate()

    async def list(self) -> tuple[ApiKey, ...]:
        """Oldest first."""
        return tuple(self._with_last_used(key) for key, _ in await self.db.read(api_keys.find))

    async def revoke(self, key_id: str) -> None:
        """Raises `NotFound`."""
        await self.db.write(lambda tx: api_keys.remove(tx, key_id))
        self.invalidate()

    def invalidate(self) -> None:
        """Keys or people have changed: the next check reads them anew."""
        self._cache_version += 1
        self._cached_keys = None

    async def check(self, value: str) -> AccessGrant | None:
        """What the key with this value opens. Every known hash is compared, each in constant time."""
        wanted = hash_key(value)
        matching = [known for known in await self._load_keys() if hmac.compare_digest(known.digest, wanted)]
        return matching[0].access if matching else None

    async def used(self, access: AccessGrant) -> None:
        """Note the use, to the minute."""
        now, key = self._clock(), self._with_last_used(access.key)
        if key.last_used_at is None or now - key.last_used_at >= LAST_USED_PRECISION_MS:
            self._last_used[key.id] = now
            await self.db.write(lambda tx: api_keys.used(tx, key.id, now))

    async def find_owners(self, kind: OwnedResource, ids: Collection[str]) -> Mapping[str, UserId]:
        """Whose these things of the workspace are."""
        return await self._workspace_db.read(lambda tx: owners.find_owners(tx, kind, ids))

    async def _load_keys(self) -> tuple[_CachedKey, ...]:
        while self._cached_keys is None:
            version = self._cache_version
            people = {person.id: person for person in await self._workspace_db.read(users.find)}
            stored = await self.db.read(api_keys.find)
            if version == self._cache_version:  # else what was read may be from before the change
                self._cached_keys = tuple(
                    _CachedKey(key, digest, _access_of(key, people)) for key, digest in stored
                )
        return self._cached_keys

    def _with_last_used(self, key: ApiKey) -> ApiKey:
        used = self._last_used.get(key.id, key.last_used_at)
        return key.model_copy(update={"last_used_at": used})


def new_key(name: str, scope: Scope, user_id: UserId | None, now: EpochMs) -> NewApiKey:
    """A key with a random value, not stored yet. Raises `ValidationFailed` for a name that is none."""
    value = secrets.token_hex(KEY_BYTES)
    key = ApiKey(
        id=str(uuid4()), name=checked_name(name), hint=f"{value[:4]}...{value[-4:]}", scope=scope,
        user_id=user_id, created_at=now,
    )  # fmt: skip
    return NewApiKey(key=key, value=value)


def hash_key(value: str) -> str:
    """What is stored of the value of a key."""
    return hashlib.sha256(value.encode()).hexdigest()


def _access_of(key: ApiKey, people: Mapping[UserId, User]) -> AccessGrant | None:
    if key.user_id is None:
        return AccessGrant(key=key, scope=key.scope)
    person = people.get(key.user_id)
    if person is None or person.role is None:
        return None
    scope = min(key.scope, person.role.scope, key=list(Scope).index)
    return AccessGrant(key=key, scope=scope, person=None if person.role.is_admin else person.id)
