"""Two engines never run on one database, whatever is deleted, renamed or shared between folders."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.forms import long_form
from tests.support.processes import Service, program, run

from patchbay.domain.errors import StorageFault
from patchbay.platform import engine_lock
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths

HOLD = (
    "import sys; from pathlib import Path; from patchbay.platform.engine_lock import EngineLock\n"
    "lock = EngineLock(Path(sys.argv[1]), Path(sys.argv[2]))\n"
    "print('held' if lock.acquire() else 'refused', flush=True); sys.stdin.read()"
)


@pytest.fixture
def paths(tmp_path: Path) -> AppPaths:
    made = AppPaths.choose(tmp_path / "data")
    made.prepare()
    return made


def held_by_other(lock: Path, database: Path) -> str:
    """The error of another process that tries to take the lock and ends at once."""
    words = [sys.executable, "-c", HOLD, str(lock), str(database)]
    return subprocess.run(words, input="", capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def holder(paths: AppPaths) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-c", HOLD, str(paths.lock), str(paths.database)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "held"
        yield process
        process.kill()


@long_form
def test_deleting_the_lock_file_starts_no_second_engine(paths):
    paths.database.write_bytes(b"x")
    with holder(paths):
        paths.lock.unlink()
        after_deletion = held_by_other(paths.lock, paths.database)
        renamed = paths.data.rename(paths.data.with_name("renamed"))
        (renamed / "engine.lock").unlink(missing_ok=True)
        after_rename = held_by_other(renamed / "engine.lock", renamed / "patchbay.db")
        elsewhere = held_by_other(renamed.with_name("other.lock"), renamed / "patchbay.db")

    assert (after_deletion, after_rename, elsewhere) == ("refused", "refused", "refused")
    assert held_by_other(renamed / "engine.lock", renamed / "patchbay.db") == "held"


def test_a_killed_process_frees_the_lock_and_a_copy_has_one_of_its_own(paths):
    paths.database.write_bytes(b"x")
    with holder(paths) as process:
        copy = Path(shutil.copytree(paths.data, paths.data.with_name("copy")))
        of_copy = held_by_other(copy / "engine.lock", copy / "patchbay.db")
        process.kill()
        process.wait()
        after_kill = held_by_other(paths.lock, paths.database)

    assert (of_copy, after_kill) == ("held", "held")


def test_a_second_try_in_the_same_process_leaves_the_locks_of_sqlite_alone(paths):
    lock = EngineLock(paths.lock, paths.database)
    assert lock.acquire()
    writer = sqlite3.connect(paths.database, isolation_level=None)
    writer.execute("CREATE TABLE t (x)")
    writer.execute("BEGIN IMMEDIATE")
    paths.lock.unlink()

    second = EngineLock(paths.lock, paths.database).acquire()
    other = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')",
            str(paths.database),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    writer.execute("COMMIT")
    writer.close()
    lock.release()

    assert not second
    assert "database is locked" in other.stderr


def test_a_new_folder_is_left_without_a_database_when_nothing_was_stored(paths):
    lock = EngineLock(paths.lock, paths.database)
    assert lock.acquire()
    lock.release()

    assert not paths.database.exists()


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")

    with pytest.raises(StorageFault) as refusal:
        EngineLock(blocked / "engine.lock", blocked / "patchbay.db").acquire()

    assert "--data-dir" in refusal.value.todo


def test_where_the_folder_is_locked_one_that_cannot_be_opened_is_reported(paths, monkeypatch):
    open_file = os.open

    def open_no_folder(path, *arguments) -> int:
        if path == paths.data:
            raise PermissionError(errno.EACCES, "Permission denied")
        return open_file(path, *arguments)

    monkeypatch.setattr(engine_lock, "sys", SimpleNamespace(platform="darwin"))
    monkeypatch.setattr(os, "open", open_no_folder)
    with pytest.raises(StorageFault) as refusal:
        engine_lock.DatabaseFileLock(paths.database).acquire()

    assert "--data-dir" in refusal.value.todo


def test_with_the_lock_file_deleted_a_second_service_is_refused(tmp_path):
    data = tmp_path / "data"
    with Service(data) as service:
        (data / "engine.lock").unlink()
        second = run(program("serve", "--port", "0", data=data))
        listed = service.command("flow", "list", "--json")
        shared = run(
            program(
                "serve", "--port", "0", "--database", f"sqlite:///{data}/patchbay.db", data=tmp_path / "other"
            )
        )

    assert (second.code, "already in use" in second.err) == (1, True)
    assert shared.code == 1
    assert "Another Patchbay program" in shared.err
    assert (listed.code, listed.json) == (0, [])
