"""An SQLite file: opening it, its size, and giving free space back to the disk."""

import asyncio
import shutil
import sqlite3
import time
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from patchbay.domain.errors import StorageFault
from patchbay.storage.commit_counter import find_lost_commits, open_commit_counter, read_commit_record
from patchbay.storage.database import Database, DiskUse, OpenedDatabase
from patchbay.storage.driver import Driver
from patchbay.storage.integrity import damage
from patchbay.storage.migrate import migrate_database
from patchbay.storage.moving.endpoints import moving_path, unfinished_move
from patchbay.storage.sqlite import (
    ReaderPool,
    cannot_open,
    create_private,
    is_database_or_empty,
    not_a_database,
    sqlite_of,
    translate_sqlite_errors,
    writer_engine,
)
from patchbay.storage.sqlite_writer import SqliteWriter

MIN_FREE_BYTES = 16 * 1024 * 1024
"""Bytes that must be free: for the largest webhook and SQLite's write-ahead log."""
_WRITER_SECONDS = 0.002
"""Time one step may occupy the writer thread, before its commit."""
_ROUNDS_PER_CHECKPOINT = 10
_BUSY_MS = 10_000


def open_sqlite(path: Path) -> OpenedDatabase:
    """Open or create the file, migrate it after a backup, and check its schema. Blocks."""
    with translate_sqlite_errors():
        try:
            _reject_unfinished_move(path)
            create_private(path)
            if not is_database_or_empty(path):
                raise not_a_database()
        except OSError as error:
            raise cannot_open(error) from error
        connection = writer_engine(path).connect()
        try:
            migrate_database(connection, path)
            driver = sqlite_of(connection)
            counter = open_commit_counter(driver, path)
            lost_commits = find_lost_commits(driver, read_commit_record(path))
        except BaseException:
            connection.close()
            raise
    writer = SqliteWriter(connection, counter)
    return OpenedDatabase(str(path), writer, ReaderPool(path), SqliteFile(path), lost_commits)


def _reject_unfinished_move(path: Path) -> None:
    if moving_path(path).exists() and not (path.exists() and path.stat().st_size):
        raise unfinished_move(str(path.parent), f"delete {moving_path(path).name}")


class SqliteFile:
    """The upkeep of a database file; see `Upkeep`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def disk_use(self, tx: Connection) -> DiskUse:
        """The size of the file and of its write-ahead log, and of its free pages."""
        names = (self._path.name, f"{self._path.name}-wal", f"{self._path.name}-shm")
        files = (self._path.with_name(name) for name in names)
        size = sum(file.stat().st_size for file in files if file.exists())
        return DiskUse(size, _pragma(tx, "freelist_count") * _pragma(tx, "page_size"))

    def damage(self, tx: Connection) -> tuple[str, ...]:
        return damage(tx)

    def require_free_space(self) -> None:
        try:
            usage = shutil.disk_usage(self._path.parent)
        except OSError as error:
            raise StorageFault(f"The data folder can't be reached: {error.strerror}.") from error
        if usage.free < MIN_FREE_BYTES:
            raise StorageFault(
                f"The disk is almost full: less than {MIN_FREE_BYTES // 1024**2} MB are free.",
                meaning="New events and changes may not be saved.",
                todo="Free some space on the disk that holds the data folder.",
            )

    async def after_deletion(self, db: Database) -> None:
        """Move the write-ahead log to the file: many small checkpoints block writers less than a big one."""
        await db.write_outside_transaction(_checkpoint_log)

    async def release_free_space(self, db: Database, max_free_share: float, pause: float) -> int:
        return await _release_free_pages(db, max_free_share, pause)


async def _release_free_pages(db: Database, max_free_share: float, pause: float) -> int:
    """Release free pages to the disk until at most `max_free_share` (0 to 1) of the file is free.

    Returns bytes. A file without incremental vacuum (see `migrate.enable_incremental_vacuum`) keeps its size,
    and its free pages are reused.
    """
    pages, free, size = await db.read(
        lambda tx: (_pragma(tx, "page_count"), _pragma(tx, "freelist_count"), _pragma(tx, "page_size"))
    )
    goal = min(free, int(pages * max_free_share))
    free_pages, rounds = free, 0
    while free_pages > goal:
        before = free_pages
        free_pages = await db.write_driver(partial(_vacuum_pages, goal))
        rounds += 1
        if free_pages >= before:
            break
        if rounds % _ROUNDS_PER_CHECKPOINT == 0:
            await db.write_outside_transaction(_checkpoint_log)
        await asyncio.sleep(pause)
    if free_pages < free:
        await db.write_outside_transaction(_truncate_log)
    return (free - free_pages) * size


def _checkpoint_log(driver: sqlite3.Connection) -> None:
    driver.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _vacuum_pages(goal: int, driver: Driver) -> int:
    """Release a page, and more for at most `_WRITER_SECONDS`. Returns how many are still free."""
    deadline = time.perf_counter() + _WRITER_SECONDS
    free_pages: int = driver.execute("PRAGMA freelist_count").fetchone()[0]
    while free_pages > goal:
        # One page per call: Python's driver stops after the first, whatever number it is called with.
        driver.execute("PRAGMA incremental_vacuum(1)")
        free_pages -= 1
        if time.perf_counter() >= deadline:
            break
    found: int = driver.execute("PRAGMA freelist_count").fetchone()[0]
    return found


def _truncate_log(driver: sqlite3.Connection) -> None:
    """Move the write-ahead log to the file and truncate it, unless a reader uses it now."""
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        driver.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")


def _pragma(tx: Connection, name: str) -> int:
    number: int = tx.exec_driver_sql(f"PRAGMA {name}").scalar_one()
    return number
