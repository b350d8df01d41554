"""Key-value pairs about the database, such as its data key's ID."""

from sqlalchemy import delete, select, text

from patchbay.storage.repositories.rows import Tx
from patchbay.storage.tables import meta

_PUT = text(
    "INSERT INTO meta (key, value) VALUES (:key, :value)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)


def get(tx: Tx, key: str) -> str | None:
    """Return a value of the database; None if there is none."""
    value: str | None = tx.execute(select(meta.c.value).where(meta.c.key == key)).scalar()
    return value


def put(tx: Tx, key: str, value: str) -> None:
    """Store a value, replacing the previous one, also while another program stores one."""
    tx.execute(_PUT, {"key": key, "value": value})


def remove(tx: Tx, key: str) -> None:
    """Delete a value."""
    tx.execute(delete(meta).where(meta.c.key == key))


def names(tx: Tx, prefix: str) -> tuple[str, ...]:
    """All keys that start with `prefix`."""
    found = select(meta.c.key).where(meta.c.key.startswith(prefix, autoescape=True))
    return tuple(tx.execute(found).scalars())
