"""Files with every schema that a version of Patchbay left behind open, keep their data, and work.

`old_schemas` holds the SQL of each, dumped from files that the code of that time created or upgraded.
"""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.processes import program, run
from tests.support.storage_rows import NOW, OWNER, Workshop
from tests.support.tallies import differences as tally_differences

from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.paging import PageRequest
from patchbay.storage import executions
from patchbay.storage.database import Database
from patchbay.storage.integrity import FileReport, inspect_file
from patchbay.storage.migrate import MIGRATIONS_FOLDER
from patchbay.storage.sqlite import sqlite_of

HERE = Path(__file__).parent
OLD = {file.stem: file.read_text("utf-8") for file in sorted((HERE / "old_schemas").glob("*.sql"))}
FROZEN = json.loads((HERE / "frozen_migrations.json").read_text("utf-8"))

DATA = (
    f"INSERT INTO user (id, full_name, email, created_at, updated_at) VALUES ('{OWNER}', 'Ada', 'a@b', 1, 1)",
    "INSERT INTO flow (id, user_id, name, active, published_version, created_at, updated_at)"
    f" VALUES ('f1', '{OWNER}', 'Orders', 1, 1, 1, 1)",
    'INSERT INTO trigger_state (flow_id, cursor) VALUES (\'f1\', \'{"seen": ["b", "a"]}\')',
    "INSERT INTO connection (id, user_id, app_key, created_at, updated_at)"
    f" VALUES ('c1', '{OWNER}', 'redmine', 1, 1)",
    "INSERT INTO secret VALUES ('c1', 1, 'k', x'00', x'0102')",
    *(
        "INSERT INTO execution (id, flow_id, flow_version, status, internal_id, created_at, updated_at)"
        f" VALUES ('old-{number}', 'f1', 1, '{state}', 'e{number}', {NOW - number * 3_600_000}, {NOW})"
        for number, state in enumerate(["success", "failure", "cancelled", "queued", "success"])
    ),
)
LATER = {
    "0004": [f"INSERT INTO invitation (user_id, token_hash, expires_at) VALUES ('{OWNER}', 'hash', {NOW})"],
}


def old_file(path: Path, name: str) -> Path:
    """A file with an old schema and rows in it."""
    driver = sqlite3.connect(path)
    driver.executescript(OLD[name])
    for statement in (*DATA, *(one for since, more in LATER.items() if name >= since for one in more)):
        driver.execute(statement)
    driver.commit()
    driver.close()
    return path


@pytest.mark.parametrize("name", OLD)
async def test_a_file_with_an_old_schema_opens_keeps_its_data_and_works(tmp_path, name):
    path = old_file(tmp_path / "patchbay.db", name)

    db = await Database.open(path)
    try:
        workshop = Workshop(db)
        await workshop.flow("New")
        await db.write(
            lambda tx: tx.execute(text("UPDATE execution SET status = 'success' WHERE id = 'old-3'"))
        )
        page = await db.read(lambda tx: executions.list_executions(tx, ExecutionFilter(), PageRequest()))
        seen = await db.read(lambda tx: tx.execute(text("SELECT internal_id FROM seen_event")).all())
        kept = await db.read(
            lambda tx: tx.execute(
                text(
                    "SELECT f.name, f.sources, t.source, s.ciphertext FROM flow f, trigger_state t, secret s"
                    " WHERE f.id = 'f1'"
                )
            ).all()
        )
        wrong = await db.read(lambda tx: tally_differences(sqlite_of(tx)))
    finally:
        await db.close()

    assert (page.total, {item.id for item in page.items}) == (5, {f"old-{n}" for n in range(5)})
    assert kept == [("Orders", "[]", 1, b"\x01\x02")]
    assert {row[0] for row in seen} >= ({"a", "b"} if name < "0003" or "sources" not in OLD[name] else set())
    assert wrong == []
    assert inspect_file(path) == FileReport((), ())


def test_every_old_revision_is_among_the_files():
    assert {name[:4] for name in OLD} == {f"{number:04}" for number in range(1, 6)}
    assert len(OLD) == 14


def test_migrations_that_were_released_are_never_changed():
    """Folders that were upgraded already would never get the change. Write a new migration instead.

    A new migration is added to `frozen_migrations.json` together with its script.
    """
    scripts = sorted((MIGRATIONS_FOLDER / "versions").glob("*.py"))
    found = {
        file.stem: hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest() for file in scripts
    }

    assert found == FROZEN


def test_migrations_use_nothing_of_ours_that_could_change_under_them():
    lines = [
        f"{file.name}: {line}"
        for file in (MIGRATIONS_FOLDER / "versions").glob("*.py")
        for line in file.read_text("utf-8").splitlines()
        if "patchbay" in line and "import" in line.split()
    ]

    assert lines == []


CHANGES = {
    "a missing column": ("ALTER TABLE flow DROP COLUMN sources", "column “flow.sources” is missing"),
    "a missing table": ("DROP TABLE datastore", "table “datastore” is missing"),
    "a missing trigger": ("DROP TRIGGER execution_was", "trigger “execution_was” is missing"),
    "another trigger": (
        "DROP TRIGGER execution_was;"
        " CREATE TRIGGER execution_was AFTER DELETE ON execution BEGIN SELECT 1; END",
        "trigger “execution_was” is not defined as expected",
    ),
    "a missing view": ("DROP VIEW execution_counts", "view “execution_counts” is missing"),
    "another type": (
        "ALTER TABLE audit DROP COLUMN address; ALTER TABLE audit ADD COLUMN address INTEGER",
        "column “audit.address” is “INTEGER” instead of “VARCHAR(64)”",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_a_file_with_an_unexpected_schema_is_rejected_with_a_clear_error(tmp_path, name):
    change, told = CHANGES[name]
    path = await changed_file(tmp_path / "patchbay.db", change)
    before = path.read_bytes()

    with pytest.raises(StorageFault, match="structure of the database") as refusal:
        await Database.open(path)

    assert told in refusal.value.meaning
    assert "patchbay restore" in refusal.value.todo
    assert path.read_bytes() == before
    assert [str(one) for one in inspect_file(path).differences] == [told]


async def test_missing_indexes_are_created_and_unknown_tables_left_alone(tmp_path):
    change = "DROP INDEX flow_list; CREATE TABLE notes (words TEXT); CREATE INDEX mine ON flow (name)"
    path = await changed_file(tmp_path / "patchbay.db", change)

    await (await Database.open(path)).close()

    assert sorted(str(one) for one in inspect_file(path).differences) == [
        "index “mine” isn't one of Patchbay's",
        "table “notes” isn't one of Patchbay's",
    ]


async def changed_file(path: Path, change: str) -> Path:
    """A file of this version that another program changed."""
    await (await Database.open(path)).close()
    driver = sqlite3.connect(path)
    driver.executescript(change)
    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    driver.close()
    return path


async def test_doctor_names_what_differs_and_commands_say_words(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    await changed_file(data / "patchbay.db", "ALTER TABLE flow DROP COLUMN sources")

    doctor = run(program("doctor", "--json", data=data))
    listed = run(program("flow", "list", data=data))

    assert (doctor.code, listed.code) == (1, 1)
    assert doctor.json["schema"].startswith("unusable: it differs")
    assert "column “flow.sources” is missing" in doctor.json["schema"]
    assert "patchbay restore" in doctor.json["schema"]
    assert "structure of the database" in listed.err
    assert "Traceback" not in doctor.err + listed.err


async def test_an_upgrade_that_meets_unexpected_data_says_so(tmp_path):
    path = old_file(tmp_path / "patchbay.db", "0002-a")
    driver = sqlite3.connect(path)
    driver.execute("UPDATE trigger_state SET cursor = '[not json'")
    driver.commit()
    driver.close()

    with pytest.raises(StorageFault, match=r"couldn't be upgraded") as refusal:
        await Database.open(path)

    assert "patchbay.db.before-" in refusal.value.todo
