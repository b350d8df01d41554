"""The repair of a database rebuilds its indexes, after copying it."""

import sqlite3
from contextlib import closing

import pytest

from patchbay.bootstrap.repair import repair_database
from patchbay.domain.errors import Conflict
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.storage.database import Database
from patchbay.storage.repair import find_problems, repair_file


@pytest.fixture
async def path(tmp_path):
    database = tmp_path / "patchbay.db"
    await (await Database.open(database)).close()
    return database


def _drop_an_index(path):
    with closing(sqlite3.connect(path)) as driver:
        [name] = driver.execute(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL LIMIT 1"
        ).fetchone()
        driver.execute(f'DROP INDEX "{name}"')
    return name


def _corrupt_an_index(path):
    """Hide the entry of a row in an index, as a write that was lost would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        driver.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
        driver.execute("CREATE INDEX note_text ON note (text)")
        driver.execute("PRAGMA writable_schema = ON")
        sql = "CREATE INDEX note_text ON note (text) WHERE 0"
        driver.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'note_text'", (sql,))
        driver.execute("PRAGMA writable_schema = RESET")
        driver.execute("INSERT INTO note (text) VALUES ('hidden')")
        driver.execute("PRAGMA writable_schema = ON")
        whole = "CREATE INDEX note_text ON note (text)"
        driver.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'note_text'", (whole,))
        driver.execute("PRAGMA writable_schema = RESET")


async def test_an_intact_file_stays_as_it_is(path):
    before = path.read_bytes()

    result = repair_file(path)

    assert (result.before, result.copy, path.read_bytes()) == ((), None, before)
    assert result.text() == "The database is intact. Nothing was changed."


async def test_a_missing_index_is_created_again(path):
    name = _drop_an_index(path)
    assert find_problems(path) == (f"index “{name}” is missing",)

    result = repair_file(path)

    assert (result.before, result.after) == ((f"index “{name}” is missing",), ())
    assert result.copy is not None
    assert find_problems(result.copy) == result.before


async def test_a_damaged_index_is_rebuilt(path):
    _corrupt_an_index(path)
    assert any("note_text" in problem for problem in find_problems(path))

    result = repair_file(path)

    assert result.after == ()
    assert result.text().startswith("The database was repaired.")


async def test_nothing_is_repaired_while_another_program_uses_the_folder(tmp_path):
    paths = AppPaths.choose(tmp_path)
    paths.prepare()
    await (await Database.open(paths.database)).close()
    lock = EngineLock(paths.lock, paths.database)
    assert lock.acquire()

    try:
        with pytest.raises(Conflict):
            repair_database(paths)
    finally:
        lock.release()
    assert repair_database(paths).copy is None
