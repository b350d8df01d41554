"""Detects lost commits: a deleted write-ahead log, or an older copy of the database.

Every commit increments a number in the database and, once it is on disk, writes the same number to a small
file beside it. A database that is behind that file has lost the commits in between. The file has the ID of
its database, so a restored backup or another database doesn't count as a loss, and a checksum, so a damaged
file is ignored.
"""

import json
import os
import sqlite3
import zlib
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from patchbay.storage.sqlite import cannot_open

NUMBER_KEY = "generation"
IDENTITY_KEY = "generation_of"
LOST_COMMITS_KEY = "lost_commits"
"""Keys in `meta`: the number of commits, the ID of the database, and the loss that was found."""

PAUSED = "engine.paused"
"""Key in `meta` that pauses all runs; set when commits were lost."""

_RECORD_BYTES = 68


@dataclass(frozen=True)
class LostCommits:
    """A number of commits that are missing from the database."""

    commits: int

    def text(self) -> str:
        """What happened, what it means, and what to do."""
        commits = "1 change" if self.commits == 1 else f"{self.commits:,} changes"
        return (
            f"The database has lost its last {commits}: its write-ahead log (patchbay.db-wal) was deleted or "
            "the database was replaced by an older copy. Runs since then may be missing, and events may be "
            "handled again, so all runs are paused. Restore a backup; or look through the executions and "
            "resume all runs (patchbay engine resume)."
        )


def commit_record_path(database: Path) -> Path:
    """The file beside the database that records its last commit."""
    return database.with_name(f"{database.name}-generation")


@dataclass(frozen=True)
class CommitRecord:
    """Contents of the file beside a database: the ID of the database and the number of its last commit."""

    identity: str
    number: int


class CommitCounter:
    """The number of the last commit, stored in the database and in the file beside it."""

    def __init__(self, path: Path, identity: str, number: int) -> None:
        self._identity, self.number = identity, number
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise cannot_open(error) from error
        try:
            self.publish(number)
        except OSError as error:
            self.close()
            raise cannot_open(error) from error

    def advance(self, driver: sqlite3.Connection) -> int:
        """Increment the number, inside a transaction that changes something. Returns the new number."""
        number = self.number + 1
        driver.execute("UPDATE meta SET value = ? WHERE key = ?", (str(number), NUMBER_KEY))
        return number

    def publish(self, number: int) -> None:
        """Write the number to the file, after the commit.

        Not synced: after a power failure the file may be behind the database, which isn't a loss.
        """
        self.number = number
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, _encode_record(self._identity, number))

    def close(self) -> None:
        os.close(self._file)


def open_commit_counter(driver: sqlite3.Connection, database: Path) -> CommitCounter:
    """Open the counter. If commits are missing, note that in `meta` and pause all runs, in one commit."""
    path = commit_record_path(database)
    meta = _read_meta(driver)
    identity, number = meta.get(IDENTITY_KEY) or str(uuid4()), _commit_number(meta)
    lost_commits = _compare_with_record(meta, read_commit_record(database))
    new = {IDENTITY_KEY: identity, NUMBER_KEY: str(number)}
    if lost_commits is not None:
        number += lost_commits.commits + 1
        new |= {
            NUMBER_KEY: str(number),
            LOST_COMMITS_KEY: json.dumps({"commits": lost_commits.commits}),
            PAUSED: "0",
        }
    if new.items() - meta.items():
        driver.execute("BEGIN IMMEDIATE")
        driver.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", list(new.items()))
        driver.execute("COMMIT")
        if IDENTITY_KEY not in meta:
            # Move the ID into the database file now, so that a loss is detected even if the log is gone.
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return CommitCounter(path, identity, number)


def find_lost_commits(driver: sqlite3.Connection, recorded: CommitRecord | None) -> LostCommits | None:
    """The loss found when the database was last opened, until runs are resumed; or else the loss found now.

    Read `recorded` before the first read of the database: a commit in between would look lost.
    """
    meta = _read_meta(driver)
    if LOST_COMMITS_KEY in meta:
        return LostCommits(int(json.loads(meta[LOST_COMMITS_KEY])["commits"]))
    return _compare_with_record(meta, recorded)


def _compare_with_record(meta: dict[str, str], recorded: CommitRecord | None) -> LostCommits | None:
    # A database without an ID lost everything since it was created, which was still in the log.
    if recorded is None or recorded.identity != meta.get(IDENTITY_KEY, recorded.identity):
        return None
    missing = recorded.number - _commit_number(meta)
    return LostCommits(missing) if missing > 0 else None


def _read_meta(driver: sqlite3.Connection) -> dict[str, str]:
    names = (NUMBER_KEY, IDENTITY_KEY, LOST_COMMITS_KEY, PAUSED)
    return dict(driver.execute("SELECT key, value FROM meta WHERE key IN (?, ?, ?, ?)", names).fetchall())


def _commit_number(meta: dict[str, str]) -> int:
    text = meta.get(NUMBER_KEY, "0")
    return int(text) if text.isdecimal() else 0


def _encode_record(identity: str, number: int) -> bytes:
    body = f"{identity} {number:020}"
    return f"{body} {zlib.crc32(body.encode()):08x}\n".encode().ljust(_RECORD_BYTES)


def read_commit_record(database: Path) -> CommitRecord | None:
    """Read the file beside this database; None if it is missing or damaged."""
    try:
        body, _, check = commit_record_path(database).read_text("ascii").strip().rpartition(" ")
        identity, _, number = body.partition(" ")
        if int(check, 16) == zlib.crc32(body.encode()):
            return CommitRecord(identity, int(number))
    except (OSError, ValueError):
        return None
    return None
