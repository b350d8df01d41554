"""Whether a database file is sound, and whether it has the expected schema."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from patchbay.storage.faults import translate_sqlite_errors
from patchbay.storage.generation import LostCommits, find_lost_commits, read_commit_record
from patchbay.storage.readers import ReaderPool
from patchbay.storage.schema import SchemaDifference, schema_differences
from patchbay.storage.sqlite import driver_of


@dataclass(frozen=True)
class FileReport:
    """What an inspection found; both are empty when all is well."""

    damage: tuple[str, ...]
    differences: tuple[SchemaDifference, ...]
    lost_commits: LostCommits | None = None


def damage(connection: Connection) -> tuple[str, ...]:
    """What is wrong with the file; empty when all is well."""
    found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    found += [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in broken]
    return tuple(line for line in found if line != "ok")


def inspect_file(path: Path) -> FileReport:
    """Read a file that another program may have open. Raises `StorageFault` when it cannot be read."""
    # Before the database is read: its readers see the state of their first read, however long they take.
    recorded = read_commit_record(path)

    def inspect(connection: Connection) -> FileReport:
        driver = driver_of(connection)
        differences = schema_differences(driver)
        complete = not any(difference.is_breaking for difference in differences)
        return FileReport(
            damage(connection), differences, find_lost_commits(driver, recorded) if complete else None
        )

    with translate_sqlite_errors():
        readers = ReaderPool(path)
        try:
            return readers.run(inspect)
        finally:
            readers.close()
