"""API keys of the HTTP API. Only their hashes are stored."""

from sqlalchemy import delete, insert, select, update

from patchbay.domain.access import ApiKey
from patchbay.domain.base import EpochMs
from patchbay.storage.repositories.rows import Tx, not_found
from patchbay.storage.tables import api_key


def add(tx: Tx, key: ApiKey, digest: str) -> None:
    """Insert an API key with the hash of its value."""
    tx.execute(insert(api_key).values(**key.model_dump(), hash=digest))


def find(tx: Tx) -> tuple[tuple[ApiKey, str], ...]:
    """Every key with the hash of its value, oldest first."""
    rows = tx.execute(select(api_key).order_by(api_key.c.created_at, api_key.c.id)).mappings()
    return tuple((ApiKey.model_validate(dict(row)), row["hash"]) for row in rows)


def used(tx: Tx, key_id: str, now: EpochMs) -> None:
    """Record when a key was last used."""
    tx.execute(update(api_key).where(api_key.c.id == key_id).values(last_used_at=now))


def remove(tx: Tx, key_id: str) -> None:
    """Delete an API key. Raises `NotFound`."""
    if not tx.execute(delete(api_key).where(api_key.c.id == key_id)).rowcount:
        raise not_found("API key")
