"""Statistics of executions: the histogram, each flow's latest runs, and each folder's last week.

Whole hours and days come from the counters; the parts of them that a time range cuts off, and unfinished
executions, are counted by reading an index. So a histogram of a year costs about as much as one of a day.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Text, bindparam, func, literal, select, text

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, FolderId, UserId
from patchbay.domain.clock import DAY_MS, HOUR_MS
from patchbay.domain.executions import (
    ExecutionCounts,
    ExecutionFilter,
    ExecutionState,
    FlowActivity,
    Histogram,
    RunMark,
)
from patchbay.domain.folders import FolderStats
from patchbay.storage.counters import (
    ALL_FLOWS,
    ALL_TIME,
    DAY,
    FINISHED_STATES_SQL,
    HOUR,
    UNFINISHED_STATES_SQL,
    as_counted,
    condition,
    indexed_by,
    unfinished_part,
)
from patchbay.storage.driver import Driver, Twin, driver_of
from patchbay.storage.execution_filter import ExecutionSelection, select_executions, time_conditions
from patchbay.storage.executions import ALL_TIMES, read_executions, time_range_of
from patchbay.storage.tables import execution, flow, folder

RECENT_RUNS = 20

Query = tuple[str, list[Any]]
"""A statement and its values."""


class StateCount(NamedTuple):
    """Number of executions of one state, created in a span that starts at `at`."""

    status: str
    at: EpochMs
    runs: int


def count_by_state(
    driver: Driver, selection: ExecutionSelection, edges: Sequence[EpochMs]
) -> Iterator[StateCount]:
    """Count executions from the first edge to the last. No count spans an edge, so counts can be added up.

    With all flows, whole hours come from the counters; with some, whole days. Hours or days that contain an
    edge are counted by index. `selection` must not have `other_conditions`.
    """
    if selection.states == frozenset() or selection.flows == ():
        return
    grain, length = (HOUR, HOUR_MS) if selection.flows is None else (DAY, DAY_MS)
    cut = {edge // length for edge in edges if edge % length}
    yield from _from_counters(driver, selection, (edges[0], edges[-1]), grain, length, cut)
    yield from _by_index(
        driver, selection, _uncounted_ranges(edges, length), f"status IN ({FINISHED_STATES_SQL})"
    )
    if unfinished := unfinished_part(selection):
        yield from _by_index(driver, unfinished, list(itertools.pairwise(edges)), "true")


def _from_counters(
    driver: Driver,
    selection: ExecutionSelection,
    time_range: tuple[EpochMs, EpochMs],
    grain: int,
    length: int,
    cut: set[int],
) -> Iterator[StateCount]:
    query, values = _counter_query(selection, time_range, grain, length)
    for status, number, runs in driver.execute(query, values):
        if number not in cut:
            yield StateCount(status, number * length, runs)


def _counter_query(
    selection: ExecutionSelection, time_range: tuple[EpochMs, EpochMs], grain: int, length: int
) -> Query:
    """The counters of whole hours or days in a range: status, number of the hour or day, runs."""
    clause, values = condition(as_counted(selection))
    query = (
        f"SELECT status, start, sum(runs) AS runs FROM execution_counts WHERE span = {grain} AND start >= ?"
        f" AND start < ? AND {clause} GROUP BY start, status"
    )
    return query, [-(-time_range[0] // length), time_range[1] // length, *values]


def _uncounted_ranges(edges: Sequence[EpochMs], length: int) -> list[tuple[EpochMs, EpochMs]]:
    """The parts, between the edges, of hours or days that contain an edge."""
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
    driver: Driver,
    selection: ExecutionSelection,
    ranges: list[tuple[EpochMs, EpochMs]],
    more: str,
) -> Iterator[StateCount]:
    if ranges:
        for row in driver.execute(*_index_query(driver, selection, ranges, more)):
            yield StateCount(*row)


def _index_query(
    driver: Driver, selection: ExecutionSelection, ranges: list[tuple[EpochMs, EpochMs]], more: str
) -> Query:
    """The executions in some ranges, counted by an index: status, start of the range, runs."""
    clause, values = condition(selection)
    index = "execution_status" if selection.flows is None else "execution_flow"
    query = _COUNT_IN_RANGES.on(driver).format(
        ranges=", ".join(["(?, ?)"] * len(ranges)),
        executions=f"execution{indexed_by(driver, index)}",
        conditions=f"{more} AND {clause}",
    )
    return query, [*(time for piece in ranges for time in piece), *values]


_COUNT_IN_RANGES = Twin(
    sqlite=(
        "WITH piece (low, high) AS (VALUES {ranges})"
        " SELECT status, low, count(*) AS runs FROM piece CROSS JOIN {executions}"
        " WHERE created_at >= low AND created_at < high AND {conditions} GROUP BY low, status"
    ),
    # A lateral join reads one range after the other. The planner expects each range to have a tenth of all
    # executions, and would compare every execution with every range.
    postgresql=(
        "SELECT status, low, runs FROM (VALUES {ranges}) AS piece (low, high) CROSS JOIN LATERAL ("
        "SELECT status, count(*) AS runs FROM {executions}"
        " WHERE created_at >= low AND created_at < high AND {conditions} GROUP BY status) AS counted"
    ),
)


# Reads at most `runs` entries of each flow's index, however long its history is.
_RECENT_RUNS_ON_SQLITE = text(
    "SELECT run.flow_id, run.id, run.status, run.created_at, run.finished_at"
    " FROM flow JOIN execution AS run ON run.id IN ("
    "  SELECT newest.id FROM execution AS newest"
    "  WHERE newest.flow_id = flow.id AND newest.test_run = :no_tests"
    "  ORDER BY newest.created_at DESC, newest.id DESC LIMIT :runs)"
    " WHERE flow.id IN :flows"
    " ORDER BY run.created_at, run.id"
).bindparams(bindparam("flows", expanding=True, type_=Text()))
_RECENT_RUNS_ON_POSTGRESQL = text(
    "SELECT run.flow_id, run.id, run.status, run.created_at, run.finished_at"
    " FROM flow CROSS JOIN LATERAL ("
    "  SELECT * FROM execution AS newest"
    "  WHERE newest.flow_id = flow.id AND newest.test_run = :no_tests"
    "  ORDER BY newest.created_at DESC, newest.id DESC LIMIT :runs) AS run"
    " WHERE flow.id IN :flows"
    " ORDER BY run.created_at, run.id"
).bindparams(bindparam("flows", expanding=True, type_=Text()))
_RECENT_RUNS = Twin(sqlite=_RECENT_RUNS_ON_SQLITE, postgresql=_RECENT_RUNS_ON_POSTGRESQL)


# Whole days from the counters. Executions before the first whole day, and unfinished ones, are read.
_RUNS_SINCE = text(f"""
SELECT flow_id, sum(runs), sum(CASE WHEN status = 'failure' THEN runs ELSE 0 END) FROM (
    SELECT flow_id, status, runs FROM execution_counts
    WHERE span = {DAY} AND start >= :day AND flow_id <> '{ALL_FLOWS}' AND NOT test_run
    UNION ALL
    SELECT flow_id, status, 1 FROM execution
    WHERE created_at >= :since AND created_at < :whole AND NOT test_run
    UNION ALL
    SELECT flow_id, status, 1 FROM execution
    WHERE created_at >= :whole AND status IN ({UNFINISHED_STATES_SQL}) AND NOT test_run
) AS counted GROUP BY flow_id
""")


def histogram(tx: Connection, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
    """Count executions over [start, end) in `bars` equal spans. Ignores the times of `where`."""
    span = max(1, -(-(end - start) // bars))
    edges = [*range(start, end, span), end]
    selection = select_executions(tx, where)
    counts = (
        _count_by_scan(tx, selection, edges, span)
        if selection.other_conditions
        else count_by_state(driver_of(tx), selection, edges)
    )
    by_bar = (((count.at - start) // span, count.status, count.runs) for count in counts)
    return Histogram.from_counts(start, span, bars, by_bar)


def _count_by_scan(
    tx: Connection, selection: ExecutionSelection, edges: list[EpochMs], span: int
) -> Iterable[StateCount]:
    """Count by reading executions, for conditions that the counters don't cover."""
    bar = ((execution.c.created_at - edges[0]) // literal(span)).label("bar")
    query = (
        select(bar, execution.c.status, func.count().label("runs"))
        .where(execution.c.created_at >= edges[0], execution.c.created_at < edges[-1])
        .where(*selection.conditions())
        .group_by(bar, execution.c.status)
    )
    for number, status, runs in tx.execute(query):
        yield StateCount(status, edges[0] + number * span, runs)


def count_executions(tx: Connection, where: ExecutionFilter) -> ExecutionCounts:
    """Count the executions of a filter by outcome, and all executions of its user.

    Takes one statement; two for conditions that the counters don't cover.
    """
    selection = select_executions(tx, where)
    unfiltered = ExecutionFilter(user_id=where.user_id)
    driver, found = driver_of(tx), Counter[str]()
    queries: list[tuple[str, str, list[Any]]] = []
    if where != unfiltered:
        everything = select_executions(tx, unfiltered)
        queries += [("all", *query) for query in _outcome_queries(driver, everything, ALL_TIMES)]
    if selection.other_conditions:
        _add_outcomes(found, _scan_outcomes(tx, selection, where))
    else:
        outcomes = _outcome_queries(driver, selection, time_range_of(where))
        queries += [("matching", *query) for query in outcomes]
    if queries:
        sql = " UNION ALL ".join(
            f"SELECT '{part}', status, runs FROM ({query}) AS counted" for part, query, _ in queries
        )
        rows = driver.execute(sql, [value for _, _, values in queries for value in values]).fetchall()
        _add_outcomes(found, ((status, runs) for part, status, runs in rows if part == "matching"))
        everything_counted = sum(runs for part, _, runs in rows if part == "all")
        found["all"] = found.total() if where == unfiltered else everything_counted
    return ExecutionCounts(**found)


def _add_outcomes(found: Counter[str], counts: Iterable[tuple[str, int]]) -> None:
    for status, runs in counts:
        found[status if status in ("success", "failure") else "other"] += runs


def _outcome_queries(
    driver: Driver, selection: ExecutionSelection, time_range: tuple[EpochMs, EpochMs]
) -> Iterator[Query]:
    """Queries whose rows (status, runs, and more) add up to the selected executions in [start, end)."""
    start, end = time_range
    if selection.states == frozenset() or selection.flows == () or start >= end:
        return
    if time_range == ALL_TIMES:
        clause, values = condition(as_counted(selection))
        yield f"SELECT status, runs FROM execution_counts WHERE span = {ALL_TIME} AND {clause}", values
        if unfinished := unfinished_part(selection):
            clause, values = condition(unfinished)
            table = f"execution{indexed_by(driver, 'execution_status')}"
            yield f"SELECT status, count(*) AS runs FROM {table} WHERE {clause} GROUP BY status", values
    else:
        grain, length = (HOUR, HOUR_MS) if selection.flows is None else (DAY, DAY_MS)
        yield _counter_query(selection, time_range, grain, length)
        if ranges := _uncounted_ranges([start, end], length):
            yield _index_query(driver, selection, ranges, f"status IN ({FINISHED_STATES_SQL})")
        if unfinished := unfinished_part(selection):
            yield _index_query(driver, unfinished, [time_range], "true")


def _scan_outcomes(
    tx: Connection, selection: ExecutionSelection, where: ExecutionFilter
) -> list[tuple[str, int]]:
    """The number of selected executions by state, by reading executions."""
    times = time_conditions(where.started_after, where.ended_before)
    query = select(execution.c.status, func.count()).where(*times, *selection.conditions())
    return [(row[0], row[1]) for row in tx.execute(query.group_by(execution.c.status))]


def flow_activity(tx: Connection, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
    """The newest run and the last 20 of each flow without test runs, in the given order.

    Leaves `next_run_at` and `attention` empty, which only the engine and the connections know.
    """
    values = {"flows": list(flow_ids), "runs": RECENT_RUNS, "no_tests": False}
    recent: dict[FlowId, list[RunMark]] = {flow_id: [] for flow_id in flow_ids}
    last: dict[FlowId, ExecutionId] = {}
    for run in tx.execute(_RECENT_RUNS.on(tx), values):
        duration_ms = None if run.finished_at is None else max(0, run.finished_at - run.created_at)
        recent[run.flow_id].append(RunMark(state=ExecutionState(run.status), duration_ms=duration_ms))
        last[run.flow_id] = run.id
    executions = {item.flow_id: item for item in read_executions(tx, list(last.values()))}
    return tuple(
        FlowActivity(flow_id=flow_id, last=executions.get(flow_id), recent=tuple(recent[flow_id]))
        for flow_id in flow_ids
    )


def folder_stats(tx: Connection, since: EpochMs, user_id: UserId | None = None) -> tuple[FolderStats, ...]:
    """Number of flows in each folder of one user or of all, and of their runs since then, without test runs.

    Flows without a folder come last.
    """
    newest = select(func.max(execution.c.created_at)).where(execution.c.flow_id == flow.c.id)
    flows = select(flow.c.id, flow.c.folder_id, flow.c.active, newest.scalar_subquery().label("last"))
    flows = flows.where(flow.c.deleted_at.is_(None))
    named = select(folder.c.id).order_by(folder.c.name)
    if user_id is not None:
        named, flows = named.where(folder.c.user_id == user_id), flows.where(flow.c.user_id == user_id)
    folders: list[FolderId | None] = [*tx.execute(named).scalars(), None]
    first_whole_day = -(-since // DAY_MS)
    days = {"since": since, "day": first_whole_day, "whole": first_whole_day * DAY_MS}
    week = {row[0]: (row[1], row[2]) for row in tx.execute(_RUNS_SINCE, days)}
    flows_by_folder: dict[FolderId | None, list[tuple[bool, int, int, EpochMs | None]]] = {
        item: [] for item in folders
    }
    for row in tx.execute(flows):
        flows_by_folder[row.folder_id].append((row.active, *week.get(row.id, (0, 0)), row.last))
    return tuple(_folder_stats(item, flows_by_folder[item]) for item in folders)


def _folder_stats(
    folder_id: FolderId | None, flows: list[tuple[bool, int, int, EpochMs | None]]
) -> FolderStats:
    return FolderStats(
        folder_id=folder_id,
        flows=len(flows),
        published=sum(active for active, *_ in flows),
        runs=sum(runs for _, runs, _, _ in flows),
        failures=sum(failures for *_, failures, _ in flows),
        last_run_at=max((last for *_, last in flows if last is not None), default=None),
    )
