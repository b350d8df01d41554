"""A PostgreSQL database as the source or the target of a move. Rows travel with COPY, in both directions."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from patchbay.storage.migrate import HEAD_REVISION
from patchbay.storage.moving.content import (
    MOVED_FROM_KEY,
    MOVED_TABLES,
    Differences,
    MovedTable,
    Row,
    RowConverter,
    converter_to_postgresql,
    quote,
)
from patchbay.storage.moving.endpoints import (
    CREATE_MOVE_TABLE,
    MOVE_TABLE,
    MoveState,
    RowsRejected,
    TableProgress,
    progress_row,
    schema_fault,
)
from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.postgresql.connections import (
    PostgresDriver,
    connect,
    engine_for,
    postgres_of,
    translate,
)
from patchbay.storage.postgresql.schema import complete_schema, require_server, table_statements
from patchbay.storage.postgresql.writer import connect_alone
from patchbay.storage.repositories import meta
from patchbay.storage.repositories.rows import Tx

_TIMEOUTS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_PUT_PROGRESS = (
    f"INSERT INTO {MOVE_TABLE} (key, value) VALUES (?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
_CONTINUE_IDS = (
    "SELECT setval(pg_get_serial_sequence('audit', 'id'), (SELECT max(id) FROM audit))"
    " WHERE EXISTS (SELECT 1 FROM audit)"
)
_SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(pg_catalog.quote_ident(tablename::text)::regclass)), 0)"
    " FROM pg_tables"
    " WHERE schemaname = current_schema() AND tablename = ANY(?)"
)


class _PostgresEndpoint:
    """A connection that holds the lock of the database."""

    def __init__(self, address: PostgresAddress) -> None:
        """Raises `DatabaseInUse` if a server uses the database."""
        self.name = str(address)
        self.connection = connect_alone(engine_for(lambda: connect(address)))
        self._driver: PostgresDriver = postgres_of(self.connection)
        try:
            require_server(self._driver)
            for limit in _TIMEOUTS:
                self._driver.execute("SELECT set_config(?, '0', false)", (limit,))
        except BaseException:
            self.close()
            raise

    def count(self, table: MovedTable) -> int:
        return self._number(f"SELECT count(*) FROM {table.rows}")

    def read_rows(self, table: MovedTable, after: Sequence[Any] | None) -> Iterator[tuple[Row, Row]]:
        key = table.key.on(self._driver)
        query = table.select_by_key(key, continued=after is not None)
        for row in self._copy_out(table, query, (*key, *table.columns), after or ()):
            yield row[: len(key)], row[len(key) :]

    def read_unordered(self, table: MovedTable) -> Iterator[Row]:
        return self._copy_out(table, table.select(table.columns), table.columns, ())

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error, SQLAlchemyError):
            self.connection.invalidate()  # also in the middle of a copy
            self.connection.close()

    def _copy_out(
        self, table: MovedTable, query: str, columns: Sequence[str], values: Sequence[Any]
    ) -> Iterator[Row]:
        kinds = dict(zip(table.columns, table.kinds, strict=True))
        statement = translate(f"COPY ({query}) TO STDOUT")
        with self._driver.connection.cursor().copy(statement, values) as copy:
            copy.set_types([kinds[column] for column in columns])
            yield from copy.rows()

    def _number(self, query: str, values: Sequence[Any] = ()) -> int:
        return int(cast(Row, self._driver.execute(query, values).fetchone())[0])

    def _tables(self) -> set[str]:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        return {row[0] for row in self._driver.execute(query).fetchall()}

    def _revision(self) -> str | None:
        if "alembic_version" not in self._tables():
            return None
        row = self._driver.execute("SELECT version_num FROM alembic_version").fetchone()
        return None if row is None else str(row[0])


class PostgresSource(_PostgresEndpoint):
    """A database that is only read."""

    def __init__(self, address: PostgresAddress) -> None:
        """Raises `Conflict` for a database of another version, and one without a workspace."""
        super().__init__(address)
        try:
            if (revision := self._revision()) != HEAD_REVISION:
                raise schema_fault(self.name, revision, HEAD_REVISION)
            self._driver.execute(_BEGIN_READING)
        except BaseException:
            self.close()
            raise

    def size(self) -> int:
        return self._number(_SIZE, ([table.name for table in MOVED_TABLES],))


class PostgresTarget(_PostgresEndpoint):
    """A database without a workspace."""

    def moved_from(self) -> str | None:
        return meta.get(self.connection, MOVED_FROM_KEY) if self._revision() is not None else None

    def is_empty(self) -> bool:
        names = {table.name for table in MOVED_TABLES} | {"alembic_version", MOVE_TABLE}
        return not names & self._tables()

    def values(self) -> Mapping[str, str]:
        if MOVE_TABLE not in self._tables():
            return {}
        return dict(self._driver.execute(f"SELECT key, value FROM {MOVE_TABLE}").fetchall())

    def begin(self, state: MoveState) -> None:
        with self._transaction():
            if MOVE_TABLE in self._tables():
                names = ", ".join(quote(name) for name in (*(t.name for t in MOVED_TABLES), MOVE_TABLE))
                self._driver.execute(f"DROP TABLE IF EXISTS {names}")
            for statement in (*table_statements(self.connection.dialect), CREATE_MOVE_TABLE):
                self._driver.execute(statement)
            self._driver.execute(_PUT_PROGRESS, state.to_row())

    def converter(self, table: MovedTable, found: Differences) -> RowConverter:
        return converter_to_postgresql(table, found)

    def load(self, table: MovedTable, rows: Iterable[Row], progress: TableProgress) -> None:
        columns = ", ".join(map(quote, table.columns))
        statement = translate(f"COPY {quote(table.name)} ({columns}) FROM STDIN")
        with self._transaction():
            try:
                with self._driver.connection.cursor().copy(statement) as copy:
                    for row in rows:
                        copy.write_row(row)
            except (psycopg.IntegrityError, psycopg.DataError) as error:
                raise RowsRejected(table.name, self.name) from error
            self._driver.execute(_PUT_PROGRESS, progress_row(table, progress))

    def finish(self, moved_from: str, change: Callable[[Tx], object]) -> None:
        with self._transaction():
            self._driver.execute(f"DROP TABLE {MOVE_TABLE}")
            self._driver.execute(_CONTINUE_IDS)
            complete_schema(self.connection)
            meta.put(self.connection, MOVED_FROM_KEY, moved_from)
            change(self.connection)
            for table in MOVED_TABLES:
                self._driver.execute(f"ANALYZE {quote(table.name)}")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._driver.execute("BEGIN")
        try:
            yield
            self._driver.execute("COMMIT")
        except BaseException:
            if not self._driver.connection.closed:
                self._driver.execute("ROLLBACK")
            raise
