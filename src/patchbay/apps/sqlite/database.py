"""Opens the database file. This runs in a process of its own, which can use no other folder and then ends.

A file from others can be malicious: it can have triggers, views, and damaged pages. So its schema isn't
trusted, and what a statement can do is decided by `_authorize`, not by its text.
"""

import os
import sqlite3
import sys
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import AppError, ComputationStopped, Forbidden, Unreachable
from patchbay.integration.local_files import AllowedPath, LocalFiles
from patchbay.integration.local_files.errors import link_error
from patchbay.integration.sql import RowCollector
from patchbay.integration.values import parameter_error

MAX_FILE_BYTES = 1 << 30
MAX_GROWTH_BYTES = 64 << 20
STATEMENT_SECONDS = 20.0
_BUSY_SECONDS = 5.0
_JOURNAL = "-journal"
_COMPANIONS = (_JOURNAL, "-wal", "-shm")
_SUPER_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""How a journal ends that names a further file, which SQLite deletes when it undoes a transaction."""
_STEPS_BETWEEN_CHECKS = 10_000
_MAX_DESCRIPTORS = 256
_SETTINGS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA mmap_size = 0",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -8000",
    "PRAGMA foreign_keys = ON",
)
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 16 << 20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 1_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 50,
}
_READING = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_RECURSIVE,
)
_WRITING = (
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
)
_TABLE_FUNCTIONS = ("pragma_table_info", "json_each", "json_tree")
_PRAGMAS = ("table_info", "table_xinfo")
_BLOCKED_FUNCTIONS = ("load_extension", "fts3_tokenizer", "readfile", "writefile", "edit")


def run(
    root: str,
    parts: Sequence[str],
    own_folders: Sequence[str],
    sql: str,
    values: Sequence[Sequence[Json]],
    writes: bool,
    max_rows: int,
) -> JsonObject:
    """The result of a statement. The function that worker processes call, once in each."""
    path = AllowedPath(root, tuple(parts))
    local = LocalFiles(lambda: (root,), [*map(Path, own_folders)])
    if writes:
        _require_plain_journal(local, path)
    space = MAX_GROWTH_BYTES if writes else None
    with local.confined(path, _COMPANIONS, space=space) as status:
        if status.st_size > MAX_FILE_BYTES:
            raise parameter_error("path", f"The database is larger than {MAX_FILE_BYTES >> 30} GB.")
        return execute(path, sql, values, writes, max_rows, expected=status)


def _require_plain_journal(local: LocalFiles, path: AllowedPath) -> None:
    """Raise `Forbidden` if the journal names a file, whatever it begins with: undoing reads only its end."""
    journal = path.folder.child(path.name + _JOURNAL)
    if local.read_end(journal, len(_SUPER_JOURNAL_MAGIC)) == _SUPER_JOURNAL_MAGIC:
        raise Forbidden(
            f"The journal “{journal.name[:200]}” belongs to a transaction over several databases.",
            meaning="It isn't used, because it could make SQLite delete any file.",
            todo="Open the database with the program that wrote to it last, then retry.",
        )


def execute(
    path: AllowedPath,
    sql: str,
    values: Sequence[Sequence[Json]],
    writes: bool,
    max_rows: int,
    *,
    expected: os.stat_result | None = None,
    seconds: float = STATEMENT_SECONDS,
) -> JsonObject:
    """Run one statement in a transaction. `expected`: the file that must have been opened."""
    try:
        with closing(_open(path, writes)) as database:
            if expected is not None and not _is_open(expected):
                raise link_error(path)
            ends_at = time.monotonic() + seconds
            database.set_progress_handler(lambda: time.monotonic() > ends_at, _STEPS_BETWEEN_CHECKS)
            database.set_authorizer(_authorize(writes))
            cursor = database.execute(sql, [_bound(kind, value) for kind, value in values])
            result = _collect(cursor, writes, max_rows)
            database.set_authorizer(None)
            database.execute("COMMIT")
            return result
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _error(error, writes) from None
    except UnicodeDecodeError:
        raise parameter_error("path", "The database has names that aren't valid UTF-8.") from None


def _open(path: AllowedPath, writes: bool) -> sqlite3.Connection:
    address = f"{Path(str(path)).as_uri()}?mode={'rw' if writes else 'ro'}"
    # As `connect`, which the check of apps finds: this process may wait, it runs one statement and ends.
    database = sqlite3.Connection(address, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)
    try:
        database.text_factory = lambda content: content.decode("utf-8", "replace")
        for limit, most in _LIMITS.items():
            database.setlimit(limit, most)
        if sys.version_info >= (3, 12):  # no writing to the inner tables of full-text and R-tree indexes
            database.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        for setting in _SETTINGS:
            database.execute(setting)
        [page_size], [pages] = (
            database.execute(f"PRAGMA {name}").fetchone() for name in ("page_size", "page_count")
        )
        database.execute(f"PRAGMA max_page_count = {pages + MAX_GROWTH_BYTES // page_size:d}")
        database.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
        # Opens the file, and prepares the table-valued functions, which takes more than statements can do.
        for name in _TABLE_FUNCTIONS:
            database.execute(f"SELECT 1 FROM {name}('[]')").fetchone()
    except BaseException:
        database.close()
        raise
    return database


def _is_open(expected: os.stat_result) -> bool:
    """Whether this process has opened the file, and not one that took its place. Windows doesn't tell."""
    if os.name == "nt":
        return True
    for descriptor in range(3, _MAX_DESCRIPTORS):
        try:
            if os.path.samestat(os.fstat(descriptor), expected):
                return True
        except OSError:
            continue
    return False


def _authorize(writes: bool) -> Callable[..., int]:
    """Decides what a statement can do, with its triggers and views: read, and write if that is allowed."""
    allowed = (*_READING, *(_WRITING if writes else ()))

    def decide(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_FUNCTION:
            is_allowed = (second or "").lower() not in _BLOCKED_FUNCTIONS
        elif action == sqlite3.SQLITE_PRAGMA:
            is_allowed = first in _PRAGMAS
        else:
            is_schema = action in _WRITING and (first or "").lower().startswith("sqlite_")
            is_allowed = action in allowed and not is_schema
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    return decide


def _collect(cursor: sqlite3.Cursor, writes: bool, max_rows: int) -> JsonObject:
    if cursor.description is None:
        return {"count": max(cursor.rowcount, 0), "insertId": cursor.lastrowid}
    collector = RowCollector([name for name, *_ in cursor.description], max_rows)
    collector.add_rows(cursor if writes else islice(cursor, max_rows + 1))
    found = collector.result(writes=writes)
    cursor.close()
    rows: list[Json] = [*(found.rows or ())]
    return {"count": found.count, "rows": rows, "isTruncated": found.is_truncated}


def _bound(kind: Json, value: Json) -> object:
    return b64decode(str(value)) if kind == "bytes" else value


def _error(error: sqlite3.Error | sqlite3.Warning, writes: bool) -> AppError:
    """By SQLite's code: its words can contain those of the statement or of the file."""
    said, code = str(error), getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        happened = f"The statement took longer than {STATEMENT_SECONDS:.0f} seconds."
        return ComputationStopped(happened, reason="time", todo="Request less, or add an index to the table.")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Unreachable("Another program is using the database.", todo="Try again later.")
    # A function that isn't allowed has the code of a wrong statement.
    if code in (sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY) or said.startswith("not authorized"):
        todo = "" if writes else "If the statement should change data, set “Changes data” to Yes."
        return Forbidden(f"The statement isn't allowed here ({said}).", todo=todo)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return parameter_error("path", f"The file isn't a valid SQLite database ({said}).")
    return AppError(
        f"SQLite returned “{said[:500]}”.", todo="Check the statement and the values of this step."
    )
