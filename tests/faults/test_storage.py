"""A full disk, a database that cannot be written: nothing acknowledged is lost, and work goes on after."""

import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.engine_house import House, Shelf
from tests.support.toy_apps import flow

from patchbay.domain.errors import StorageFault
from patchbay.domain.executions import ExecutionState
from patchbay.storage.database import Database

BIG = "x" * 400_000


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    shelf = await Shelf.open(tmp_path / "house.db")
    made = House(shelf)
    await made.engine.start()
    yield made
    await made.engine.stop(grace=1)
    await shelf.db.close()


async def pragma(house: House, name: str, value: int | str | None = None) -> int:
    """Ask or set it on the connection that writes."""
    line = f"PRAGMA {name}" if value is None else f"PRAGMA {name} = {value}"
    row = await house.shelf.db.write_outside_transaction(lambda driver: driver.execute(line).fetchone())
    return int(row[0]) if row else 0


async def fill_the_disk(house: House) -> None:
    """From now on SQLite is told that there is no more room."""
    await pragma(house, "max_page_count", await pragma(house, "page_count"))


async def test_an_event_that_finds_a_full_disk_is_refused_in_words_and_taken_when_there_is_room(house: House):
    await house.publish(flow("hook", "echo"))
    await fill_the_disk(house)

    with pytest.raises(StorageFault, match="The disk is full"):
        await house.post(body=BIG)

    assert await house.all() == []
    await pragma(house, "max_page_count", 1_000_000)
    await house.post(body=BIG)
    assert (await house.one()).state is ExecutionState.SUCCESS


async def test_a_run_that_meets_a_full_disk_waits_for_room_and_repeats_no_step(house: House):
    await house.publish(flow("hook", "slow", ("echo", {"say": "{{step.f1-0.body}}"})))
    await house.post(body=BIG)
    await house.until(lambda: house.toy.inside == 1)

    await fill_the_disk(house)
    house.toy.gate.set()
    await house.settle()
    assert (await house.all())[0].state is ExecutionState.RUNNING
    await pragma(house, "max_page_count", 1_000_000)

    assert (await house.one()).state is ExecutionState.SUCCESS
    assert house.toy.calls == ["slow", BIG]


async def test_a_database_that_cannot_be_written_is_told_and_the_run_goes_on_when_it_can(house: House):
    await house.publish(flow("hook", "slow", ("echo", {"say": "after"})))
    await house.post()
    await house.until(lambda: house.toy.inside == 1)

    await pragma(house, "query_only", "on")
    with pytest.raises(StorageFault, match="cannot be written"):
        await house.post()
    house.toy.gate.set()
    await house.settle()
    await pragma(house, "query_only", "off")

    assert (await house.one()).state is ExecutionState.SUCCESS
    assert house.toy.calls == ["slow", "after"]


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
async def test_a_read_only_file_is_told_in_words_and_stays_as_it_was():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fixed.db"
        await (await Shelf.open(path)).db.close()
        before = path.read_bytes()

        with read_only(path), pytest.raises(StorageFault, match=r"cannot be (written|opened)"):
            await write_something(path)

        assert path.read_bytes() == before


async def write_something(path: Path) -> None:
    db = await Database.open(path)
    try:
        await db.write_driver(lambda driver: driver.execute("CREATE TABLE more (id)"))
    finally:
        await db.close()
