"""The file of a data folder as the source or the target of a move.

A target is filled under another name, and renamed when it is complete.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from patchbay.domain.errors import Conflict, StorageFault
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.storage.integrity import schema_differences
from patchbay.storage.migrate import HEAD_REVISION, complete_schema, table_statements
from patchbay.storage.moving.content import (
    MOVED_FROM_KEY,
    Differences,
    MovedTable,
    Row,
    RowConverter,
    converter_to_sqlite,
    quote,
)
from patchbay.storage.moving.endpoints import (
    CREATE_MOVE_TABLE,
    MOVE_TABLE,
    MoveState,
    RowsRejected,
    TableProgress,
    moving_path,
    progress_row,
    schema_fault,
)
from patchbay.storage.repositories import meta
from patchbay.storage.repositories.rows import Tx
from patchbay.storage.sqlite import create_private, reader_engine, sqlite_of, writer_engine

_SIDE_FILES = ("-wal", "-shm", "-journal")
_PUT_PROGRESS = f"INSERT OR REPLACE INTO {MOVE_TABLE} (key, value) VALUES (?, ?)"


def abandon_move(database: Path) -> None:
    """Delete what an unfinished move has copied."""
    for side in (*_SIDE_FILES, ""):
        delete_file(moving_path(database).with_name(moving_path(database).name + side))


class _Rows:
    """Reads the rows of an open file."""

    def __init__(self, path: Path, connection: Connection) -> None:
        self.name = str(path)
        self.connection = connection
        self._driver = sqlite_of(connection)
        self._cursors: list[sqlite3.Cursor] = []

    def count(self, table: MovedTable) -> int:
        number: int = self._driver.execute(f"SELECT count(*) FROM {table.rows}").fetchone()[0]
        return number

    def read_rows(self, table: MovedTable, after: Sequence[Any] | None) -> Iterator[tuple[Row, Row]]:
        key = table.key.on(self._driver)
        query = table.select_by_key(key, continued=after is not None)
        for row in self._read(query, after or ()):
            yield row[: len(key)], row[len(key) :]

    def read_unordered(self, table: MovedTable) -> Iterator[Row]:
        return self._read(table.select(table.columns))

    def close(self) -> None:
        for cursor in self._cursors:  # SQLite keeps a file open until the last of them is closed
            cursor.close()
        self.connection.close()

    def _read(self, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        cursor = self._driver.execute(query, values)
        self._cursors.append(cursor)
        return cursor


class SqliteSource(_Rows):
    """A file that is only read. The caller keeps other programs from writing to it."""

    def __init__(self, path: Path) -> None:
        """Raises `Conflict` for a file of another version."""
        super().__init__(path, reader_engine(path).connect())
        self._path = path
        try:
            self._require_schema()
            self._driver.execute("BEGIN")
        except BaseException:
            self.close()
            raise

    def size(self) -> int:
        files = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def _require_schema(self) -> None:
        revision = _read_revision(self._driver)
        if revision != HEAD_REVISION or any(item.is_breaking for item in schema_differences(self._driver)):
            raise schema_fault(self.name, revision, HEAD_REVISION)


class SqliteTarget:
    """A file that doesn't exist yet. The caller has locked its folder.

    `before_renaming` is called before the file gets its name, since Windows can't replace an open file.
    """

    def __init__(
        self, path: Path, before_renaming: Callable[[], object] = lambda: None, *, dry_run: bool = False
    ) -> None:
        """Raises `Conflict` if the file that a move fills is a link or a folder."""
        self.name = str(path)
        self._path, self._part = path, moving_path(path)
        self._before_renaming = before_renaming
        self._opened: _Rows | None = None
        if self._part.is_symlink() or (self._part.exists() and not self._part.is_file()):
            raise Conflict(
                f"{self._part} isn't a regular file.", todo="Delete it, and run the command again."
            )
        if self._part.exists() and not dry_run:
            create_private(self._part)  # keeps the file, and takes the rights of others
            self._open()
            if _read_revision(sqlite_of(self._rows.connection)) is not None:
                self._rename()  # the program was killed right before that

    @property
    def _rows(self) -> _Rows:
        assert self._opened is not None, "the move has begun"
        return self._opened

    @property
    def connection(self) -> Connection:
        """The connection to the file that is filled, or else to the finished one."""
        if self._opened is None:
            self._opened = _Rows(self._path, reader_engine(self._path).connect())
        return self._opened.connection

    def moved_from(self) -> str | None:
        if self.is_empty():
            return None
        connection = reader_engine(self._path).connect()
        try:
            return meta.get(connection, MOVED_FROM_KEY)
        finally:
            connection.close()

    def is_empty(self) -> bool:
        return not self._path.exists() or not self._path.stat().st_size

    def values(self) -> Mapping[str, str]:
        if self._opened is None:
            return {}
        driver = sqlite_of(self._rows.connection)
        if not driver.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (MOVE_TABLE,)).fetchone():
            return {}
        return dict(driver.execute(f"SELECT key, value FROM {MOVE_TABLE}").fetchall())

    def begin(self, state: MoveState) -> None:
        self.close()
        abandon_move(self._path)
        create_private(self._part)
        self._open()
        with self._transaction() as driver:
            for statement in (*table_statements(), CREATE_MOVE_TABLE):
                driver.execute(statement)
            driver.execute(_PUT_PROGRESS, state.to_row())

    def converter(self, table: MovedTable, found: Differences) -> RowConverter:
        return converter_to_sqlite(table, found)

    def load(self, table: MovedTable, rows: Iterable[Row], progress: TableProgress) -> None:
        columns = ", ".join(map(quote, table.columns))
        places = ", ".join("?" * len(table.columns))
        with self._transaction() as driver:
            try:
                driver.executemany(f"INSERT INTO {quote(table.name)} ({columns}) VALUES ({places})", rows)
            except (sqlite3.IntegrityError, sqlite3.DataError) as error:
                raise RowsRejected(table.name, self.name) from error
            driver.execute(_PUT_PROGRESS, progress_row(table, progress))

    def finish(self, moved_from: str, change: Callable[[Tx], object]) -> None:
        with self._transaction() as driver:
            driver.execute(f"DROP TABLE {MOVE_TABLE}")
            complete_schema(driver)
            meta.put(self.connection, MOVED_FROM_KEY, moved_from)
            change(self.connection)
        self._rename()

    def count(self, table: MovedTable) -> int:
        return self._rows.count(table)

    def read_rows(self, table: MovedTable, after: Sequence[Any] | None) -> Iterator[tuple[Row, Row]]:
        return self._rows.read_rows(table, after)

    def read_unordered(self, table: MovedTable) -> Iterator[Row]:
        return self._rows.read_unordered(table)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _open(self) -> None:
        self._opened = _Rows(self._part, writer_engine(self._part).connect())

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        driver = sqlite_of(self._rows.connection)
        driver.execute("BEGIN IMMEDIATE")
        try:
            yield driver
            driver.execute("COMMIT")
        except BaseException:
            driver.rollback()
            raise

    def _rename(self) -> None:
        self._merge_log()
        self.close()
        descriptor = os.open(self._part, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._before_renaming()
        if not self.is_empty():
            raise Conflict(
                f"Meanwhile, {self._path} was created by another program.",
                todo=f"Move it elsewhere, and run the command again; {self._part.name} is complete.",
            )
        for side in _SIDE_FILES:
            delete_file(self._path.with_name(self._path.name + side))
        replace_file(self._part, self._path)

    def _merge_log(self) -> None:
        """Store all rows in the file itself. Raises `StorageFault` while another program reads it."""
        driver = sqlite_of(self._rows.connection)
        try:
            mode = driver.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            mode = ""
        if mode != "delete":
            raise StorageFault(
                f"Another program is reading {self._part}.",
                meaning="All rows have been moved, but the file can't get its name yet.",
                todo="Close that program, and run the command again.",
            )


def _read_revision(driver: sqlite3.Connection) -> str | None:
    """The version of the schema; None if there is none, or only a part of it."""
    if not driver.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
        return None
    row = driver.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])
