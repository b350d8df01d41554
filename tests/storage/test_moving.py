"""A workspace with rows in every table moves to PostgreSQL and back, also if it is stopped at any point."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from tests.support.filled_workspace import all_rows, fill_every_table
from tests.support.forms import in_forms

from patchbay.domain.errors import Conflict, StorageFault
from patchbay.storage.database import Database
from patchbay.storage.moving import workspace_move
from patchbay.storage.moving.postgresql import PostgresSource, PostgresTarget
from patchbay.storage.moving.sqlite import SqliteSource, SqliteTarget
from patchbay.storage.moving.workspace_move import WorkspaceMove
from patchbay.storage.postgresql.faults import DatabaseInUse


class Stopped(Exception):
    pass


@pytest.fixture
def server(postgres_databases):
    return postgres_databases.create_empty()


async def made(path, rows):
    db = await Database.open(path)
    await db.write(lambda tx: fill_every_table(tx, rows))
    found = await db.read(all_rows)
    await db.close()
    return found


async def changed(path, *statements):
    """All rows after these statements."""
    db = await Database.open(path)
    await db.write_driver(lambda driver: [driver.execute(statement) for statement in statements])
    found = await db.read(all_rows)
    await db.close()
    return found


async def rows_of(location):
    db = await Database.open(location)
    found = await db.read(all_rows)
    await db.close()
    return found


def to_server(file, server, stop_after=None):
    with closing(SqliteSource(file)) as source, closing(PostgresTarget(server)) as target:
        return _moved(source, target, stop_after)


def to_file(server, file, stop_after=None):
    with closing(PostgresSource(server)) as source, closing(SqliteTarget(file)) as target:
        return _moved(source, target, stop_after)


def _moved(source, target, stop_after):
    """Move, or raise `Stopped` at the `stop_after`th report of progress, or the first one of that table."""
    reports = 0

    def report(progress):
        nonlocal reports
        reports += 1
        if stop_after in (reports, progress.table):
            raise Stopped

    move = WorkspaceMove(source, target, report)
    rows = move.copy()
    move.finish()
    return rows


def test_every_table_comes_back_as_it_was(tmp_path, server):
    before = asyncio.run(made(tmp_path / "a.db", 3))

    there = to_server(tmp_path / "a.db", server)
    on_server = asyncio.run(rows_of(server))
    back = to_file(server, tmp_path / "b.db")

    assert there == back
    assert all(table.rows for table in there)
    assert {name: len(rows) for name, rows in on_server.items()} == {
        name: len(rows) for name, rows in before.items()
    }
    assert asyncio.run(rows_of(tmp_path / "b.db")) == before


@pytest.mark.parametrize("step", in_forms([1, 7, 40], short=[40]))
def test_stopped_again_and_again_it_continues_and_nothing_unfinished_opens(
    tmp_path, server, monkeypatch, step
):
    monkeypatch.setattr(workspace_move, "BATCH_ROWS", 2)
    before = asyncio.run(made(tmp_path / "a.db", 9))

    for move, source, target in (
        (to_server, tmp_path / "a.db", server),
        (to_file, server, tmp_path / "b.db"),
    ):
        stops, limit = 0, step
        while True:
            try:
                move(source, target, limit)
                break
            except Stopped:
                stops, limit = stops + 1, limit + step
                with pytest.raises(StorageFault, match="isn't finished"):
                    asyncio.run(rows_of(target))
        assert stops > 1

    assert asyncio.run(rows_of(tmp_path / "b.db")) == before


def test_a_source_that_changed_since_the_last_run_is_copied_again(tmp_path, server):
    asyncio.run(made(tmp_path / "a.db", 3))
    with pytest.raises(Stopped):
        to_server(tmp_path / "a.db", server, 20)

    expected = asyncio.run(changed(tmp_path / "a.db", "UPDATE api_key SET name = 'changed'"))
    to_server(tmp_path / "a.db", server)
    to_file(server, tmp_path / "b.db")

    assert asyncio.run(rows_of(tmp_path / "b.db")) == expected


def test_a_database_in_use_is_neither_source_nor_target(tmp_path, server):
    asyncio.run(made(tmp_path / "a.db", 1))

    async def while_it_is_open():
        db = await Database.open(server)
        for move in (
            lambda: to_server(tmp_path / "a.db", server),
            lambda: to_file(server, tmp_path / "b.db"),
        ):
            with pytest.raises(DatabaseInUse):
                await asyncio.to_thread(move)
        await db.close()

    asyncio.run(while_it_is_open())


def test_rows_are_not_lost_if_another_program_reads_the_file_when_it_gets_its_name(tmp_path, server):
    before = asyncio.run(made(tmp_path / "a.db", 3))
    to_server(tmp_path / "a.db", server)

    def begin_reading(_):
        if (tmp_path / "b.db.moving").exists() and not reader.in_transaction:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()

    with pytest.raises(Stopped):
        to_file(server, tmp_path / "b.db", 3)
    with (
        closing(sqlite3.connect(tmp_path / "b.db.moving", isolation_level=None)) as reader,
        closing(PostgresSource(server)) as source,
        closing(SqliteTarget(tmp_path / "b.db")) as target,
    ):
        move = WorkspaceMove(source, target, begin_reading)
        move.copy()
        with pytest.raises(StorageFault, match="Another program is reading"):
            move.finish()
    assert not (tmp_path / "b.db").exists()
    with closing(SqliteTarget(tmp_path / "b.db")) as target:
        assert (target.moved_from() or "").startswith(f"{server} ")

    assert asyncio.run(rows_of(tmp_path / "b.db")) == before


def test_a_finished_move_is_not_taken_for_that_of_a_source_which_has_changed(tmp_path, server):
    asyncio.run(made(tmp_path / "a.db", 3))
    to_server(tmp_path / "a.db", server)

    def is_finished():
        with closing(SqliteSource(tmp_path / "a.db")) as source, closing(PostgresTarget(server)) as target:
            return WorkspaceMove(source, target).is_finished()

    assert is_finished()
    asyncio.run(changed(tmp_path / "a.db", "DELETE FROM api_key"))
    with pytest.raises(Conflict, match="moved from here before"):
        is_finished()


def test_rows_that_refer_to_rows_added_since_the_last_run_are_copied(tmp_path, server):
    asyncio.run(made(tmp_path / "a.db", 3))
    with pytest.raises(Stopped):
        to_server(tmp_path / "a.db", server, "step")
    expected = asyncio.run(
        changed(
            tmp_path / "a.db",
            "CREATE TEMP TABLE new_flow AS SELECT * FROM flow LIMIT 1",
            "UPDATE new_flow SET id = 'new'",
            "INSERT INTO flow SELECT * FROM new_flow",
            "UPDATE step SET flow_id = 'new'",
        )
    )

    to_server(tmp_path / "a.db", server)
    to_file(server, tmp_path / "b.db")

    assert asyncio.run(rows_of(tmp_path / "b.db")) == expected


def test_a_link_in_place_of_the_file_that_is_filled_is_not_followed(tmp_path, server):
    asyncio.run(made(tmp_path / "a.db", 1))
    to_server(tmp_path / "a.db", server)
    asyncio.run(made(tmp_path / "foreign.db", 1))
    (tmp_path / "b.db.moving").symlink_to(tmp_path / "foreign.db")

    with pytest.raises(Conflict, match="isn't a regular file"):
        to_file(server, tmp_path / "b.db")

    assert not (tmp_path / "b.db").exists()
