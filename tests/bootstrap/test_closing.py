"""A workspace closes its database before it releases its lock, whatever fails while opening or closing."""

from typing import Any

import pytest

from patchbay.bootstrap import demo
from patchbay.bootstrap import workspace_runtime as runtimes
from patchbay.bootstrap.demo import open_demo
from patchbay.bootstrap.local import open_local
from patchbay.domain.errors import StorageFault
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.storage.database import Database
from patchbay.storage.integrity import damage


@pytest.fixture
def paths(tmp_path) -> AppPaths:
    return AppPaths.choose(tmp_path / "data")


@pytest.fixture
def databases(monkeypatch) -> list[Database]:
    """Every database that is opened."""
    opened: list[Database] = []
    open_database = Database.open

    async def open_and_note(path) -> Database:
        opened.append(await open_database(path))
        return opened[-1]

    monkeypatch.setattr(Database, "open", open_and_note)
    return opened


async def failing(*_: object, **__: Any) -> None:
    raise RuntimeError("failed")


async def is_closed(database: Database) -> bool:
    try:
        await database.read(damage)
    except StorageFault:
        return True
    await database.close()
    return False


def is_free(paths: AppPaths) -> bool:
    lock = EngineLock(paths.lock, paths.database)
    free = lock.acquire()
    lock.release()
    return free


async def test_a_workspace_that_fails_to_open_leaves_no_database_open(paths, databases, monkeypatch):
    monkeypatch.setattr(runtimes, "ensure_owner", failing)
    with pytest.raises(RuntimeError, match="failed"):
        await open_local(paths, Settings())

    assert [await is_closed(database) for database in databases] == [True]
    assert is_free(paths)


async def test_a_demo_that_fails_to_open_leaves_no_database_open(paths, databases, monkeypatch):
    monkeypatch.setattr(demo, "open_runtime", failing)
    with pytest.raises(RuntimeError, match="failed"):
        await open_demo(paths)

    assert [await is_closed(database) for database in databases] == [True]


@pytest.mark.parametrize("part", ["engine.stop", "backend.close", "workers.close", "http.aclose"])
async def test_a_part_that_fails_to_stop_keeps_neither_database_nor_lock(paths, databases, monkeypatch, part):
    opened = await open_local(paths, Settings())
    owner, _, method = part.partition(".")
    monkeypatch.setattr(getattr(opened.runtime, owner), method, failing)
    with pytest.raises(RuntimeError, match="failed"):
        await opened.close(grace=0)

    assert [await is_closed(database) for database in databases] == [True]
    assert is_free(paths)


async def test_the_demo_says_that_it_adds_sample_data_until_it_is_complete(paths, monkeypatch):
    async def store(*_, **__):
        return 0

    monkeypatch.setattr(demo, "store_history", store)
    opened = await open_demo(paths, run=False)
    try:
        assert (await opened.backend.info()).activity == "Adding sample executions"

        await opened.filled()

        assert (await opened.backend.info()).activity == ""
    finally:
        await opened.close()
