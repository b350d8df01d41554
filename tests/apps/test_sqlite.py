"""SQLite file: what statements can do, and what hostile files and statements can't."""

import os
import sqlite3
import struct
import sys
from contextlib import closing
from functools import partial

import pytest
from tests.support.app_calls import built_in_action
from tests.support.confined import try_to_open
from tests.support.shared_folder import SharedFolder

from patchbay.apps.sqlite import database
from patchbay.domain.base import FlowId
from patchbay.domain.errors import AppError, ComputationStopped, Forbidden, ValidationFailed
from patchbay.integration.context import CurrentFlow
from patchbay.integration.local_files.folders import DescriptorFolder
from patchbay.integration.local_files.paths import AllowedPath
from patchbay.integration.workers import Workers

SCHEMA = "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC, photo BLOB)"


@pytest.fixture
def shared(tmp_path, monkeypatch) -> SharedFolder:
    """Statements run in this process, except where a test undoes that."""
    folder = tmp_path / "shared"
    folder.mkdir()
    made = SharedFolder("sqlite", folder)
    script(
        made,
        SCHEMA,
        "CREATE INDEX names ON orders (name)",
        "INSERT INTO orders (name, price) VALUES ('tea', 2.5), ('milk', 1)",
    )

    async def compute(function, path, *arguments, seconds, owner):
        return database.execute(path, *arguments)

    monkeypatch.setattr(made.access, "compute", compute)
    return made


def script(shared: SharedFolder, *statements: str) -> None:
    with closing(sqlite3.connect(shared.path / "shop.db")) as opened, opened:
        for statement in statements:
            opened.execute(statement)


def rows(shared: SharedFolder, sql: str) -> list:
    with closing(sqlite3.connect(shared.path / "shop.db")) as opened:
        return opened.execute(sql).fetchall()


async def query(shared: SharedFolder, sql: str, *values: object, **more: object):
    entered = [{"value": value} for value in values]
    return await shared.run(
        "SQLQuery", path=shared.file("shop.db"), queryStatement=sql, values=entered, **more
    )


# What can be done


async def test_rows_are_queried_with_values_that_never_become_part_of_the_statement(shared):
    found = await query(shared, "SELECT id, name FROM orders WHERE name = ?", "tea' OR '1'='1")
    other = await query(shared, "SELECT id, name FROM orders WHERE name = ?", "tea")

    assert (found["rows"], other["rows"]) == ([], [{"id": 1, "name": "tea"}])


async def test_rows_are_inserted_with_the_types_of_their_columns(shared):
    cells = [
        {"columnName": "name", "value": "Ü"},
        {"columnName": "price", "value": "12.50", "valueType": "number"},
        {"columnName": "photo", "value": "AP8=", "valueType": "base64"},
    ]

    added = await shared.run("insert", path=shared.file("shop.db"), table="orders", columnValueEntries=cells)

    assert added["rows"] == [{"id": 3, "name": "Ü", "price": 12.5, "photo": "AP8="}]
    assert rows(shared, "SELECT name, price, photo FROM orders WHERE id = 3") == [("Ü", 12.5, b"\x00\xff")]


async def test_new_rows_start_the_flow_once(shared):
    parameters = {"path": shared.file("shop.db"), "table": "orders", "column": "id"}
    await shared.publish("newRow", **parameters)
    script(shared, "INSERT INTO orders (name) VALUES ('salt'), ('oil')")

    found = await shared.poll("newRow", **parameters)

    assert [row["name"] for row in found[-2:]] == ["salt", "oil"]


async def test_a_statement_reads_only_unless_changes_are_chosen(shared):
    sql = "DELETE FROM orders WHERE name = ?"

    with pytest.raises(Forbidden, match="isn't allowed") as caught:
        await query(shared, sql, "tea")
    assert "Changes data" in caught.value.todo
    assert (await query(shared, sql, "tea", changesData=True))["rowCount"] == 1

    assert rows(shared, "SELECT name FROM orders") == [("milk",)]


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_database_with_a_write_ahead_log_is_read_and_written(shared, is_open):
    with closing(sqlite3.connect(shared.path / "shop.db")) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("INSERT INTO orders (name) VALUES ('in the log')")
        other.commit()
        if not is_open:
            other.close()
        found = await query(shared, "SELECT name FROM orders ORDER BY id DESC LIMIT 1")
        await query(shared, "UPDATE orders SET name = 'new' WHERE id = ?", 1, changesData=True)

    assert found["rows"] == [{"name": "in the log"}]
    assert rows(shared, "SELECT name FROM orders WHERE id = 1") == [("new",)]


# What can't


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH DATABASE '/tmp/other.db' AS other",
        "VACUUM INTO '/tmp/other.db'",
        "PRAGMA writable_schema = ON",
        "PRAGMA journal_mode = OFF",
        "PRAGMA temp_store_directory = '/tmp'",
        "CREATE TABLE other (a)",
        "CREATE TEMP TABLE other (a)",
        "CREATE TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END",
        "DROP TABLE orders",
        "ALTER TABLE orders ADD COLUMN b",
        "DELETE FROM sqlite_master",
        "UPDATE sqlite_schema SET sql = ''",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT * FROM pragma_database_list",
        "BEGIN",
        "COMMIT",
        "REINDEX",
        "ANALYZE",
    ],
)
@pytest.mark.parametrize("changes", [False, True])
async def test_a_statement_reaches_nothing_but_the_rows_of_its_file(shared, sql, changes):
    before = (shared.path / "shop.db").read_bytes()

    with pytest.raises(AppError):
        await query(shared, sql, changesData=changes)

    assert (shared.path / "shop.db").read_bytes() == before
    assert os.listdir(shared.path) == ["shop.db"]


@pytest.mark.parametrize("sql", ["DELETE FROM orders; DELETE FROM orders", "SELECT 1; ATTACH 'a' AS b"])
async def test_there_is_one_statement(shared, sql):
    with pytest.raises(AppError):
        await query(shared, sql, changesData=True)

    assert len(rows(shared, "SELECT * FROM orders")) == 2


async def test_a_trigger_of_the_file_does_no_more_than_the_step(shared):
    script(
        shared,
        "CREATE TABLE other (a)",
        "CREATE TRIGGER t AFTER INSERT ON orders BEGIN INSERT INTO other VALUES (load_extension('x')); END",
    )

    with pytest.raises(AppError):
        await query(shared, "INSERT INTO orders (name) VALUES ('x')", changesData=True)

    assert rows(shared, "SELECT count(*) FROM orders") == [(2,)]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="older Python can't protect them")
async def test_the_inner_tables_of_an_index_are_not_changed(shared):
    script(shared, "CREATE VIRTUAL TABLE words USING fts5(word)")

    with pytest.raises(AppError, match="may not be modified"):
        await query(shared, "UPDATE words_data SET block = x'00'", changesData=True)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "


def test_an_endless_statement_ends(shared):
    path = AllowedPath(str(shared.path), ("shop.db",))

    with pytest.raises(ComputationStopped, match="took longer"):
        database.execute(path, ENDLESS + "SELECT count(*) FROM n", [], False, 10, seconds=0)
    with pytest.raises(ComputationStopped, match="took longer"):
        database.execute(
            path, f"INSERT INTO orders (name) {ENDLESS} SELECT i FROM n", [], True, 10, seconds=0
        )

    assert len(rows(shared, "SELECT * FROM orders")) == 2


@pytest.mark.parametrize("sql", ["SELECT zeroblob(100000000)", "SELECT randomblob(100000000)"])
async def test_a_value_that_is_too_large_is_rejected(shared, sql):
    with pytest.raises(AppError, match="too big"):
        await query(shared, sql)


async def test_the_rows_of_a_result_are_limited(shared):
    found = await query(shared, f"{ENDLESS} SELECT i FROM n")

    assert (len(found["rows"]), "Only the first" in found["note"]) == (1000, True)


async def test_a_step_adds_a_limited_amount(shared, monkeypatch):
    monkeypatch.setattr(database, "MAX_GROWTH_BYTES", 100_000)
    many = f"{ENDLESS} SELECT zeroblob(10000) FROM n LIMIT 100"

    with pytest.raises(AppError, match="full"):
        await query(
            shared,
            f"INSERT INTO orders (photo) {many}",
            changesData=True,
        )

    assert len(rows(shared, "SELECT * FROM orders")) == 2


@pytest.mark.parametrize("content", [b"text", b"SQLite format 3\x00" + b"\xff" * 5000, os.urandom(9000)])
async def test_what_is_no_database_is_rejected(shared, content):
    (shared.path / "shop.db").write_bytes(content)

    with pytest.raises((ValidationFailed, AppError)):
        await query(shared, "SELECT * FROM orders")


async def test_a_schema_that_is_not_utf8_is_reported(shared):
    content = (shared.path / "shop.db").read_bytes()
    (shared.path / "shop.db").write_bytes(content.replace(b"price NUMERIC", b"pri\xffe NUMERIC"))

    with pytest.raises(ValidationFailed, match="UTF-8"):
        await query(shared, "SELECT * FROM orders")


async def test_an_error_in_a_value_is_not_blamed_on_the_file(shared):
    with pytest.raises(AppError, match="malformed JSON") as caught:
        await query(shared, "SELECT json(name) FROM orders")

    assert not isinstance(caught.value, ValidationFailed)


async def test_the_words_of_a_statement_do_not_decide_what_its_error_is(shared):
    with pytest.raises(AppError, match="interrupted") as caught:
        await query(shared, "SELECT interrupted, locked, readonly FROM orders")

    assert type(caught.value) is AppError


async def test_text_that_is_no_text_is_read(shared):
    script(shared, "UPDATE orders SET name = CAST(x'ff41' AS TEXT) WHERE id = 1")

    assert (await query(shared, "SELECT name FROM orders WHERE id = 1"))["rows"] == [{"name": "\ufffdA"}]


# In a process of its own


async def test_a_statement_runs_in_a_process_that_can_use_no_other_folder(shared, monkeypatch):
    monkeypatch.undo()
    outside = shared.path.parent / "outside.db"
    outside.write_text("outside")
    inside = shared.file("shop.db")

    try:
        reached = await shared.access.compute(
            try_to_open,
            shared.access.path(inside),
            *(inside, str(outside), str(outside) + "-new"),
            seconds=60,
            owner="",
        )
        if not reached["isSupported"]:
            pytest.skip("there is no Landlock here")
        added = await query(shared, "INSERT INTO orders (name) VALUES ('x') RETURNING id", changesData=True)
    finally:
        await shared.access.aclose()

    assert added["rows"] == [{"id": 3}]
    assert reached["opened"] == [inside]


async def test_an_error_arrives_from_a_process_that_can_open_nothing_more(shared, monkeypatch):
    monkeypatch.undo()

    try:
        with pytest.raises(AppError, match="syntax error"):
            await query(shared, "SELEC")
    finally:
        await shared.access.aclose()


async def test_flows_that_use_the_same_folder_take_turns(shared, monkeypatch):
    monkeypatch.undo()
    owners = []

    async def run(workers, function, *arguments, limits, owner):
        owners.append(owner)
        return database.execute(shared.access.path(shared.file("shop.db")), *arguments[3:])

    monkeypatch.setattr(Workers, "run", run)
    for flow_id in ("first", "second"):
        parameters = {"path": shared.file("shop.db"), "queryStatement": "SELECT 1"}
        await built_in_action("sqlite", "SQLQuery").run(
            shared.context(parameters, flow=CurrentFlow(id=FlowId(flow_id)))
        )

    assert owners == ["first", "second"]


def write_journal(shared: SharedFolder, named: os.PathLike[str], begin: bytes = b"") -> None:
    """Leave a journal of a transaction over several databases, which names a file that SQLite deletes."""
    page, sector = 4096, 512
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(named)
    pages = (shared.path / "shop.db").stat().st_size // page
    header = magic + struct.pack(">5I", 0, 0, pages, sector, page)
    end = struct.pack(">I", (1 << 30) // page + 1) + name + struct.pack(">2I", len(name), sum(name)) + magic
    content = header.ljust(sector, b"\0") + end
    (shared.path / "shop.db-journal").write_bytes(begin + content[len(begin) :])


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows can't restrict the process, so nothing is written"
)
@pytest.mark.parametrize("begin", [b"", b"\0"], ids=["interrupted", "finished"])
def test_a_journal_that_makes_sqlite_delete_a_file_is_not_used(shared, monkeypatch, begin):
    monkeypatch.setattr(DescriptorFolder, "confine", lambda folder: True)
    other = shared.path / "other.txt"
    other.write_text("precious")
    write_journal(shared, other, begin)

    with pytest.raises(Forbidden, match="journal"):
        database.run(str(shared.path), ["shop.db"], [], "INSERT INTO orders (id) VALUES (9)", [], True, 10)

    assert other.exists()


def test_nothing_is_changed_where_the_process_cannot_be_restricted(shared, monkeypatch):
    """A journal can also be changed during the statement."""
    monkeypatch.setattr(DescriptorFolder, "confine", lambda folder: False)
    call = partial(database.run, str(shared.path), ["shop.db"], [])

    with pytest.raises(Forbidden, match="on this computer"):
        call("DELETE FROM orders", [], True, 10)

    assert call("SELECT count(*) AS n FROM orders", [], False, 10)["rows"] == [{"n": 2}]


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows can't restrict the process, so nothing is written"
)
def test_a_database_above_patchbay_s_own_folder_is_only_read(shared, monkeypatch):
    monkeypatch.setattr(DescriptorFolder, "confine", lambda folder: True)
    own = shared.path / "programs" / "patchbay"
    own.mkdir(parents=True)
    call = partial(database.run, str(shared.path), ["shop.db"], [str(own)])

    with pytest.raises(Forbidden, match="belongs to Patchbay"):
        call("DELETE FROM orders", [], True, 10)

    assert call("SELECT count(*) AS n FROM orders", [], False, 10)["rows"] == [{"n": 2}]


@pytest.mark.skipif(sys.platform == "win32", reason="links need permission there")
@pytest.mark.parametrize("name", ["shop.db", "shop.db-journal", "shop.db-wal", "shop.db-shm"])
def test_a_database_with_links_is_not_opened(shared, name, monkeypatch):
    """SQLite itself would follow them, and write to what they lead to."""
    monkeypatch.setattr(DescriptorFolder, "confine", lambda folder: True)
    outside = shared.path.parent / "outside.db"
    (shared.path / name).unlink(missing_ok=True)
    (shared.path / name).symlink_to(outside)

    with pytest.raises(Forbidden, match="symbolic link"):
        database.run(str(shared.path), ["shop.db"], [], "SELECT 1", [], True, 10)

    assert not outside.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows doesn't tell which files are open")
def test_a_file_that_is_swapped_while_sqlite_opens_it_is_noticed(shared, monkeypatch):
    monkeypatch.setattr(DescriptorFolder, "confine", lambda folder: swap())
    other = shared.path.parent / "other.db"

    def swap() -> bool:
        os.rename(shared.path / "shop.db", shared.path / "moved.db")
        with closing(sqlite3.connect(other)) as opened:
            opened.execute(SCHEMA)
        (shared.path / "shop.db").symlink_to(other)
        return True

    with pytest.raises(Forbidden, match="symbolic link"):
        database.run(str(shared.path), ["shop.db"], [], "SELECT * FROM orders", [], False, 10)


def test_a_database_that_is_too_large_is_not_opened(shared, monkeypatch):
    monkeypatch.setattr(database, "MAX_FILE_BYTES", 100)
    monkeypatch.setattr(DescriptorFolder, "confine", lambda folder: True)

    with pytest.raises(ValidationFailed, match="larger than"):
        database.run(str(shared.path), ["shop.db"], [], "SELECT 1", [], False, 10)
