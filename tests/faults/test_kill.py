"""kill -9 in the middle of work: nothing acknowledged is lost, nothing done is done again."""

import asyncio
import os
import random
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from tests.support import patient
from tests.support.engine_runtime import Shelf
from tests.support.forms import in_forms
from tests.support.kill_child import ASKED, ASKS, CALLED, HOOKS, engine_over, flows
from tests.support.patience import PATIENCE

from patchbay.domain.flows import FlowSettings
from patchbay.engine.step_errors import OUTCOME_UNKNOWN, STOPPED_TWICE

KILLS = [12, 200]
CALLERS = 6
AT_ONCE = 20
"""Runs the engine makes at once, each of which may be at a step when it is killed."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork"),
]


@dataclass
class Service:
    """The process that is killed, the addresses of its webhooks, and what it acknowledged."""

    process: asyncio.subprocess.Process
    chance: random.Random
    acknowledged: set[str] = field(default_factory=set)
    sent: int = 0

    async def live(self, fewest: int) -> None:
        """Start a fresh process, call it from all sides, kill it at a random moment.

        `fewest`: events it must have acknowledged before, however slow the machine is.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"\n")
        pid, address = (await self.process.stdout.readline()).decode().split()
        async with patient.AsyncClient(base_url=address) as client:
            wanted = len(self.acknowledged) + fewest
            callers = [asyncio.create_task(self._call(client)) for _ in range(CALLERS)]
            async with asyncio.timeout(PATIENCE):
                while len(self.acknowledged) < wanted:  # noqa: ASYNC110  each answer is counted there
                    await asyncio.sleep(0.005)
            await asyncio.sleep(self.chance.uniform(0.02, 0.3))
            os.kill(int(pid), signal.SIGKILL)
            for caller in callers:
                caller.cancel()
            await asyncio.gather(*callers, return_exceptions=True)

    async def _call(self, client: httpx.AsyncClient) -> None:
        while True:
            self.sent += 1
            event, flow_id = str(self.sent), self.chance.choice(HOOKS)
            body = {"n": event, "list": [1, 2, 3]}
            answer = await client.post(f"/webhooks/flows/{flow_id}", json=body)
            if answer.status_code == 204:
                self.acknowledged.add(event)


@asynccontextmanager
async def service(database: Path, marks: Path, chance: random.Random) -> AsyncIterator[Service]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.kill_child",
        str(database),
        str(marks),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield Service(process, chance)
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize("kills", in_forms(KILLS, short=[12]))
async def test_kills_lose_no_event_and_repeat_no_finished_step(tmp_path: Path, kills: int):
    database = tmp_path / "kill.db"
    marks = tmp_path / "marks"
    chance = random.Random(7)
    await prepare(database)

    async with service(database, marks, chance) as killed:
        for number in range(kills):
            await killed.live(fewest=3 * (number % 2))  # every other one may die before its first answer
    await finish(database, marks)

    ended = all_events(database)
    counts = Counter(event for event, *_ in ended)
    assert killed.acknowledged <= counts.keys(), "an acknowledged event was lost"
    assert max(counts.values()) == 1, "an event was accepted twice"
    assert len(killed.acknowledged) > kills
    for _event, flow_id, state, error in ended:
        cut_off = (flow_id == ASKS and OUTCOME_UNKNOWN in error) or STOPPED_TWICE in error
        assert state == "success" or cut_off
    check_marks(marks.read_text().splitlines(), kills)


async def prepare(database: Path) -> None:
    shelf = await Shelf.open(database)
    for version in flows():
        await shelf.publish(version, 15, None)
        await shelf.settle_flow(version.flow_id, FlowSettings(pause_after=None))
    await shelf.db.close()


async def finish(database: Path, marks: Path) -> None:
    """One more life, to the end of all runs."""
    shelf = await Shelf.open(database)
    engine = engine_over(shelf.db, marks, well=True)
    await engine.start()
    async with asyncio.timeout(300):
        while await unfinished(shelf):  # noqa: ASYNC110  only the store knows
            await asyncio.sleep(0.05)
    await engine.stop()
    await shelf.db.close()


async def unfinished(shelf: Shelf) -> int:
    counts = await shelf.store.counts(0)
    return counts["running"] + counts["queued"] + counts["waiting"]


def all_events(database: Path) -> list[tuple[str, str, str, str]]:
    """Every event that came in by webhook: its number, flow, how its run ended, and the last error."""
    with sqlite3.connect(database) as db:
        rows = db.execute(
            "SELECT json_extract(s.output, '$.body.n'), e.flow_id, e.status,"
            " coalesce((SELECT group_concat(error) FROM execution_step WHERE execution_id = e.id), '')"
            " FROM execution e JOIN execution_step s ON s.execution_id = e.id AND s.seq = 0"
            " WHERE e.flow_id <> ?",
            (CALLED,),
        ).fetchall()
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        called = db.execute(
            "SELECT count(*), count(DISTINCT origin_id) FROM execution WHERE flow_id = ?", (CALLED,)
        )
        total, callers = called.fetchone()
        assert total == callers, "a flow was called twice by one step"
    db.close()
    return rows


def check_marks(lines: list[str], kills: int) -> None:
    """Calls come in order; again only where a kill cut one off, so never after a later one."""
    furthest: dict[str, float] = {}
    calls = Counter(lines)
    for line in lines:
        event, place = line.split()
        assert float(place) >= furthest.get(event, 0), f"{line}: again after a later step"
        furthest[event] = float(place)
        assert float(place) != ASKED or calls[line] == 1, f"{line}: not to be repeated"
    assert sum(calls.values()) - len(calls) <= kills * AT_ONCE
