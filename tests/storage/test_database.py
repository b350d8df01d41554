"""The database: group commit, isolation of queued writes, concurrent readers, and error texts."""

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading

import pytest
from sqlalchemy import text
from tests.support.both_databases import only_on_sqlite
from tests.support.forms import long_form
from tests.support.patience import PATIENCE

from patchbay.domain.errors import NotFound, StorageFault
from patchbay.storage.database import Database

PUT = text("INSERT INTO meta (key, value) VALUES (:key, :value)")
ALL = text("SELECT key, value FROM meta WHERE key NOT LIKE 'generation%' ORDER BY key")


def put(key, value="x"):
    return lambda tx: tx.execute(PUT, {"key": key, "value": value})


def every(tx):
    return dict(tx.execute(ALL).all())


async def test_what_was_written_can_be_read_at_once(db):
    await db.write(put("colour", "green"))

    assert await db.read(every) == {"colour": "green"}


async def test_the_answer_of_the_work_comes_back(db):
    assert await db.write(lambda tx: tx.execute(text("SELECT 6 * 7")).scalar()) == 42


async def test_many_waiting_writes_share_commits(db):
    await asyncio.gather(*(db.write(put(f"key {i}")) for i in range(500)))

    assert len(await db.read(every)) == 500
    assert db.commits < 50


async def test_a_failing_write_undoes_only_itself(db):
    def half_done(tx):
        put("half")(tx)
        raise NotFound("No such flow.")

    answers = await asyncio.gather(
        db.write(put("before")), db.write(half_done), db.write(put("after")), return_exceptions=True
    )

    assert isinstance(answers[1], NotFound)
    assert set(await db.read(every)) == {"before", "after"}


async def test_a_bug_in_a_write_is_raised_as_it_is(db):
    with pytest.raises(ZeroDivisionError):
        await db.write(lambda tx: 1 / 0)

    await db.write(put("still", "alive"))


async def test_a_refused_write_is_reported(db):
    await db.write(put("once"))

    with pytest.raises(StorageFault, match="rejected the change") as caught:
        await db.write(put("once"))

    assert caught.value.todo


async def test_a_write_completes_after_its_caller_was_cancelled(db):
    started, go_on = threading.Event(), threading.Event()

    def slow(tx):
        started.set()
        go_on.wait(10)
        put("slow")(tx)

    waiting = asyncio.create_task(db.write(slow))
    await asyncio.to_thread(started.wait, 10)
    waiting.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await db.write(put("next"))

    assert set(await db.read(every)) == {"next", "slow"}


async def test_driver_statements_share_the_same_transaction(db):
    await asyncio.gather(
        db.write_driver(lambda driver: driver.execute("INSERT INTO meta VALUES ('driver', '1')")),
        db.write(put("core")),
    )

    assert set(await db.read(every)) == {"core", "driver"}


async def test_a_failed_write_on_the_driver_undoes_only_itself(db):
    def fail(driver):
        driver.execute("INSERT INTO meta VALUES ('failed', '1')")
        raise ZeroDivisionError

    def insert(key):
        return lambda driver: driver.execute("INSERT INTO meta VALUES (?, '1')", (key,)).rowcount

    before = db.commits
    results = await asyncio.gather(
        db.write_driver(insert("first")),
        db.write_driver(fail),
        db.write_driver(insert("last")),
        return_exceptions=True,
    )

    assert (results[0], type(results[1]), results[2]) == (1, ZeroDivisionError, 1)
    assert set(await db.read(every)) == {"first", "last"}
    assert db.commits >= before + 1


@long_form
async def test_readers_never_fail_while_writes_continue(db):
    finished = threading.Event()
    failures = []

    def keep_reading():
        while not finished.is_set():
            try:
                db.read_in_calling_thread(every)
            except StorageFault as fault:
                failures.append(fault)

    readers = [threading.Thread(target=keep_reading) for _ in range(6)]
    for reader in readers:
        reader.start()
    for batch in range(20):
        await asyncio.gather(*(db.write(put(f"{batch} {i}", "x" * 500)) for i in range(25)))
    finished.set()
    for reader in readers:
        await asyncio.to_thread(reader.join)

    assert failures == []


async def test_a_read_sees_one_state_from_beginning_to_end(db):
    await db.write(put("first"))
    seen, written = threading.Event(), threading.Event()

    def read_twice(tx):
        before = len(every(tx))
        seen.set()
        written.wait(10)
        return before, len(every(tx))

    reading = asyncio.create_task(db.read(read_twice))
    await asyncio.to_thread(seen.wait, 10)
    await db.write(put("second"))
    written.set()

    assert await reading == (1, 1)


async def test_a_reader_cannot_write(db):
    with pytest.raises(StorageFault, match="can't be written"):
        await db.read(put("sneaky"))


@only_on_sqlite
async def test_the_file_is_safe_by_its_settings_and_for_its_owner_only(db):
    def settings(tx):
        return [
            tx.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        ]

    assert await db.write(settings) == ["wal", 2, 1, 1]
    assert stat.S_IMODE((await asyncio.to_thread(os.stat, db.name)).st_mode) == 0o600


@only_on_sqlite
async def test_lower_case_knows_more_than_ascii(db):
    assert await db.read(lambda tx: tx.exec_driver_sql("SELECT lower('ÄRGER')").scalar()) == "ärger"


async def test_a_sound_file_passes_its_check_and_tells_its_size(db):
    assert await db.integrity_check() == ()
    assert (await db.read(db.upkeep.disk_use)).bytes > 10_000


async def test_a_closed_database_says_so_and_closes_again_without_complaint(tmp_path):
    database = await Database.open(tmp_path / "closed.db")
    await database.close()
    await database.close()

    with pytest.raises(StorageFault, match="closed"):
        await database.write(put("late"))
    with pytest.raises(StorageFault, match="closed"):
        await database.read(every)
    assert {file.name for file in tmp_path.iterdir()} == {"closed.db", "closed.db-generation"}


async def test_what_was_queued_before_closing_is_still_written(tmp_path):
    database = await Database.open(tmp_path / "busy.db")
    waiting = [asyncio.ensure_future(database.write(put(f"key {i}"))) for i in range(50)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*waiting)

    again = await Database.open(tmp_path / "busy.db")
    assert len(await again.read(every)) == 50
    await again.close()


@only_on_sqlite
async def test_a_full_disk_is_reported_and_spares_what_was_there(db):
    await db.write(put("kept"))
    await db.write(lambda tx: tx.exec_driver_sql(f"PRAGMA max_page_count = {_pages(tx)}"))

    with pytest.raises(StorageFault, match="disk is full"):
        await db.write(put("big", "x" * 10_000_000))

    assert await db.read(every) == {"kept": "x"}
    assert await db.integrity_check() == ()


def _pages(tx):
    return tx.exec_driver_sql("PRAGMA page_count").scalar()


async def test_a_folder_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(StorageFault) as caught:
        await Database.open(tmp_path / "missing" / "patchbay.db")

    assert "can't be opened" in caught.value.happened


async def test_a_file_that_is_no_database_is_reported(tmp_path):
    path = tmp_path / "notes.db"
    path.write_text("Dear diary, " * 1000)

    with pytest.raises(StorageFault, match="isn't a database"):
        await Database.open(path)


async def test_a_database_held_by_another_program_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr("patchbay.storage.sqlite._WRITE_TIMEOUT_SECONDS", 0.05)
    database = await Database.open(tmp_path / "shared.db")
    other = sqlite3.connect(tmp_path / "shared.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(StorageFault, match="locked by another program"):
            await database.write(put("mine"))
    finally:
        other.execute("ROLLBACK")
        other.close()
    await database.write(put("mine"))
    await database.close()


WRITES_UNTIL_KILLED = """
import asyncio, sys
from pathlib import Path
from sqlalchemy import text
from tests.support.patience import PATIENCE
from patchbay.storage.database import Database

async def put(db, key):
    row = {"key": str(key), "value": "x" * 300}
    await db.write(lambda tx: tx.execute(text("INSERT INTO meta VALUES (:key, :value)"), row))
    print(key, flush=True)

async def main():
    db = await Database.open(Path(sys.argv[1]))
    for start in range(int(sys.argv[2]), 10_000_000, 20):
        await asyncio.gather(*(put(db, key) for key in range(start, start + 20)))

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a POSIX signal")
async def test_acknowledged_writes_survive_kill_9(tmp_path):
    path = tmp_path / "crash.db"
    acknowledged = await asyncio.to_thread(
        lambda: _write_and_kill(path, 0) | _write_and_kill(path, 1_000_000)
    )

    database = await Database.open(path)
    stored = set(await database.read(every))
    assert len(acknowledged) >= 600
    assert acknowledged <= stored
    assert await database.integrity_check() == ()
    await database.close()


def _write_and_kill(path, start):
    """Keys a child process was told are safe before it was killed in the middle of writing."""
    command = [sys.executable, "-c", WRITES_UNTIL_KILLED, str(path), str(start)]
    told = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            told.append(line)
            if len(told) == 300:
                os.kill(child.pid, signal.SIGKILL)
    return {line.strip() for line in told if line.endswith("\n")}


def threads() -> set[threading.Thread]:
    return {each for each in threading.enumerate() if each.name.startswith("patchbay-")}


@pytest.mark.parametrize("at", ["open", "close"])
async def test_cancelling_leaves_no_thread_and_no_open_file(tmp_path, monkeypatch, at):
    path = tmp_path / "patchbay.db"
    before = threads()
    reached = threading.Event()
    go_on = threading.Event()
    name = {"open": "_open", "close": "_close"}[at]
    original = getattr(Database, name).__func__ if at == "open" else Database._close

    def slow(*given):
        reached.set()
        go_on.wait(PATIENCE)
        return original(*given)

    opened = await Database.open(path) if at == "close" else None
    monkeypatch.setattr(Database, name, classmethod(slow) if at == "open" else slow)
    task = asyncio.create_task(opened.close() if opened else Database.open(path))
    await asyncio.to_thread(reached.wait, PATIENCE)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert threads() == before
    assert not path.with_name("patchbay.db-wal").exists()
    monkeypatch.undo()
    again = await Database.open(path)
    await again.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
async def test_a_pipe_in_place_of_the_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "patchbay.db")

    async with asyncio.timeout(PATIENCE):
        with pytest.raises(StorageFault, match="can't be opened") as told:
            await Database.open(tmp_path / "patchbay.db")

    assert "not a regular file" in told.value.meaning


async def test_a_lock_that_is_got_after_a_cancellation_is_freed(db, monkeypatch):
    may_lock, events = threading.Event(), []

    def lock(name):
        may_lock.wait(PATIENCE)
        events.append("locked")
        return lambda: events.append("freed")

    monkeypatch.setattr(db, "_lock_name", lock)

    async def work():
        async with db.exclusively("a renewal"):
            events.append("worked")

    working = asyncio.create_task(work())
    await asyncio.sleep(0)
    working.cancel()
    await asyncio.sleep(0)
    may_lock.set()

    with pytest.raises(asyncio.CancelledError):
        await working
    assert events == ["locked", "freed"]
