"""API keys: created, shown once, stored as a hash, and checked."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from uuid import uuid4

from patchbay.domain.access import AccessGrant, ApiKey, NewApiKey, Scope
from patchbay.domain.base import EpochMs, IdType, UserId
from patchbay.domain.people import User
from patchbay.domain.ports import OwnedResource
from patchbay.service.names import checked_name
from patchbay.storage.database import Database
from patchbay.storage.repositories import api_keys, owners, users

KEY_BYTES = 48
LAST_USED_PRECISION_MS = 60_000


@dataclass(frozen=True)
class _CachedKey:
    """A stored key and its permissions; `access` is None when its user has been removed."""

    key: ApiKey
    digest: str
    access: AccessGrant | None


class StoredApiKeys:
    """`ApiKeys` over the database. The hash needs no salt: a key is 384 random bits.

    Keys are cached until `invalidate` is called, which must follow every change of keys or users.
    `workspace_db` is the database of the workspace, if the keys are in a separate database.
    """

    def __init__(
        self, db: Database, clock: Callable[[], EpochMs], workspace_db: Database | None = None
    ) -> None:
        self.db = db
        self._workspace_db = workspace_db or db
        self._clock = clock
        self._cached_keys: tuple[_CachedKey, ...] | None = None
        self._cache_version = 0
        self._last_used: dict[str, EpochMs] = {}

    async def create(self, name: str, scope: Scope = Scope.ADMIN, user_id: UserId | None = None) -> NewApiKey:
        """Create a key and return it with its value. `user_id` isn't checked."""
        created = new_key(name, scope, user_id, self._clock())
        await self.add(created)
        return created

    async def add(self, created: NewApiKey) -> None:
        """Store a key as a hash."""
        await self.db.write(lambda tx: api_keys.add(tx, created.key, hash_key(created.value)))
        self.invalidate()

    async def list(self) -> tuple[ApiKey, ...]:
        """Return all keys, oldest first."""
        return tuple(self._with_last_used(key) for key, _ in await self.db.read(api_keys.find))

    async def revoke(self, key_id: str) -> None:
        """Delete a key. Raises `NotFound`."""
        await self.db.write(lambda tx: api_keys.remove(tx, key_id))
        self.invalidate()

    def invalidate(self) -> None:
        """Clear the cache after keys or users have changed."""
        self._cache_version += 1
        self._cached_keys = None

    async def check(self, value: str) -> AccessGrant | None:
        """Return the permissions of the key with this value; None if there is none.

        Runs in constant time per key.
        """
        wanted = hash_key(value)
        matching = [known for known in await self._load_keys() if hmac.compare_digest(known.digest, wanted)]
        return matching[0].access if matching else None

    async def used(self, access: AccessGrant) -> None:
        """Record that the key was used, to the minute."""
        now, key = self._clock(), self._with_last_used(access.key)
        if key.last_used_at is None or now - key.last_used_at >= LAST_USED_PRECISION_MS:
            self._last_used[key.id] = now
            await self.db.write(lambda tx: api_keys.used(tx, key.id, now))

    async def find_owners(self, kind: OwnedResource, ids: Collection[IdType]) -> Mapping[IdType, UserId]:
        """Return the owners of these resources, by ID."""
        return await self._workspace_db.read(lambda tx: owners.find_owners(tx, kind, ids))

    async def _load_keys(self) -> tuple[_CachedKey, ...]:
        while self._cached_keys is None:
            version = self._cache_version
            people = {person.id: person for person in await self._workspace_db.read(users.find)}
            stored = await self.db.read(api_keys.find)
            if version == self._cache_version:  # otherwise the result may be from before a change
                self._cached_keys = tuple(
                    _CachedKey(key, digest, _access_of(key, people)) for key, digest in stored
                )
        return self._cached_keys

    def _with_last_used(self, key: ApiKey) -> ApiKey:
        used = self._last_used.get(key.id, key.last_used_at)
        return key.model_copy(update={"last_used_at": used})


def new_key(name: str, scope: Scope, user_id: UserId | None, now: EpochMs) -> NewApiKey:
    """Create a key with a random value, without storing it. Raises `ValidationFailed` for an invalid name."""
    value = secrets.token_hex(KEY_BYTES)
    key = ApiKey(
        id=str(uuid4()),
        name=checked_name(name),
        hint=f"{value[:4]}...{value[-4:]}",
        scope=scope,
        user_id=user_id,
        created_at=now,
    )
    return NewApiKey(key=key, value=value)


def hash_key(value: str) -> str:
    """Return the hash under which a key is stored."""
    return hashlib.sha256(value.encode()).hexdigest()


def _access_of(key: ApiKey, people: Mapping[UserId, User]) -> AccessGrant | None:
    if key.user_id is None:
        return AccessGrant(key=key, scope=key.scope)
    person = people.get(key.user_id)
    if person is None or person.role is None:
        return None
    scope = min(key.scope, person.role.scope, key=list(Scope).index)
    return AccessGrant(key=key, scope=scope, person=None if person.role.is_admin else person.id)
