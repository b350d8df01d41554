"""Stores a history in bulk, for the demo workspace, tests, and benchmarks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, StepId
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.executions import ExecutionState, Origin, StepState, WaitsFor
from patchbay.storage.counters import (
    ADD_COUNT,
    ALL_FLOWS,
    ALL_TIME,
    DAY,
    HOUR,
    RESUME_COUNTING,
    STOP_COUNTING,
)
from patchbay.storage.database import Database
from patchbay.storage.driver import Driver

_BULK_THRESHOLD = 200
"""Number of executions from which counting them at once is faster than by the triggers."""


class _CountedExecution(Protocol):
    """The columns of an execution that the counters depend on."""

    @property
    def flow_id(self) -> FlowId: ...
    @property
    def status(self) -> ExecutionState: ...
    @property
    def test_run(self) -> bool: ...
    @property
    def created_at(self) -> EpochMs: ...


@contextmanager
def bulk_counting(driver: Driver, executions: Sequence[_CountedExecution]) -> Iterator[None]:
    """Count these executions at once instead of one by one by the triggers.

    The block must store exactly these, inside a transaction, and change nothing else in `execution`.
    """
    if len(executions) < _BULK_THRESHOLD:
        yield
        return
    for statement in STOP_COUNTING.on(driver):
        driver.execute(statement)
    yield
    driver.executemany(ADD_COUNT, [(*place, runs) for place, runs in _count_executions(executions).items()])
    for statement in RESUME_COUNTING.on(driver):
        driver.execute(statement)


def _count_executions(executions: Sequence[_CountedExecution]) -> Counter[tuple[FlowId, int, int, str, bool]]:
    found: Counter[tuple[FlowId, int, int, str, bool]] = Counter()
    for run in executions:
        if run.status.finished:
            day, hour = run.created_at // DAY_MS, run.created_at // HOUR_MS
            for flow_id, span, start in (
                (ALL_FLOWS, ALL_TIME, 0),
                (ALL_FLOWS, DAY, day),
                (ALL_FLOWS, HOUR, hour),
                (run.flow_id, ALL_TIME, 0),
                (run.flow_id, DAY, day),
            ):
                found[flow_id, span, start, run.status.value, run.test_run] += 1
    return found


class PastExecution(NamedTuple):
    """One row of `execution`. A running one needs `recover` afterwards, as after a crash."""

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

    def load(driver: Driver) -> None:
        with bulk_counting(driver, executions):
            driver.executemany(_PUT_EXECUTION, executions)
        driver.executemany(_PUT_STEP, steps)

    await db.write_driver(load)
