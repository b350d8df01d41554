"""What only a PostgreSQL server has: sign-in, lost connections, the lock on the database, and its schema."""

import asyncio
import shutil
import threading
from dataclasses import replace

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import text
from tests.support.databases import PASSWORD, Postgres
from tests.support.patience import PATIENCE
from tests.support.postgres_databases import location_on
from tests.support.storage_rows import Workshop

from patchbay.domain.errors import StorageFault, ValidationFailed
from patchbay.storage import migrate
from patchbay.storage.database import Database
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.postgresql import address as addresses
from patchbay.storage.postgresql import schema, writer
from patchbay.storage.postgresql.address import PostgresAddress, parse_address
from patchbay.storage.postgresql.connections import PostgresDriver, connect, translate
from patchbay.storage.postgresql.faults import storage_fault
from patchbay.storage.repositories import meta


@pytest.fixture
def location(request):
    yield from location_on("postgresql", request)


@pytest.fixture
def end_connections(location, postgres_databases):
    """Ends the connections of the workspace, as a restart of the server does."""

    return lambda: postgres_databases.end_connections(location)


async def names(db):
    return sorted(await db.read(lambda tx: meta.names(tx, "note.")))


def note(name):
    return lambda tx: meta.put(tx, f"note.{name}", "written")


async def test_a_lost_connection_is_replaced_before_the_next_write(db, end_connections):
    await db.write(note("before"))

    await asyncio.to_thread(end_connections)
    await db.write(note("after"))

    assert await names(db) == ["note.after", "note.before"]
    assert db.fault is None


async def test_a_read_is_repeated_when_idle_connections_were_lost(db, end_connections):
    assert await names(db) == []
    await asyncio.to_thread(end_connections)

    assert await names(db) == []


async def test_a_write_in_progress_is_undone_and_reported_when_the_connection_is_lost(db, end_connections):
    def write_and_lose(tx):
        note("lost")(tx)
        end_connections()
        note("too late")(tx)

    with pytest.raises(StorageFault, match="can't be reached") as raised:
        await db.write(write_and_lose)

    assert "wasn't saved" in raised.value.meaning
    assert db.fault is not None
    await db.write(note("next"))
    assert await names(db) == ["note.next"]
    assert db.fault is None


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_commit_without_a_response_is_looked_up(db, end_connections, monkeypatch, arrived):
    """The connection is lost before or after the server committed: the caller learns which."""
    run = PostgresDriver.execute

    def commit_and_lose(driver, statement, parameters=()):
        if statement == "COMMIT":
            monkeypatch.setattr(PostgresDriver, "execute", run)
            if arrived:
                driver.execute(statement)
            end_connections()
        return run(driver, statement, parameters)

    monkeypatch.setattr(PostgresDriver, "execute", commit_and_lose)
    if arrived:
        await db.write(note("kept"))
    else:
        with pytest.raises(StorageFault, match="can't be reached"):
            await db.write(note("kept"))

    assert await names(db) == (["note.kept"] if arrived else [])


async def test_a_commit_that_is_still_in_progress_is_waited_for(db, location, monkeypatch):
    """As one that waits for a standby server, which goes on without its client."""
    run, asked = PostgresDriver.execute, threading.Event()

    def note_question(driver, statement, parameters=()):
        found = run(driver, statement, parameters)
        if "pg_xact_status" in statement:
            asked.set()
        return found

    monkeypatch.setattr(PostgresDriver, "execute", note_question)
    with connect(location) as other:
        other.execute("BEGIN")
        number = other.execute("SELECT pg_current_xact_id()::text").fetchone()[0]
        looking = asyncio.create_task(asyncio.to_thread(db._writer._was_committed, number))
        assert await asyncio.to_thread(asked.wait, PATIENCE)
        other.execute("COMMIT")

    assert await looking


async def test_a_failed_write_in_a_group_leaves_the_others(db):
    await db.write(note("first"))

    def fails(tx):
        note("undone")(tx)
        tx.execute(text("SELECT 1 / 0"))

    results = await asyncio.gather(
        db.write(note("a")), db.write(fails), db.write(note("b")), return_exceptions=True
    )

    assert [type(result) for result in results] == [type(None), StorageFault, type(None)]
    assert await names(db) == ["note.a", "note.b", "note.first"]


async def test_a_failed_write_among_plain_statements_leaves_the_others(db):
    """They run without savepoints first, and then all of them again."""
    put = "INSERT INTO meta (key, value) VALUES (?, 'written')"
    await db.write(note("first"))

    def fails(driver):
        driver.execute(put, ("note.undone",))
        driver.execute("SELECT 1 / 0")

    def writes(name):
        return lambda driver: driver.execute(put, (f"note.{name}",)).rowcount

    results = await asyncio.gather(
        db.write_driver(writes("a")),
        db.write_driver(fails),
        db.write_driver(writes("b")),
        return_exceptions=True,
    )

    assert [results[0], type(results[1]), results[2]] == [1, StorageFault, 1]
    assert await names(db) == ["note.a", "note.b", "note.first"]


async def test_plain_statements_that_lose_the_connection_are_undone_and_reported(db, end_connections):
    def put(driver):
        driver.execute("INSERT INTO meta (key, value) VALUES ('note.lost', 'written')")

    def loses(driver):
        end_connections()
        driver.execute("SELECT 1")

    results = await asyncio.gather(db.write_driver(put), db.write_driver(loses), return_exceptions=True)

    assert type(results[1]) is StorageFault
    await db.write(note("next"))
    assert ("note.lost" in await names(db)) is (results[0] is None)


async def test_a_program_that_has_the_database_for_itself_keeps_others_out(location):
    lock = "SELECT pg_advisory_lock(%s, hashtext(current_schema()))"
    with psycopg.connect(**location.connect_arguments()) as other:
        other.execute(lock, (writer._PROGRAM_LOCK,))
        with pytest.raises(StorageFault, match="Another program has this database for itself"):
            await Database.open(location)

    first, second = await Database.open(location), await Database.open(location)
    await first.close()
    await second.close()


async def test_a_wrong_password_and_a_missing_database_are_named(location):
    with pytest.raises(StorageFault, match="rejected the credentials"):
        await Database.open(replace(location, password="wrong"))
    with pytest.raises(StorageFault, match="doesn't exist"):
        await Database.open(replace(location, database="nowhere"))
    with pytest.raises(StorageFault, match="can't be reached"):
        await Database.open(replace(location, port=1))


async def test_a_database_of_a_newer_version_is_left_alone(db, location):
    await db.write(lambda tx: tx.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    await db.close()
    try:
        with pytest.raises(StorageFault, match="newer version of Patchbay"):
            await Database.open(location)
    finally:
        await _set_revision(location, migrate.HEAD_REVISION)


async def test_an_older_schema_is_upgraded(db, location, tmp_path, monkeypatch):
    await db.write(note("kept"))
    await db.close()
    folder = tmp_path / "migrations"
    shutil.copytree(migrate.MIGRATIONS_FOLDER, folder)
    (folder / "versions" / "9998_next.py").write_text(
        "from alembic import op\n"
        "import sqlalchemy as sa\n"
        f"revision, down_revision = '9998', '{migrate.HEAD_REVISION}'\n"
        "branch_labels = depends_on = None\n"
        "def upgrade():\n"
        "    op.add_column('meta', sa.Column('extra', sa.Text()))\n"
    )
    monkeypatch.setattr(migrate, "MIGRATIONS_FOLDER", folder)
    monkeypatch.setattr(schema, "HEAD_REVISION", "9998")

    with psycopg.connect(**location.connect_arguments()) as other:
        other.execute(
            "SELECT pg_advisory_lock_shared(%s, hashtext(current_schema()))", (writer._PROGRAM_LOCK,)
        )
        with pytest.raises(StorageFault, match="other programs use it"):
            await Database.open(location)
    upgraded = await Database.open(location)

    try:
        assert await names(upgraded) == ["note.kept"]
        query = text("SELECT version_num, (SELECT extra FROM meta LIMIT 1) FROM alembic_version")
        assert await upgraded.read(lambda tx: tuple(tx.execute(query).one())) == ("9998", None)
    finally:
        await upgraded.write(lambda tx: tx.execute(text("ALTER TABLE meta DROP COLUMN extra")))
        await upgraded.close()
        await _set_revision(location, migrate.HEAD_REVISION)


async def _set_revision(location, revision):
    with psycopg.connect(**location.connect_arguments()) as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", (revision,))


async def test_a_database_with_tables_of_others_is_left_alone(location, postgres_databases):
    location = postgres_databases.create_empty()
    with psycopg.connect(**location.connect_arguments()) as connection:
        connection.execute("CREATE TABLE flow (id int)")

    with pytest.raises(StorageFault, match="isn't one of Patchbay's"):
        await Database.open(location)


@pytest.fixture
def shared_schema(postgres_databases):
    """A database in whose schema every role can create, as in PostgreSQL 13 and 14 by default."""
    location = postgres_databases.create_empty()
    with psycopg.connect(**location.connect_arguments(), autocommit=True) as connection:
        [schema] = connection.execute("SELECT current_schema()").fetchone()
        connection.execute(f"GRANT CREATE, USAGE ON SCHEMA {schema} TO PUBLIC")
        yield location, schema, connection


async def test_a_schema_in_which_others_can_create_is_left_alone(shared_schema):
    location, *_ = shared_schema

    with pytest.raises(StorageFault, match="Other roles can create tables and functions") as refused:
        await Database.open(location)
    assert "REVOKE CREATE ON SCHEMA" in refused.value.todo


async def test_what_others_have_put_into_the_schema_is_never_run(shared_schema, postgres_databases):
    """A function that fits a call better than PostgreSQL's own would run with the rights of Patchbay."""
    location, schema, owner = shared_schema
    postgres_databases.server.administer(f"CREATE ROLE stranger LOGIN PASSWORD '{PASSWORD}'")
    with psycopg.connect(
        **replace(location, user="stranger").connect_arguments(), autocommit=True
    ) as stranger:
        stranger.execute(
            f"CREATE FUNCTION {schema}.hashtext(name) RETURNS integer LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'run with the rights of %', current_user; END $$"
        )
    owner.execute(f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC")

    with pytest.raises(StorageFault, match="“hashtext” in the database belongs to the role “stranger”"):
        await Database.open(location)


async def test_texts_are_ordered_and_compared_as_on_sqlite(db):
    workshop = Workshop(db)
    await workshop.prepare()
    for name in ("b", "A", "a", "Ä", "é", "nul\0"):
        await workshop.flow(name)

    query = text("SELECT name FROM flow ORDER BY name")
    found = await db.read(lambda tx: list(tx.execute(query).scalars()))
    assert found == ["A", "a", "b", "nul\ufffd", "Ä", "é"]


async def test_a_statement_that_takes_too_long_is_cancelled(db):
    def slow(tx):
        tx.execute(text("SELECT set_config('statement_timeout', '10ms', true)"))
        tx.execute(text("SELECT pg_sleep(30)"))

    with pytest.raises(StorageFault, match="took too long"):
        await db.write(slow)
    await db.write(note("next"))
    assert await names(db) == ["note.next"]


async def test_the_server_is_stopped_and_started(db, postgres_databases):
    """Nothing that was committed is lost, errors say why, and writing goes on by itself."""
    server: Postgres = postgres_databases.server
    workshop, store = Workshop(db), SqlEngineStore(db)
    await workshop.prepare()
    flow = await workshop.flow()
    accepted = workshop.event(flow, internal_id="before")
    assert await store.accept([accepted]) == (True,)

    await asyncio.to_thread(server.stop)
    try:
        with pytest.raises(StorageFault, match="can't be reached"):
            await store.accept([workshop.event(flow, internal_id="meanwhile")])
        with pytest.raises(StorageFault, match="can't be reached"):
            await names(db)
        assert db.fault is not None
    finally:
        await asyncio.to_thread(lambda: server.start(tls=False))
        postgres_databases.connect_again()

    assert await store.accept([workshop.event(flow, internal_id="after")]) == (True,)
    assert await store.known_ids(flow.id, ["before", "meanwhile", "after"]) == {"before", "after"}
    assert db.fault is None


def test_an_address_never_contains_a_password(monkeypatch):
    monkeypatch.setattr(addresses, "_password", None)
    monkeypatch.delenv("PGPASSWORD", raising=False)

    with pytest.raises(ValidationFailed, match="contains a password"):
        parse_address("postgresql://ada:secret@db.example/work")
    with pytest.raises(ValidationFailed, match="contains a password"):
        parse_address("postgresql://ada@db.example/work?password=secret")
    for address in ("postgresql://ada%3Asecret@db.example/work", "postgresql:///work?user=ada:secret"):
        with pytest.raises(ValidationFailed, match="colon") as raised:
            parse_address(address)
        assert "secret" not in raised.value.text()
    with pytest.raises(ValidationFailed, match="unknown option"):
        parse_address("postgresql://ada@db.example/work?application_name=x")
    with pytest.raises(ValidationFailed, match="must start with"):
        parse_address("mysql://ada@db.example/work")


def test_an_address_is_read_and_shown_without_its_password(monkeypatch):
    monkeypatch.setattr(addresses, "_password", None)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)

    found = parse_address("postgresql://ada%40home@db.example:6000/work%20place?sslmode=verify-full")

    assert found == PostgresAddress(
        "db.example", 6000, "work place", "ada@home", {"sslmode": "verify-full"}, PASSWORD
    )
    assert PASSWORD not in f"{found} {found!r}"
    assert found.connect_arguments()["password"] == PASSWORD
    monkeypatch.delenv("PGPASSWORD", raising=False)
    assert parse_address("postgresql://db.example/work").password == PASSWORD


def test_placeholders_are_translated():
    assert translate("SELECT ? WHERE x LIKE 'a%' AND y = ?") == "SELECT %s WHERE x LIKE 'a%%' AND y = %s"
    assert translate("SELECT :name::text, a.b") == "SELECT %(name)s::text, a.b"


@pytest.mark.parametrize(
    ("error", "is_data"),
    [
        (errors.ProgramLimitExceeded, True),
        (errors.NumericValueOutOfRange, True),
        (errors.QueryCanceled, False),
        (errors.DeadlockDetected, False),
        (errors.DiskFull, False),
        (psycopg.OperationalError, False),
    ],
)
def test_a_fault_says_whether_the_data_may_be_its_cause(error, is_data):
    fault = storage_fault(error("no"))

    assert fault is not None
    assert fault.may_be_the_data is is_data
