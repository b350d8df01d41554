"""Data folders that a version of Patchbay made itself: flows imported by its commands, and a long history."""

import itertools
import json
import random
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

from tests.benchmarks.versions import Version
from tests.support import flow_files as files

Row = dict[str, Any]

DATABASE = "patchbay.db"
DAYS = 90
STATES, WEIGHTS = ("success", "failure", "filtered"), (92, 5, 3)
_DAY_MS = 86_400_000
_BATCH = 10_000
_UNIQUE = ("run_key", "internal_id")
_TIMES = ("created_at", "updated_at", "started_at", "finished_at")


def three_steps(name: str) -> files.Document:
    """Webhook → formatter → filter, for the body of `load`."""
    return files.flow(
        name,
        files.catch(),
        files.trimmed("{{step.#1.body.customer.name}}"),
        files.only_if("{{step.#2.output}}", "contains", "Ada"),
    )


def make_data_folder(version: Version, data: Path, flows: int, options: Sequence[str] = ()) -> list[str]:
    """Import and publish so many flows with this version; returns their IDs. The options name a database."""
    file = files.write(data.with_suffix(".json"), [three_steps(f"Orders {each}") for each in range(flows)])
    imported = json.loads(
        version.output(version.words(*options, "flow", "import", file, "--publish", "--json", data=data))
    )
    return [flow["id"] for flow in imported]


def copy_executions(data: Path, count: int) -> None:
    """Copy the executions of a data folder that isn't open until it has `count` more, over 90 days.

    Copies whatever columns the tables have, so that it works with the database of any version. Of the copies,
    5% failed and 3% were filtered.
    """
    with closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        originals = [dict(row) for row in db.execute("SELECT * FROM execution")]
        steps: dict[str, list[Row]] = {row["id"]: [] for row in originals}
        for row in db.execute("SELECT * FROM execution_step"):
            steps[row["execution_id"]].append(dict(row))
        copies = _copies(originals, steps, count)
        db.execute("BEGIN")
        while some := list(itertools.islice(copies, _BATCH)):
            _insert(db, "execution", [run for run, _ in some])
            _insert(db, "execution_step", [step for _, more in some for step in more])
        db.execute("COMMIT")


def _copies(originals: list[Row], steps: dict[str, list[Row]], count: int) -> Iterator[tuple[Row, list[Row]]]:
    rng, now = random.Random(1), time.time_ns() // 1_000_000
    for number in range(count):
        original = rng.choice(originals)
        earlier = original["created_at"] - now + (count - number) * DAYS * _DAY_MS // count
        run = _moved(original, earlier)
        run["id"] = execution_id(run["created_at"], number, rng)
        [run["status"]] = rng.choices(STATES, WEIGHTS)
        yield run, [{**_moved(step, earlier), "execution_id": run["id"]} for step in steps[original["id"]]]


def execution_id(at: int, number: int, rng: random.Random) -> str:
    """An ID as Patchbay makes them: they sort by the time at which they were made."""
    return str(UUID(int=(at << 80) | (7 << 76) | ((number & 0xFFF) << 64) | (2 << 62) | rng.getrandbits(62)))


def _moved(row: Row, earlier: int) -> Row:
    times = {name: value - earlier for name in _TIMES if isinstance(value := row.get(name), int)}
    return {**row, **times, **{name: None for name in _UNIQUE if name in row}}


def _insert(db: sqlite3.Connection, table: str, rows: list[Row]) -> None:
    names = ", ".join(rows[0])
    db.executemany(f"INSERT INTO {table} ({names}) VALUES (:{', :'.join(rows[0])})", rows)
