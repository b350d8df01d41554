"""“Continue only once” with real processes: asked at the same time, and killed once it has decided."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import PASSWORD
from tests.support.engine_runtime import Shelf
from tests.support.forms import in_forms, long_form
from tests.support.only_once_child import NOW
from tests.support.patience import STARTING

from patchbay.storage.postgresql.address import PostgresAddress


@pytest.fixture(autouse=True)
def _password_of_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


async def start(*words: object) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    module = "tests.support.only_once_child"
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *map(str, words), stdin=pipe, stdout=pipe
    )


async def answer(process: asyncio.subprocess.Process) -> Any:
    """What the process printed last, once it has ended."""
    async with asyncio.timeout(STARTING):
        out, _ = await process.communicate(b"\n")
    return json.loads(out.decode().splitlines()[-1])


@long_form
@pytest.mark.parametrize("count", in_forms([2, 4], short=[2]))
async def test_of_processes_that_ask_for_the_same_keys_exactly_one_gets_each(
    location: Path | PostgresAddress, count: int
):
    await (await Shelf.open(location)).db.close()
    processes = [await start("ask", location, f"run-{number}") for number in range(count)]
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"

    found = await asyncio.gather(*map(answer, processes))

    for answers in zip(*found, strict=True):
        assert sorted(answers, key=str) == [NOW] * (count - 1) + [None]


@long_form
async def test_a_run_that_was_killed_once_its_key_had_passed_continues_and_the_next_one_is_filtered(
    location: Path | PostgresAddress,
):
    killed = await start("decide", location)
    async with asyncio.timeout(STARTING):
        code = await killed.wait()
    ended = await answer(await start("finish", location))

    assert code == -signal.SIGKILL
    assert ended == [["success", 3], ["filtered", 2]]
