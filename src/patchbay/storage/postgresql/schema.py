"""The schema in PostgreSQL, made from `tables`, and its upgrades. All of it runs under an advisory lock.

Differences from SQLite: texts are compared byte by byte (collation "C") and have no maximum length, as SQLite
does it; counts are 64 bits wide; and `execution_tally_fresh` has a row per change instead of one per hour, so
that transactions never wait for each other's counters.
"""

import logging

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    DefaultClause,
    Dialect,
    Index,
    MetaData,
    String,
    Table,
    Text,
    text,
)
from sqlalchemy.schema import CreateIndex, CreateTable

from patchbay.domain.clock import HOUR_MS
from patchbay.domain.errors import StorageFault
from patchbay.storage.counters import CREATE_VIEW, FINISHED_STATES_SQL
from patchbay.storage.driver import ANY_CASE_COLLATION
from patchbay.storage.migrate import HEAD_REVISION, load_alembic
from patchbay.storage.moving.endpoints import MOVE_TABLE, unfinished_move
from patchbay.storage.postgresql.connections import PostgresDriver, postgres_of
from patchbay.storage.postgresql.faults import DatabaseInUse
from patchbay.storage.postgresql.programs import CREATE_TABLES
from patchbay.storage.postgresql.writer import lock_until_commit, share_lock
from patchbay.storage.tables import execution_tally, execution_tally_fresh, metadata, run_tree

_log = logging.getLogger(__name__)

MIN_SERVER_VERSION = 13
_MIGRATION_LOCK = 0x50415443  # "PATC"
_VERSION_TABLE = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
_WIDE_COLUMNS = (execution_tally.c.runs, execution_tally_fresh.c.runs, run_tree.c.runs)

_FOREIGN_OBJECT = """
SELECT object.name, role.rolname
FROM (SELECT relname AS name, relowner AS owner, relnamespace AS space FROM pg_class
      UNION ALL
      SELECT proname, proowner, pronamespace FROM pg_proc) AS object
JOIN pg_namespace ON pg_namespace.oid = object.space
JOIN pg_roles AS role ON role.oid = object.owner
WHERE pg_namespace.nspname = ? AND role.rolname <> current_user AND NOT role.rolsuper
LIMIT 1
"""
_MAY_CREATE = """
SELECT 1
FROM pg_namespace AS space, aclexplode(coalesce(space.nspacl, acldefault('n', space.nspowner))) AS granted
LEFT JOIN pg_roles AS role ON role.oid = granted.grantee
WHERE space.nspname = ? AND granted.privilege_type = 'CREATE' AND granted.grantee <> space.nspowner
  AND coalesce(role.rolname <> current_user AND NOT role.rolsuper, true)
LIMIT 1
"""
"""Whether a role can create in the schema that isn't its owner, ours, or a superuser. PUBLIC has no row."""

_CREATE_COLLATION = f"""
DO $$ BEGIN
    CREATE COLLATION {ANY_CASE_COLLATION} (provider = icu, locale = 'und');
EXCEPTION WHEN OTHERS THEN
    CREATE COLLATION {ANY_CASE_COLLATION} FROM "default";
END $$
"""
"""Servers built without ICU use the rules of the database."""

_COUNT_FUNCTION = f"""
CREATE FUNCTION count_execution() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_ARGV[0] = 'OLD' THEN
        INSERT INTO execution_tally_fresh (hour, flow_id, status, test_run, runs)
        VALUES (OLD.created_at / {HOUR_MS}, OLD.flow_id, OLD.status, OLD.test_run, -1);
    ELSE
        INSERT INTO execution_tally_fresh (hour, flow_id, status, test_run, runs)
        VALUES (NEW.created_at / {HOUR_MS}, NEW.flow_id, NEW.status, NEW.test_run, 1);
    END IF;
    RETURN NULL;
END $$
"""
_COUNTED_COLUMNS = "UPDATE OF status, flow_id, test_run, created_at"


def _trigger(name: str, event: str, row: str) -> str:
    return (
        f"CREATE TRIGGER execution_{name} AFTER {event} ON execution FOR EACH ROW"
        f" WHEN ({row}.status IN ({FINISHED_STATES_SQL})) EXECUTE FUNCTION count_execution('{row}')"
    )


_CREATE_TRIGGERS = (
    _trigger("arrives", "INSERT", "NEW"),
    _trigger("leaves", "DELETE", "OLD"),
    _trigger("was", _COUNTED_COLUMNS, "OLD"),
    _trigger("becomes", _COUNTED_COLUMNS, "NEW"),
)


def prepare_schema(connection: Connection) -> None:
    """Create the schema in an empty database, or upgrade an older one, in one transaction. Shares the lock.

    Raises `StorageFault` for a database of a newer version or another program, and for an old server.
    """
    driver = postgres_of(connection)
    require_server(driver)
    require_own_schema(driver)
    driver.execute("BEGIN")
    try:
        # Several programs may start at the same time; the others find the work done.
        for limit in ("lock_timeout", "statement_timeout"):
            driver.execute("SELECT set_config(?, '0', true)", (limit,))
        driver.execute("SELECT pg_advisory_xact_lock(?, 0)", (_MIGRATION_LOCK,))
        _create_or_upgrade(connection, driver)
        share_lock(driver)
        driver.execute("COMMIT")
    except BaseException:
        if not driver.connection.closed:
            driver.execute("ROLLBACK")
        raise


def _create_or_upgrade(connection: Connection, driver: PostgresDriver) -> None:
    query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    tables = {row[0] for row in driver.execute(query).fetchall()}
    if "alembic_version" not in tables:
        if MOVE_TABLE in tables:
            raise unfinished_move("this database", "delete its tables")
        if clash := sorted(tables & metadata.tables.keys()):
            raise StorageFault(
                "The database isn't one of Patchbay's.",
                meaning=f"It has a table “{clash[0]}” of another program; nothing was changed.",
                todo="Use an empty database.",
            )
        for statement in table_statements(connection.dialect):
            driver.execute(statement)
        complete_schema(connection)
        return
    row = driver.execute("SELECT version_num FROM alembic_version").fetchone()
    revision = row[0] if row else None
    if revision != HEAD_REVISION:
        _upgrade(connection, driver, revision)
    for statement in CREATE_TABLES:
        driver.execute(statement)


def _upgrade(connection: Connection, driver: PostgresDriver, revision: str | None) -> None:
    config, known, upgrade = load_alembic()
    if revision not in known:
        raise StorageFault(
            "The database was written by a newer version of Patchbay.",
            meaning="This version can't read it safely. Nothing was changed.",
            todo="Update Patchbay, or use another database.",
        )
    if not lock_until_commit(driver):
        raise DatabaseInUse(
            "This version of Patchbay has to upgrade the database, but other programs use it.",
            meaning="They couldn't work with the upgraded tables. Nothing was changed.",
            todo="Stop all servers and workers of this database, then start the new version.",
        )
    config.attributes["connection"] = connection
    _log.info("upgrading the database from revision %s to %s", revision, HEAD_REVISION)
    upgrade(config, "head")


def require_server(driver: PostgresDriver) -> None:
    """Raise `StorageFault` for a server that is too old, or a database that isn't UTF-8."""
    version = driver.connection.info.server_version // 10_000
    if version < MIN_SERVER_VERSION:
        raise StorageFault(
            f"The database server is too old (PostgreSQL {version}).",
            meaning=f"Patchbay needs PostgreSQL {MIN_SERVER_VERSION} or newer.",
            todo="Upgrade the server, or use another one.",
        )
    row = driver.execute("SELECT current_setting('server_encoding')").fetchone()
    if row is None or row[0] != "UTF8":
        raise StorageFault(
            "The database doesn't use UTF-8.",
            meaning="It couldn't store all texts.",
            todo="Create it with: createdb --encoding=UTF8 --template=template0 DATABASE",
        )


def require_own_schema(driver: PostgresDriver) -> None:
    """Raise `StorageFault` if other roles than administrators can add to our schema, or have.

    What they add, such as a function with the name of one that we call, would run with our rights.
    """
    schema, role = driver.execute("SELECT current_schema(), current_user").fetchone() or ("", "")
    if schema is None:
        return  # the first statement that creates a table says so
    foreign = driver.execute(_FOREIGN_OBJECT, (schema,)).fetchone()
    if foreign is not None:
        raise StorageFault(
            f"“{foreign[0]}” in the database belongs to the role “{foreign[1]}”.",
            meaning=f"It could run commands with the rights of “{role}”. Nothing was read or changed.",
            todo=f"Delete it, or make “{role}” its owner if you trust it; or use another database.",
        )
    if driver.execute(_MAY_CREATE, (schema,)).fetchone() is not None:
        raise StorageFault(
            f"Other roles can create tables and functions in the schema “{schema}” of the database.",
            meaning=f"These could run commands with the rights of “{role}”. Nothing was read or changed.",
            todo=f'Run as administrator, in the database: REVOKE CREATE ON SCHEMA "{schema}" FROM PUBLIC; '
            f'GRANT CREATE ON SCHEMA "{schema}" TO "{role}"',
        )


def table_statements(dialect: Dialect) -> tuple[str, ...]:
    """The SQL of all tables, without indexes."""
    tables = postgres_metadata().sorted_tables
    return tuple(str(CreateTable(table).compile(dialect=dialect)) for table in tables)


def complete_schema(connection: Connection) -> None:
    """Create what the tables need besides, such as their indexes, and note their version."""
    indexes = (
        CreateIndex(index)
        for table in postgres_metadata().sorted_tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    )
    driver = postgres_of(connection)
    for statement in (
        _CREATE_COLLATION,
        *(str(index.compile(dialect=connection.dialect)) for index in indexes),
        CREATE_VIEW,
        _COUNT_FUNCTION,
        *_CREATE_TRIGGERS,
        _VERSION_TABLE,
        *CREATE_TABLES,
    ):
        driver.execute(statement)
    driver.execute("INSERT INTO alembic_version VALUES (?)", (HEAD_REVISION,))


def postgres_metadata() -> MetaData:
    """The tables of `tables` as PostgreSQL has them."""
    made = MetaData()
    for table in metadata.sorted_tables:
        if table is execution_tally_fresh:
            Table(table.name, made, *(Column(c.name, c.type, nullable=False) for c in table.columns))
            continue
        copy = table.to_metadata(made)
        for index in list(copy.indexes):
            if (where := index.dialect_options["sqlite"]["where"]) is not None:
                copy.indexes.discard(index)
                Index(str(index.name), *index.columns, postgresql_where=where)
    wide = {(str(column.table.name), column.name) for column in _WIDE_COLUMNS}
    for table in made.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, String):
                column.type = Text(collation="C")
            elif isinstance(column.type, Boolean) and column.server_default is not None:
                column.server_default = DefaultClause(text("false"))
            elif (table.name, column.name) in wide:
                column.type = BigInteger()
    return made
