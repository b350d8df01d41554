"""kill -9 in the middle of work: nothing acknowledged is lost, nothing done is done again."""

import asyncio
import random
import sqlite3
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.support.engine_house import Shelf
from tests.support.kill_child import STEPS, engine_over, marking_flow

KILLS = 20
AT_ONCE = 20


async def one_life(database: Path, marks: Path, first: int, chance: random.Random) -> list[int]:
    """Start the child, kill it while it works, and give the events it had acknowledged."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.kill_child", str(database), str(marks), str(first),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    acknowledged: list[int] = []
    for _ in range(chance.randint(5, 60)):
        line = await child.stdout.readline()
        assert line, "the child ended by itself"
        acknowledged.append(int(line))
    child.kill()
    rest = await child.stdout.read()
    await child.wait()
    return acknowledged + [int(line) for line in rest.split(b"\n")[:-1]]


@pytest.mark.timeout(240)
async def test_twenty_kills_lose_no_event_and_repeat_no_finished_step(tmp_path: Path):
    database, marks, chance = tmp_path / "kill.db", tmp_path / "marks", random.Random(7)
    shelf = await Shelf.open(database)
    await shelf.publish(marking_flow(), 15, None)
    await shelf.db.close()

    acknowledged: list[int] = []
    for life in range(KILLS):
        acknowledged += await one_life(database, marks, life * 100_000, chance)
    await finish(database, marks)

    ended = dict(all_events(database))
    assert set(map(str, acknowledged)) <= set(ended)
    assert set(ended.values()) == {"success"}
    assert len(all_events(database)) == len(ended), "an event was accepted twice"
    check_marks(marks.read_text().splitlines(), set(ended))


async def finish(database: Path, marks: Path) -> None:
    shelf = await Shelf.open(database)
    engine = engine_over(shelf.db, marks)
    await engine.start()
    async with asyncio.timeout(60):
        while True:
            counts = await shelf.store.counts(0)
            if not counts["running"] and not counts["queued"]:
                break
            await asyncio.sleep(0.01)
    await engine.stop()
    await shelf.db.close()


def all_events(database: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(database) as db:
        rows = db.execute(
            "SELECT json_extract(output, '$.body.n'), e.status FROM execution e"
            " JOIN execution_step s ON s.execution_id = e.id AND s.seq = 0"
        ).fetchall()
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
    return rows


def check_marks(lines: list[str], events: set[str]) -> None:
    """Every step was called; again only if it was on its way at a kill, so never after the next one."""
    calls = Counter(lines)
    assert {f"{event} {step}" for event in events for step in range(1, STEPS + 1)} == set(calls)
    furthest: dict[str, int] = {}
    for line in lines:
        event, step = line.split()
        assert int(step) >= furthest.get(event, 0), f"{line}: again after a later step"
        furthest[event] = int(step)
    assert sum(calls.values()) - len(calls) <= KILLS * AT_ONCE
