"""A scattered history, the list as reading all of it tells, and what the tally of a database should hold."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from tests.support.storage_rows import NOW, Workshop

from patchbay.domain.base import ExecutionId
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.storage.bulk_load import PastExecution, load_history
from patchbay.storage.counters import FINISHED
from patchbay.storage.database import Database
from patchbay.storage.driver import Driver
from patchbay.storage.execution_filter import conditions
from patchbay.storage.migrate import migrate_database
from patchbay.storage.sqlite import SqliteDriver, create_private, sqlite_of, writer_engine
from patchbay.storage.tables import execution

DAYS = 10


@contextmanager
def connected(path: Path) -> Iterator[SqliteDriver]:
    """The driver of a database that is up to date."""
    create_private(path)
    connection = writer_engine(path).connect()
    try:
        migrate_database(connection, path)
        yield sqlite_of(connection)
    finally:
        connection.close()


def differences(driver: Driver) -> list[object]:
    """Where the tally is not what counting says; rows of zero do not matter."""
    wanted: Counter[tuple[Any, ...]] = Counter()
    for flow, status, test, at in driver.execute(
        "SELECT flow_id, status, test_run, created_at FROM execution"
    ):
        if status in FINISHED:
            day, hour = at // DAY_MS, at // HOUR_MS
            for place in (("", 0, 0), ("", 1, day), ("", 2, hour), (flow, 0, 0), (flow, 1, day)):
                wanted[*place, status, test] += 1
    rows = driver.execute(
        "SELECT flow_id, span, start, status, test_run, sum(runs) FROM execution_counts"
        " GROUP BY 1, 2, 3, 4, 5"
    )
    held = {tuple(row[:5]): row[5] for row in rows if row[5]}
    return sorted(set(wanted.items()) ^ set(held.items()), key=str)


async def scatter(db: Database, workshop: Workshop, count: int) -> None:
    """Executions of three flows over ten days: most at the same few times, one flow seldom, some tests."""
    rng = random.Random(5)
    names = (("Orders", "slack"), ("Invoices to go", "stripe"), ("Rare", "slack"))
    flows = [await workshop.flow(name, app=app) for name, app in names]
    states = list(ExecutionState)

    def past(number: int) -> PastExecution:
        at = NOW - rng.randrange(DAYS * DAY_MS)
        if number % 3 == 0:
            at = NOW - rng.randrange(4) * DAY_MS - rng.randrange(3) * HOUR_MS
        [state] = rng.choices(states, [1, 1, 1, 20, 5, 2, 2])
        [item] = rng.choices(flows, [10, 10, 1])
        return PastExecution(
            id=ExecutionId(f"run-{rng.getrandbits(64):016x}"),
            flow_id=item.id,
            flow_version=1,
            status=state,
            internal_id=None,
            cursor=1,
            steps_done=1,
            steps_total=3,
            wake_at=None,
            test_run=rng.random() < 0.1,
            note="It refused." if state is ExecutionState.FAILURE else None,
            created_at=at,
            updated_at=at,
            started_at=at,
            finished_at=at,
        )

    await load_history(db, [past(number) for number in range(count)], [])


def reference(tx: Connection, where: ExecutionFilter) -> list[ExecutionId]:
    """Every execution of the filter, newest first, read without any tally."""
    rows = tx.execute(execution.select().where(*conditions(tx, where))).all()
    return [row.id for row in sorted(rows, key=lambda row: (row.created_at, row.id), reverse=True)]
