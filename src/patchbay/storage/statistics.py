"""Figures over executions: the histogram, each flow's latest runs, each folder's week."""

import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, func, literal, select, text

from patchbay.domain.base import EpochMs, FlowId, FolderId, UserId
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.executions import (
    ExecutionFilter,
    ExecutionState,
    FlowActivity,
    Histogram,
    HistogramBar,
    RunMark,
)
from patchbay.domain.folders import FolderStats
from patchbay.storage.counters import (
    ALL_FLOWS,
    DAY,
    FINISHED,
    HOUR,
    UNFINISHED_STATES_SQL,
    as_counted,
    condition,
    unfinished_part,
)
from patchbay.storage.execution_filter import ExecutionSelection, select_executions
from patchbay.storage.executions import read_executions
from patchbay.storage.sqlite import driver_of
from patchbay.storage.tables import execution, flow, folder

# MERGED: Executions counted by state along the time, from the tally where it tells and by an index
# where not.

_STATES = ", ".join(f"'{state.value}'" for state in FINISHED)


class StateCount(NamedTuple):
    """How many of one state began at or shortly after `at`."""

    status: str
    at: EpochMs
    runs: int


def count_by_state(
    driver: sqlite3.Connection, selection: ExecutionSelection, edges: Sequence[EpochMs]
) -> Iterator[StateCount]:
    """Counts from the first edge to the last, none of which reaches over an edge.

    Hours of all flows and days of some come from the tally; those that an edge cuts are read. `selection` has no
    conditions that the tally does not know.
    """
    if selection.states == frozenset() or selection.flows == ():
        return
    grain, length = (HOUR, HOUR_MS) if selection.flows is None else (DAY, DAY_MS)
    cut = {edge // length for edge in edges if edge % length}
    yield from _from_counters(driver, selection, (edges[0], edges[-1]), grain, length, cut)
    yield from _by_index(driver, selection, _uncounted_ranges(edges, length, cut), f"status IN ({_STATES})")
    if unfinished := unfinished_part(selection):
        yield from _by_index(driver, unfinished, list(itertools.pairwise(edges)), "1")


def _from_counters(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    time_range: tuple[EpochMs, EpochMs],
    grain: int,
    length: int,
    cut: set[int],
) -> Iterator[StateCount]:
    clause, values = condition(as_counted(selection))
    query = (
        f"SELECT start, status, sum(runs) FROM execution_counts WHERE span = {grain} AND start >= ?"
        f" AND start < ? AND {clause} GROUP BY start, status"
    )
    start, end = -(-time_range[0] // length), time_range[1] // length
    for number, status, runs in driver.execute(query, (start, end, *values)):
        if number not in cut:
            yield StateCount(status, number * length, runs)


def _uncounted_ranges(edges: Sequence[EpochMs], length: int, cut: set[int]) -> list[tuple[EpochMs, EpochMs]]:
    """The parts of the hours or days that are cut."""
    found = []
    for start, end in itertools.pairwise(edges):
        inner, outer = -(-start // length) * length, end // length * length
        if inner > outer:
            found.append((start, end))
            continue
        found += [(start, inner)] if start < inner else []
        found += [(outer, end)] if outer < end else []
    return found


def _by_index(
    driver: sqlite3.Connection,
    selection: ExecutionSelection,
    ranges: list[tuple[EpochMs, EpochMs]],
    more: str,
) -> Iterator[StateCount]:
    if not ranges:
        return
    clause, values = condition(selection)
    index = "execution_status" if selection.flows is None else "execution_flow"
    query = (
        f"WITH piece (low, high) AS (VALUES {', '.join(['(?, ?)'] * len(ranges))})"
        f" SELECT status, low, count(*) FROM piece CROSS JOIN execution INDEXED BY {index}"
        f" ON created_at >= low AND created_at < high WHERE {more} AND {clause} GROUP BY low, status"
    )
    places = [time for piece in ranges for time in piece]
    for row in driver.execute(query, (*places, *values)):
        yield StateCount(*row)


RECENT_RUNS = 20

_SLOTS = {ExecutionState.SUCCESS.value: "success", ExecutionState.FAILURE.value: "failure"}

# One short walk down each flow's own index, however long its history is.
_RECENT_RUNS = text(
    "SELECT run.flow_id, run.id, run.status, run.created_at, run.finished_at"
    " FROM flow JOIN execution AS run ON run.id IN ("
    "  SELECT newest.id FROM execution AS newest"
    "  WHERE newest.flow_id = flow.id AND newest.test_run = :no_tests"
    "  ORDER BY newest.created_at DESC, newest.id DESC LIMIT :runs)"
    " WHERE flow.id IN :flows"
    " ORDER BY run.created_at, run.id"
).bindparams(bindparam("flows", expanding=True))


# Whole days as they are tallied; what began before the first of them, and what has not ended, is read.
_RUNS_SINCE = text(f"""
SELECT flow_id, sum(runs), sum(CASE WHEN status = 'failure' THEN runs ELSE 0 END) FROM (
    SELECT flow_id, status, runs FROM execution_counts
    WHERE span = {DAY} AND start >= :day AND flow_id <> '{ALL_FLOWS}' AND test_run = 0
    UNION ALL
    SELECT flow_id, status, 1 FROM execution
    WHERE created_at >= :since AND created_at < :whole AND test_run = 0
    UNION ALL
    SELECT flow_id, status, 1 FROM execution
    WHERE created_at >= :whole AND status IN ({UNFINISHED_STATES_SQL}) AND test_run = 0
) GROUP BY flow_id
""")


def histogram(tx: Connection, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
    """Counts over [start, end) in `bars` equal spans; the time conditions of `where` do not apply."""
    span = max(1, -(-(end - start) // bars))
    edges = [*range(start, end, span), end]
    selection = select_executions(tx, where)
    counts: list[Counter[str]] = [Counter() for _ in range(bars)]
    count = (
        _count_by_scan(tx, selection, edges, span)
        if selection.other_conditions
        else count_by_state(driver_of(tx), selection, edges)
    )
    for status, at, runs in count:
        counts[(at - start) // span][_SLOTS.get(status, "other")] += runs
    return Histogram(
        span_ms=span,
        bars=tuple(HistogramBar(start=start + i * span, **found) for i, found in enumerate(counts)),
    )


def _count_by_scan(
    tx: Connection, selection: ExecutionSelection, edges: list[EpochMs], span: int
) -> Iterable[StateCount]:
    """For conditions that no tally knows."""
    bar = ((execution.c.created_at - edges[0]) // literal(span)).label("bar")
    query = (
        select(bar, execution.c.status, func.count().label("runs"))
        .where(execution.c.created_at >= edges[0], execution.c.created_at < edges[-1])
        .where(*selection.conditions())
        .group_by(bar, execution.c.status)
    )
    for number, status, runs in tx.execute(query):
        yield StateCount(status, edges[0] + number * span, runs)


def flow_activity(tx: Connection, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
    """The newest run and the last 20 of each flow, test runs left out, in the given order.

    What only the engine and the connections know (`next_run_at`, `attention`) is not filled.
    """
    values = {"flows": list(flow_ids), "runs": RECENT_RUNS, "no_tests": False}
    recent: dict[FlowId, list[RunMark]] = {flow_id: [] for flow_id in flow_ids}
    last: dict[FlowId, str] = {}
    for run in tx.execute(_RECENT_RUNS, values):
        duration_ms = None if run.finished_at is None else max(0, run.finished_at - run.created_at)
        recent[run.flow_id].append(RunMark(state=ExecutionState(run.status), duration_ms=duration_ms))
        last[run.flow_id] = run.id
    executions = {item.flow_id: item for item in read_executions(tx, list(last.values()))}
    return tuple(
        FlowActivity(flow_id=flow_id, last=executions.get(flow_id), recent=tuple(recent[flow_id]))
        for flow_id in flow_ids
    )


def folder_stats(tx: Connection, since: EpochMs, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
    """What each folder, of one person or of all, holds and how its flows ran since then (no test runs).

    Uncategorised flows come last.
    """
    named, flows = select(folder.c.id).order_by(folder.c.name), _flows_with_newest_run()
    if user_id is not None:
        named, flows = named.where(folder.c.user_id == user_id), flows.where(flow.c.user_id == user_id)
    folders: list[FolderId | None] = [*tx.execute(named).scalars(), None]
    week = {row[0]: (row[1], row[2]) for row in tx.execute(_RUNS_SINCE, _days_since(since))}
    flows_by_folder: dict[FolderId | None, list[tuple[bool, int, int, EpochMs | None]]] = {
        item: [] for item in folders
    }
    for row in tx.execute(flows):
        flows_by_folder[row.folder_id].append((row.active, *week.get(row.id, (0, 0)), row.last))
    return tuple(_folder_stats(item, flows_by_folder[item]) for item in folders)


def _flows_with_newest_run() -> Select[Any]:
    newest = select(func.max(execution.c.created_at)).where(execution.c.flow_id == flow.c.id)
    shown = select(flow.c.id, flow.c.folder_id, flow.c.active, newest.scalar_subquery().label("last"))
    return shown.where(flow.c.deleted_at.is_(None))


def _days_since(since: EpochMs) -> dict[str, int]:
    """The time, its first whole day, and when that begins."""
    day = -(-since // DAY_MS)
    return {"since": since, "day": day, "whole": day * DAY_MS}


def _folder_stats(
    folder_id: FolderId | None, flows: list[tuple[bool, int, int, EpochMs | None]]
) -> FolderStats:
    return FolderStats(
        folder_id=folder_id, flows=len(flows), published=sum(active for active, *_ in flows),
        runs=sum(runs for _, runs, _, _ in flows), failures=sum(failures for *_, failures, _ in flows),
        last_run_at=max((last for *_, last in flows if last is not None), default=None),
    )  # fmt: skip
