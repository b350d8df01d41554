"""A full disk, a database that cannot be written: nothing acknowledged is lost, and work goes on after."""

import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.engine_runtime import EngineRuntime, Shelf
from tests.support.forms import long_form
from tests.support.toy_apps import flow

from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState
from patchbay.storage.database import Database

BIG = "x" * 400_000


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[EngineRuntime]:
    shelf = await Shelf.open(tmp_path / "engine.db")
    made = EngineRuntime(shelf)
    await made.engine.start()
    yield made
    await made.engine.stop(grace=1)
    await shelf.db.close()


async def pragma(runtime: EngineRuntime, name: str, value: int | str | None = None) -> int:
    """Ask or set it on the connection that writes."""
    line = f"PRAGMA {name}" if value is None else f"PRAGMA {name} = {value}"
    row = await runtime.shelf.db.write_outside_transaction(lambda driver: driver.execute(line).fetchone())
    return int(row[0]) if row else 0


async def fill_the_disk(runtime: EngineRuntime) -> None:
    """From now on SQLite is told that there is no more room."""
    await pragma(runtime, "max_page_count", await pragma(runtime, "page_count"))


async def test_an_event_that_finds_a_full_disk_is_rejected_with_a_clear_error_and_taken_when_there_is_room(
    runtime: EngineRuntime,
):
    await runtime.publish(flow("hook", "echo"))
    await fill_the_disk(runtime)

    with pytest.raises(StorageFault, match="The disk is full"):
        await runtime.post(body=BIG)

    assert await runtime.all() == []
    await pragma(runtime, "max_page_count", 1_000_000)
    await runtime.post(body=BIG)
    assert (await runtime.one()).state is ExecutionState.SUCCESS


@long_form
async def test_a_run_that_meets_a_full_disk_waits_for_room_and_repeats_no_step(runtime: EngineRuntime):
    await runtime.publish(flow("hook", "slow", ("echo", {"say": "{{step.f1-0.body}}"})))
    await runtime.post(body=BIG)
    await runtime.until(lambda: runtime.toy.inside == 1)

    await fill_the_disk(runtime)
    runtime.toy.gate.set()
    await runtime.settle()
    assert (await runtime.all())[0].state is ExecutionState.RUNNING
    await pragma(runtime, "max_page_count", 1_000_000)

    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["slow", BIG]


async def test_a_database_that_cannot_be_written_is_reported_and_the_run_continues_when_it_can(
    runtime: EngineRuntime,
):
    await runtime.publish(flow("hook", "slow", ("echo", {"say": "after"})))
    await runtime.post()
    await runtime.until(lambda: runtime.toy.inside == 1)

    await pragma(runtime, "query_only", "on")
    with pytest.raises(StorageFault, match="can't be written"):
        await runtime.post()
    runtime.toy.gate.set()
    await runtime.settle()
    await pragma(runtime, "query_only", "off")

    assert (await runtime.one()).state is ExecutionState.SUCCESS
    assert runtime.toy.calls == ["slow", "after"]


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Take the right to write the file and its folder from this process, also where it is root's."""
    path.chmod(0o444)
    path.parent.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        path.parent.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="file rights are told by user ids")
async def test_a_read_only_file_is_reported_and_stays_as_it_was():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fixed.db"
        await (await Shelf.open(path)).db.close()
        before = path.read_bytes()

        with read_only(path), pytest.raises(StorageFault, match=r"can't be (written|opened)"):
            await write_something(path)

        assert path.read_bytes() == before


async def write_something(path: Path) -> None:
    db = await Database.open(path)
    try:
        await db.write_driver(lambda driver: driver.execute("CREATE TABLE more (id)"))
    finally:
        await db.close()
