"""Detecting a deleted write-ahead log or an older copy of the database."""

import asyncio
import errno
import os
import signal
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from tests.support import flow_files
from tests.support.forms import long_form
from tests.support.processes import Service, program, run

from patchbay.domain.errors import StorageFault
from patchbay.storage import integrity
from patchbay.storage.commit_counter import CommitCounter, commit_record_path
from patchbay.storage.database import Database
from patchbay.storage.integrity import inspect_file
from patchbay.storage.repositories import meta

WRITE_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
from patchbay.storage.database import Database
from patchbay.storage.repositories import meta

async def main():
    db = await Database.open(Path(sys.argv[1]))
    for number in range(int(sys.argv[2])):
        await db.write(lambda tx: meta.put(tx, "fact", str(number)))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the process ends itself by SIGKILL")


def killed_after(path: Path, writes: int) -> None:
    done = subprocess.run([sys.executable, "-c", WRITE_AND_DIE, str(path), str(writes)], check=False)
    assert done.returncode == -signal.SIGKILL


async def lost_in(path: Path) -> int:
    db = await Database.open(path)
    lost_commits = db.lost_commits
    await db.close()
    return lost_commits.commits if lost_commits else 0


async def made(path: Path) -> Path:
    await (await Database.open(path)).close()
    return path


def put_fact(number: int, tx: Connection) -> None:
    meta.put(tx, "fact", str(number))


async def test_after_a_kill_nothing_is_lost(tmp_path):
    path = await made(tmp_path / "patchbay.db")

    killed_after(path, 5)

    assert await lost_in(path) == 0


async def test_a_deleted_log_is_noticed_said_once_opened_and_pauses_all_runs(tmp_path):
    path = await made(tmp_path / "patchbay.db")
    killed_after(path, 5)
    path.with_name("patchbay.db-wal").unlink()
    path.with_name("patchbay.db-shm").unlink(missing_ok=True)

    first, again = await lost_in(path), await lost_in(path)

    db = await Database.open(path)
    assert (first, again) == (5, 5)  # said until runs are resumed
    assert "resume all runs" in db.lost_commits.text()
    assert await db.read(lambda tx: meta.get(tx, "engine.paused")) is not None
    await db.close()


async def test_an_older_copy_in_place_of_the_database_is_noticed(tmp_path):
    path = await made(tmp_path / "patchbay.db")
    older = path.read_bytes()
    db = await Database.open(path)
    await db.write(lambda tx: meta.put(tx, "fact", "new"))
    await db.close()

    path.write_bytes(older)

    assert await lost_in(path) == 1


async def test_a_log_that_another_program_folded_in_is_no_loss(tmp_path):
    path = await made(tmp_path / "patchbay.db")
    killed_after(path, 5)
    driver = sqlite3.connect(path)
    assert driver.execute("SELECT value FROM meta WHERE key = 'fact'").fetchone() == ("4",)
    driver.close()
    assert not path.with_name("patchbay.db-wal").exists()

    assert await lost_in(path) == 0


@pytest.mark.parametrize("content", [b"", b"\0" * 68, b"x 99999999999999999999 00000000", None])
async def test_a_damaged_or_missing_number_is_not_believed(tmp_path, content):
    path = await made(tmp_path / "patchbay.db")
    file = commit_record_path(path)
    file.unlink() if content is None else file.write_bytes(content)

    assert await lost_in(path) == 0


async def test_the_number_of_another_database_means_nothing(tmp_path):
    path, other = await made(tmp_path / "patchbay.db"), await made(tmp_path / "other.db")
    db = await Database.open(other)
    for number in range(9):
        await db.write(partial(put_fact, number))
    await db.close()
    commit_record_path(path).write_bytes(commit_record_path(other).read_bytes())

    assert await lost_in(path) == 0


async def test_reading_through_the_writer_advances_nothing(tmp_path):
    db = await Database.open(await made(tmp_path / "patchbay.db"))
    before = commit_record_path(Path(db.name)).read_bytes()
    await db.write(lambda tx: tx.execute(text("SELECT 1")).scalar())

    assert commit_record_path(Path(db.name)).read_bytes() == before
    await db.close()


async def test_commits_during_an_inspection_are_no_loss(tmp_path, monkeypatch):
    db = await Database.open(await made(tmp_path / "patchbay.db"))
    loop, damage = asyncio.get_running_loop(), integrity.damage

    def damage_while_others_write(connection):
        for number in range(3):
            write = db.write(partial(put_fact, number))
            asyncio.run_coroutine_threadsafe(write, loop).result(10)
        return damage(connection)

    monkeypatch.setattr(integrity, "damage", damage_while_others_write)
    report = await asyncio.to_thread(inspect_file, Path(db.name))
    await db.close()

    assert report.lost_commits is None


def test_a_number_that_cannot_be_written_is_reported_and_leaves_no_file_open(tmp_path, monkeypatch):
    written_to: list[int] = []

    def write_to_full_disk(descriptor: int, _: bytes) -> int:
        written_to.append(descriptor)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.write", write_to_full_disk)
    with pytest.raises(StorageFault) as refusal:
        CommitCounter(tmp_path / "patchbay.db-generation", "a", 1)

    assert "No space left" in refusal.value.text()
    with pytest.raises(OSError) as closed:
        os.fstat(written_to[0])
    assert closed.value.errno == errno.EBADF


@long_form
def test_serve_and_doctor_say_what_was_lost_and_no_run_starts_until_resumed(tmp_path):
    data = tmp_path / "data"
    service = Service(data).start()
    file = flow_files.write(tmp_path / "flow.json", flow_files.nightly("http://127.0.0.1:9/never"))
    service.command("flow", "import", file)
    os.kill(service.process.pid, signal.SIGKILL)
    service.process.popen.wait()
    service.process.kill()
    (data / "patchbay.db-wal").unlink()
    (data / "patchbay.db-shm").unlink(missing_ok=True)

    doctor = run(program("doctor", "--json", data=data))
    again = Service(data).start()
    try:
        state = again.command("engine", "status").out
        resumed = again.command("engine", "resume")
        said = again.process.said
    finally:
        again.process.stop(quiet=False)
    after = run(program("doctor", "--json", data=data))

    assert doctor.code == 1
    assert "write-ahead log" in doctor.json["lost"]
    assert "write-ahead log" in said
    assert state.startswith("paused")
    assert resumed.code == 0
    assert (after.code, "lost" in after.json) == (0, False)
