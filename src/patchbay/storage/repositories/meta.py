"""Key-value pairs about the database, such as its encryption key's ID."""

from sqlalchemy import delete, select, update

from patchbay.storage.repositories.rows import Tx, put_row, put_row_if_absent
from patchbay.storage.tables import meta


def get(tx: Tx, key: str) -> str | None:
    """Return a value of the database; None if there is none."""
    value: str | None = tx.execute(select(meta.c.value).where(meta.c.key == key)).scalar()
    return value


def put(tx: Tx, key: str, value: str) -> None:
    """Store a value, replacing the previous one."""
    put_row(tx, meta, {"key": key, "value": value})


def put_if_absent(tx: Tx, key: str, value: str) -> str:
    """Store a value unless there is one or another program stores one now. Returns the stored one."""
    put_row_if_absent(tx, meta, {"key": key, "value": value})
    return get(tx, key) or value


def lock(tx: Tx, key: str) -> None:
    """Keep other programs from locking this value until the commit."""
    tx.execute(update(meta).where(meta.c.key == key).values(value=meta.c.value))


def remove(tx: Tx, key: str) -> None:
    """Delete a value."""
    tx.execute(delete(meta).where(meta.c.key == key))


def names(tx: Tx, prefix: str) -> tuple[str, ...]:
    """All keys that start with `prefix`."""
    found = select(meta.c.key).where(meta.c.key.startswith(prefix, autoescape=True))
    return tuple(tx.execute(found).scalars())
