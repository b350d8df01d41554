"""Loading a history in bulk: the demo workspace, imports, benchmarks."""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, StepId
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.storage import tally_loading
from patchbay.storage.database import Database


class PastExecution(NamedTuple):
    """One row of `execution`. A running one needs a later `recover`, as after a crash."""

    id: ExecutionId
    flow_id: FlowId
    flow_version: int | None
    status: ExecutionState
    internal_id: str | None
    cursor: int
    steps_done: int
    steps_total: int
    wake_at: EpochMs | None
    test_run: bool
    note: str | None
    created_at: EpochMs
    updated_at: EpochMs
    started_at: EpochMs | None
    finished_at: EpochMs | None
    waits_for: WaitsFor | None = None
    origin_id: ExecutionId | None = None
    origin_kind: Origin | None = None


class PastStep(NamedTuple):
    """One row of `execution_step`; payloads are JSON text (`codec.to_text`)."""

    execution_id: ExecutionId
    seq: int
    attempt: int
    step_id: StepId
    status: StepState
    input: str | None
    output: str | None
    error: str | None
    started_at: EpochMs | None
    finished_at: EpochMs | None
    path: str | None = None


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_PUT_EXECUTION = _insert("execution", PastExecution._fields)
_PUT_STEP = _insert("execution_step", PastStep._fields)


async def load_history(db: Database, executions: Sequence[PastExecution], steps: Sequence[PastStep]) -> None:
    """Store finished (or waiting) executions with their steps in one commit."""

    def load(driver: sqlite3.Connection) -> None:
        with tally_loading.bulk_counting(driver, executions):
            driver.executemany(_PUT_EXECUTION, executions)
        driver.executemany(_PUT_STEP, steps)

    await db.write_driver(load)
