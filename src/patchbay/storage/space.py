"""The space a database takes on the disk: how much, what of it is free, and giving that back."""

import asyncio
import sqlite3
import time
from functools import partial

from sqlalchemy import Connection, func, select

from patchbay.domain.engine import StorageUsage
from patchbay.storage import tally
from patchbay.storage.database import Database
from patchbay.storage.execution_filter import ExecutionSelection
from patchbay.storage.sqlite import driver_of
from patchbay.storage.tables import execution

MAX_FREE_SHARE = 0.05
"""Part of the file that may stay free: what goes in an hour is soon written again."""
WRITER_SECONDS = 0.002
"""Seconds that a piece of upkeep may hold the writer, before its commit."""
PAUSE_SECONDS = 0.008
"""Seconds between two such pieces, in which everybody else's writes go through."""

_ROUNDS_PER_CHECKPOINT = 10
_BUSY_MS = 10_000


async def storage_usage(db: Database) -> StorageUsage:
    """What the file, its side files and the history in it take."""

    def read(tx: Connection) -> StorageUsage:
        return StorageUsage(
            bytes=db.size(),
            free_bytes=_pragma(tx, "freelist_count") * _pragma(tx, "page_size"),
            executions=tally.count_all(driver_of(tx), ExecutionSelection()),
            oldest_at=tx.execute(select(func.min(execution.c.created_at))).scalar_one(),
        )

    return await db.read(read)


async def release_free_pages(db: Database, max_free_share: float = 0.0, pause: float = PAUSE_SECONDS) -> int:
    """Give free pages back to the disk, a few at a time, until at most `max_free_share` of the file (0 to 1) is free.

    Returns bytes. A file that could not be made ready for this (`migrate.make_shrinkable`) keeps its size:
    what is free in it is used again.
    """
    pages, free, size = await db.read(
        lambda tx: (_pragma(tx, "page_count"), _pragma(tx, "freelist_count"), _pragma(tx, "page_size"))
    )
    goal = min(free, int(pages * max_free_share))
    free_pages, rounds = free, 0
    while free_pages > goal:
        before, free_pages, rounds = (
            free_pages,
            await db.write_driver(partial(_vacuum_pages, goal)),
            rounds + 1,
        )
        if free_pages >= before:
            break
        if rounds % _ROUNDS_PER_CHECKPOINT == 0:
            await checkpoint_log(db)
        await asyncio.sleep(pause)
    if free_pages < free:
        await db.write_outside_transaction(_truncate_log)
    return (free - free_pages) * size


async def checkpoint_log(db: Database) -> None:
    """Write what the log holds into the file now: often and little instead of seldom and much at once."""
    await db.write_outside_transaction(_checkpoint_log)


def _checkpoint_log(driver: sqlite3.Connection) -> None:
    driver.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _vacuum_pages(goal: int, driver: sqlite3.Connection) -> int:
    """Give pages back for a moment; how many are still free."""
    deadline = time.perf_counter() + WRITER_SECONDS
    free_pages: int = driver.execute("PRAGMA freelist_count").fetchone()[0]
    while free_pages > goal and time.perf_counter() < deadline:
        # One page a call: this driver stops after the first, whatever number it is given.
        driver.execute("PRAGMA incremental_vacuum(1)")
        free_pages -= 1
    found: int = driver.execute("PRAGMA freelist_count").fetchone()[0]
    return found


def _truncate_log(driver: sqlite3.Connection) -> None:
    """Fold the write-ahead log into the file and empty it, unless somebody reads from it just now."""
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        driver.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")


def _pragma(tx: Connection, name: str) -> int:
    number: int = tx.exec_driver_sql(f"PRAGMA {name}").scalar_one()
    return number
