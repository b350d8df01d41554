"""Whether a database file is sound, in SQLite's own words."""

from pathlib import Path

from sqlalchemy import Connection

from patchbay.storage.faults import told_in_words
from patchbay.storage.readers import Readers


def damage(connection: Connection) -> tuple[str, ...]:
    """What is wrong with the file; empty when all is well."""
    found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    found += [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in broken]
    return tuple(line for line in found if line != "ok")


def check_file(path: Path) -> tuple[str, ...]:
    """`damage` of a file that another program may have open. Raises `StorageFault` when it cannot be read."""
    with told_in_words():
        readers = Readers(path)
        try:
            return readers.run(damage)
        finally:
            readers.close()
