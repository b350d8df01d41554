"""Opening files: new, older, newer, and unknown ones."""

import sqlite3
import subprocess
import sys

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from patchbay.domain.errors import StorageFault
from patchbay.storage.database import Database
from patchbay.storage.migrate import HEAD_REVISION, MIGRATIONS_FOLDER, backup_path
from patchbay.storage.tables import metadata


def script(connection=None):
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER))
    config.attributes["connection"] = connection
    return config


def schema_of(path):
    """Names of tables and indexes, without the migration tool's own."""
    driver = sqlite3.connect(path)
    rows = driver.execute("SELECT tbl_name, name FROM sqlite_master").fetchall()
    driver.close()
    return {row for row in rows if row[0] != "alembic_version"}


def run_sql(path, *statements):
    driver = sqlite3.connect(path)
    for statement in statements:
        driver.execute(statement)
    driver.commit()
    driver.close()


def test_the_migrations_lead_to_the_schema_of_the_tables():
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        command.upgrade(script(connection), "head")
        differences = compare_metadata(MigrationContext.configure(connection), metadata)

    assert differences == []


def test_head_is_the_newest_script():
    assert ScriptDirectory.from_config(script()).get_heads() == [HEAD_REVISION]


async def test_a_new_file_has_the_same_schema_as_a_migrated_one(tmp_path):
    run_sql(
        tmp_path / "old.db", "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
    )
    for name in ("new.db", "old.db"):
        database = await Database.open(tmp_path / name)
        await database.close()

    assert schema_of(tmp_path / "new.db") == schema_of(tmp_path / "old.db")


async def test_an_older_file_is_backed_up_before_it_is_upgraded(tmp_path):
    path = tmp_path / "patchbay.db"
    run_sql(
        path,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
        "CREATE TABLE mark (words TEXT)",
        "INSERT INTO mark VALUES ('as it was')",
    )

    database = await Database.open(path)
    mark = await database.read(lambda tx: tx.execute(text("SELECT words FROM mark")).scalar())
    revision = await database.read(
        lambda tx: tx.execute(text("SELECT version_num FROM alembic_version")).scalar()
    )
    await database.close()

    backup = backup_path(path, None)
    assert (mark, revision) == ("as it was", HEAD_REVISION)
    assert {table for table, _ in schema_of(backup)} == {"mark"}
    assert backup.stat().st_mode & 0o077 == 0


async def test_an_upgrade_that_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "patchbay.db"
    run_sql(
        path,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
        "CREATE TABLE flow (surprise TEXT)",
    )
    before = schema_of(path)

    with pytest.raises(StorageFault):
        await Database.open(path)

    assert schema_of(path) == before


async def test_a_file_of_a_newer_program_is_refused_and_untouched(tmp_path):
    path = tmp_path / "patchbay.db"
    database = await Database.open(path)
    await database.close()
    run_sql(path, "UPDATE alembic_version SET version_num = '9999'")
    before = path.read_bytes()

    with pytest.raises(StorageFault, match="newer version of Patchbay") as caught:
        await Database.open(path)

    assert "Update Patchbay" in caught.value.todo
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"patchbay.db", "patchbay.db-generation"}


async def test_a_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "photos.db"
    run_sql(path, "CREATE TABLE photo (id INTEGER)")

    with pytest.raises(StorageFault, match="isn't a Patchbay database"):
        await Database.open(path)


def test_opening_an_up_to_date_file_does_not_load_the_migration_tool(tmp_path):
    code = (
        "import asyncio, sys; from pathlib import Path; from patchbay.storage.database import Database\n"
        "for _ in range(2): asyncio.run(Database.open(Path(sys.argv[1])))\n"
        "print('alembic' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.db")], capture_output=True, text=True, check=True
    )

    assert told.stdout.strip() == "False"


def test_what_polls_remembered_in_their_cursors_stays_known():
    engine = create_engine("sqlite://")
    put = "INSERT INTO trigger_state (flow_id, cursor) VALUES (:flow_id, :cursor)"
    with engine.connect() as connection:
        command.upgrade(script(connection), "0002")
        for flow_id, cursor in (("f1", '{"seen": ["b", "a", "b"]}'), ("f2", "{}")):
            connection.execute(text(put), {"flow_id": flow_id, "cursor": cursor})
        command.upgrade(script(connection), "head")
        known = connection.execute(text("SELECT flow_id, internal_id FROM seen_event")).all()

    assert sorted(known) == [("f1", "a"), ("f1", "b")]


def test_secrets_of_webhooks_are_deleted_from_datastores():
    engine = create_engine("sqlite://")
    put = "INSERT INTO datastore (flow_id, key, value, updated_at) VALUES ('f1', :key, '1', 1)"
    with engine.connect() as connection:
        command.upgrade(script(connection), "0012")
        for key in ("patchbay.webhookSecrets", "count"):
            connection.execute(text(put), {"key": key})
        command.upgrade(script(connection), "head")
        keys = connection.execute(text("SELECT key FROM datastore")).scalars().all()

    assert keys == ["count"]


def test_published_flows_keep_their_ids_and_have_no_source_yet():
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        command.upgrade(script(connection), "0002")
        connection.execute(
            text(
                "INSERT INTO flow (id, user_id, name, active, created_at, updated_at) "
                "VALUES ('f1', 'u', 'Old', 1, 1, 1)"
            )
        )
        connection.execute(text("INSERT INTO trigger_state (flow_id, cursor) VALUES ('f1', '{}')"))
        command.upgrade(script(connection), "head")
        sources = connection.execute(text("SELECT sources FROM flow")).scalar_one()
        place = connection.execute(text("SELECT source FROM trigger_state")).scalar_one()

    assert (sources, place) == ("[]", 1)


def test_versions_of_admins_count_as_approved_and_those_of_others_do_not():
    engine = create_engine("sqlite://")
    person = (
        "INSERT INTO user (id, full_name, email, role, created_at, updated_at) "
        "VALUES (:id, '', :id, :role, 1, 1)"
    )
    flow = "INSERT INTO flow (id, user_id, name, created_at, updated_at) VALUES (:id, :user, '', 1, 1)"
    version = (
        "INSERT INTO flow_version (flow_id, number, name, steps, created_at) VALUES (:id, 1, '', '[]', 1)"
    )
    with engine.connect() as connection:
        command.upgrade(script(connection), "0008")
        for role in ("admin", "editor"):
            connection.execute(text(person), {"id": f"{role}-person", "role": role})
            connection.execute(text(flow), {"id": role, "user": f"{role}-person"})
            connection.execute(text(version), {"id": role})
        command.upgrade(script(connection), "head")
        approved = connection.execute(text("SELECT flow_id, approved FROM flow_version")).all()

    assert dict(approved) == {"admin": 1, "editor": 0}
