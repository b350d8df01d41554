"""Creates the schema of a new database, and upgrades older files. Imports Alembic only for upgrades."""

import logging
import shutil
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateIndex, CreateTable

from patchbay.domain.errors import StorageFault
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.storage.counters import CREATE_TRIGGERS, CREATE_VIEW
from patchbay.storage.integrity import missing_indexes, schema_differences
from patchbay.storage.sqlite import ENABLE_INCREMENTAL_VACUUM, sqlite_of, storage_fault
from patchbay.storage.tables import metadata

if TYPE_CHECKING:
    from alembic.config import Config

_log = logging.getLogger(__name__)

HEAD_REVISION = "0014"
"""The newest revision in `migrations/versions`."""

MIGRATIONS_FOLDER = Path(__file__).parent / "migrations"
_AUTO_VACUUM_INCREMENTAL = 2
_VERSION_TABLE = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"


def migrate_database(connection: Connection, path: Path) -> None:
    """Create the schema in an empty file, or upgrade an older file after copying it.

    Raises `StorageFault` for a file of a newer version, and for a schema that isn't as expected.
    """
    driver = sqlite_of(connection)
    tables = {row[0] for row in driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        _create(sqlite_of(connection))
        return
    if "alembic_version" not in tables:
        raise StorageFault(
            f"{path.name} isn't a Patchbay database.",
            meaning="It belongs to another program; nothing was changed.",
            todo="Choose another data folder.",
        )
    row = driver.execute("SELECT version_num FROM alembic_version").fetchone()
    if row is None or row[0] != HEAD_REVISION:
        _upgrade(connection, path, row[0] if row else None)
    _require_schema(driver, path)
    enable_incremental_vacuum(driver, path)


@cache
def table_statements() -> tuple[str, ...]:
    """The SQL of all tables, without indexes. Compiling it takes longer than running it."""
    sqlite = dialect()
    return tuple(str(CreateTable(table).compile(dialect=sqlite)) for table in metadata.sorted_tables)


@cache
def _index_statements() -> tuple[str, ...]:
    sqlite = dialect()
    indexes = (
        index
        for table in metadata.sorted_tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    )
    return tuple(str(CreateIndex(index).compile(dialect=sqlite)) for index in indexes)


def complete_schema(driver: sqlite3.Connection) -> None:
    """Create the indexes, the view, and the triggers of the tables, and note their version."""
    for statement in (*_index_statements(), CREATE_VIEW, *CREATE_TRIGGERS, _VERSION_TABLE):
        driver.execute(statement)
    driver.execute("INSERT INTO alembic_version VALUES (?)", (HEAD_REVISION,))


def _create(driver: sqlite3.Connection) -> None:
    driver.execute("BEGIN IMMEDIATE")
    try:
        for statement in table_statements():
            driver.execute(statement)
        complete_schema(driver)
        driver.execute("COMMIT")
    except BaseException:
        driver.rollback()
        raise


def load_alembic() -> tuple["Config", frozenset[str], Callable[["Config", str], None]]:
    """Alembic's settings for our migrations, the revisions among them, and what upgrades to one."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    return config, frozenset(script.revision for script in scripts), command.upgrade


def _upgrade(connection: Connection, path: Path, revision: str | None) -> None:
    config, known, upgrade = load_alembic()
    if revision is not None and revision not in known:
        raise StorageFault(
            "The database was written by a newer version of Patchbay.",
            meaning=f"This version can't read {path.name} safely. Nothing was changed.",
            todo="Update Patchbay, or open another data folder.",
        )
    _back_up(sqlite_of(connection), path, revision)
    config.attributes["connection"] = connection
    driver = sqlite_of(connection)
    # Migrations rebuild tables to change them; with foreign keys on, that would delete the rows that refer
    # to them.
    driver.execute("PRAGMA foreign_keys = OFF")
    driver.execute("BEGIN IMMEDIATE")
    try:
        upgrade(config, "head")
        driver.execute("COMMIT")
    except BaseException as error:
        driver.rollback()
        if isinstance(error, Exception):
            raise _upgrade_failed(error, path, revision) from error
        raise
    finally:
        driver.execute("PRAGMA foreign_keys = ON")


def _require_schema(driver: sqlite3.Connection, path: Path) -> None:
    """Create missing indexes. Raises `StorageFault` for breaking differences."""
    found = schema_differences(driver)
    if not found:
        return
    _log.warning("the schema of %s differs: %s", path.name, "; ".join(map(str, found)))
    if breaking := [difference for difference in found if difference.is_breaking]:
        shown = "; ".join(difference.text for difference in breaking[:3])
        more = f"; and {len(breaking) - 3} more" if len(breaking) > 3 else ""
        raise StorageFault(
            f"The structure of the database {path.name} isn't the one this version of Patchbay expects.",
            meaning=f"It was changed by another program or by an unreleased version: {shown}{more}. "
            "It wasn't opened, because using it could lose data.",
            todo="Run “patchbay doctor” for the complete list. Restore a backup with "
            "“patchbay restore --force”, or the copy made before the last upgrade (patchbay.db.before-…).",
        )
    for statement in missing_indexes(driver):
        driver.execute(statement)


def enable_incremental_vacuum(driver: sqlite3.Connection, path: Path) -> None:
    """Rewrite a file of an old version once, so that free pages can be released to the disk in small steps.

    Takes about 10 s for 1 GB, with no other connection open. Skipped while the disk has no space for the two
    copies that VACUUM needs.
    """
    if driver.execute("PRAGMA auto_vacuum").fetchone()[0] == _AUTO_VACUUM_INCREMENTAL:
        return
    try:
        if shutil.disk_usage(path.parent).free < 3 * path.stat().st_size:
            return
        driver.execute("PRAGMA temp_store = FILE")
        driver.execute(ENABLE_INCREMENTAL_VACUUM)
        driver.execute("VACUUM")
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, OSError) as error:
        _log.warning("The database couldn't be rewritten, so its file can't shrink: %s", error)
    finally:
        driver.execute("PRAGMA temp_store = MEMORY")


def backup_path(path: Path, revision: str | None) -> Path:
    """Path of the copy made before an upgrade."""
    return path.with_name(f"{path.name}.before-{HEAD_REVISION}-was-{revision or 'empty'}")


def _back_up(driver: sqlite3.Connection, path: Path, revision: str | None) -> None:
    target = backup_path(path, revision)
    part = target.with_name(f"{target.name}.part")
    delete_file(part)
    part.touch(mode=0o600)
    copy = sqlite3.connect(part)
    try:
        driver.backup(copy)
    finally:
        copy.close()
    replace_file(part, target)


def _upgrade_failed(error: Exception, path: Path, revision: str | None) -> StorageFault:
    """The error for a failed migration. An error of the disk keeps its own text."""
    fault = storage_fault(error)
    if fault is not None and not _is_plain_sql_error(error):
        return fault
    detail = getattr(error, "orig", error)
    return StorageFault(
        f"The database {path.name} couldn't be upgraded ({detail}).",
        meaning=f"Its data doesn't match revision {revision or '(none)'}. Nothing was changed.",
        todo=f"Run “patchbay doctor”, then restore a backup. A copy of the file is in "
        f"{backup_path(path, revision).name}.",
    )


def _is_plain_sql_error(error: Exception) -> bool:
    original = error.orig if isinstance(error, DBAPIError) else error
    return getattr(original, "sqlite_errorname", None) in ("SQLITE_ERROR", None)
