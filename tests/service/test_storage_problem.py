"""A disk that takes no writes shows in the health of the engine until it takes them again."""

import asyncio

import pytest
from tests.support.patience import PATIENCE

from patchbay.domain.errors import StorageFault


async def take_no_writes(runtime, on: bool) -> None:
    """As on a disk that was mounted read-only."""
    line = f"PRAGMA query_only = {'on' if on else 'off'}"
    await runtime.db.write_outside_transaction(lambda driver: driver.execute(line).fetchone())


async def test_a_disk_that_takes_no_writes_shows_in_the_health_until_it_does(runtime, backend):
    told = []
    runtime.db.on_fault = lambda: told.append(runtime.db.fault)
    assert (await backend.health()).storage_problem is None
    await take_no_writes(runtime, True)

    with pytest.raises(StorageFault):
        await backend.create_flow()
    during = (await backend.health()).storage_problem
    await take_no_writes(runtime, False)
    async with asyncio.timeout(PATIENCE):
        while (await backend.health()).storage_problem is not None:  # noqa: ASYNC110  it is asked, not told
            await asyncio.sleep(0.05)

    assert "can't be written" in during
    assert [fault is None for fault in told] == [False, True]


async def test_a_write_that_is_wrong_by_itself_is_no_problem_of_the_disk(runtime, backend):
    def contradict(driver):
        driver.execute("INSERT INTO flow (id) VALUES (NULL)")

    with pytest.raises(StorageFault):
        await runtime.db.write_driver(contradict)

    assert (await backend.health()).storage_problem is None
