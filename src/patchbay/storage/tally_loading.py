"""Counting many executions that arrive together: at once, instead of one by one by the triggers."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from patchbay.domain.base import EpochMs, FlowId
from patchbay.domain.executions import ExecutionState
from patchbay.storage.tally_triggers import (
    ADD_COUNT,
    ALL_FLOWS,
    ALL_TIME,
    CREATE_TRIGGERS,
    DAY,
    DAY_MS,
    DROP_TRIGGERS,
    HOUR,
    HOUR_MS,
)

_BULK_THRESHOLD = 200
"""Executions from which on it pays to do without the triggers, which take longer than storing them."""


class _CountedExecution(Protocol):
    """What of an execution the tally needs."""

    @property
    def flow_id(self) -> FlowId: ...
    @property
    def status(self) -> ExecutionState: ...
    @property
    def test_run(self) -> bool: ...
    @property
    def created_at(self) -> EpochMs: ...


@contextmanager
def bulk_counting(driver: sqlite3.Connection, executions: Sequence[_CountedExecution]) -> Iterator[None]:
    """The block stores exactly these, inside a transaction, and changes nothing else of `execution`."""
    if len(executions) < _BULK_THRESHOLD:
        yield
        return
    for statement in DROP_TRIGGERS:
        driver.execute(statement)
    yield
    driver.executemany(ADD_COUNT, [(*place, runs) for place, runs in _count_executions(executions).items()])
    for statement in CREATE_TRIGGERS:
        driver.execute(statement)


def _count_executions(executions: Sequence[_CountedExecution]) -> Counter[tuple[FlowId, int, int, str, bool]]:
    found: Counter[tuple[FlowId, int, int, str, bool]] = Counter()
    for run in executions:
        if run.status.finished:
            day, hour = run.created_at // DAY_MS, run.created_at // HOUR_MS
            for flow_id, span, start in (
                (ALL_FLOWS, ALL_TIME, 0), (ALL_FLOWS, DAY, day), (ALL_FLOWS, HOUR, hour),
                (run.flow_id, ALL_TIME, 0), (run.flow_id, DAY, day),
            ):  # fmt: skip
                found[flow_id, span, start, run.status.value, run.test_run] += 1
    return found
