"""Data folders that a version of Patchbay made itself: flows imported by its commands, and a long history."""

import json
import sqlite3
import time
import uuid
from contextlib import closing
from pathlib import Path

from tests.benchmarks.versions import Version
from tests.support import flow_files as files

DATABASE = "patchbay.db"
DAYS = 90
_DAY_MS = 86_400_000
_UNIQUE = ("id", "run_key", "internal_id")
_TIMES = ("created_at", "updated_at", "started_at", "finished_at")


def three_steps(name: str) -> files.Document:
    """Webhook → formatter → filter, for the body of `load`."""
    return files.flow(
        name,
        files.catch(),
        files.trimmed("{{step.#1.body.customer.name}}"),
        files.only_if("{{step.#2.output}}", "contains", "Ada"),
    )


def make_data_folder(version: Version, data: Path, flows: int) -> list[str]:
    """Import and publish so many flows with this version; returns their IDs."""
    file = files.write(data.with_suffix(".json"), [three_steps(f"Orders {each}") for each in range(flows)])
    imported = json.loads(
        version.output(version.words("flow", "import", file, "--publish", "--json", data=data))
    )
    return [flow["id"] for flow in imported]


def copy_executions(data: Path, count: int) -> None:
    """Copy the executions of a data folder that isn't open until it has `count` more, over 90 days.

    Copies whatever columns the tables have, so that it works with the database of any version.
    """
    with closing(sqlite3.connect(data / DATABASE, isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        originals = [dict(row) for row in db.execute("SELECT * FROM execution")]
        steps = {
            row["id"]: [
                dict(step)
                for step in db.execute("SELECT * FROM execution_step WHERE execution_id = ?", (row["id"],))
            ]
            for row in originals
        }
        now = time.time_ns() // 1_000_000
        db.execute("BEGIN")
        for number in range(count):
            original = originals[number % len(originals)]
            earlier = original["created_at"] - now + (count - number) * DAYS * _DAY_MS // count
            key = str(uuid.uuid4())
            _insert(db, "execution", {**_moved(original, earlier), "id": key})
            for step in steps[original["id"]]:
                _insert(db, "execution_step", {**_moved(step, earlier), "execution_id": key})
        db.execute("COMMIT")


def _moved(row: dict[str, object], earlier: int) -> dict[str, object]:
    times = {name: value - earlier for name in _TIMES if isinstance(value := row.get(name), int)}
    return {name: value for name, value in {**row, **times}.items() if name not in _UNIQUE}


def _insert(db: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    names = ", ".join(row)
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
