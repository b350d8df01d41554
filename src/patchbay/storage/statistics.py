"""Figures over executions: the histogram, each flow's latest runs, each folder's week."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, literal, select, text

from patchbay.domain.base import EpochMs, FlowId, FolderId, UserId
from patchbay.domain.executions import (
    ExecutionFilter,
    ExecutionState,
    FlowActivity,
    Histogram,
    HistogramBar,
    RunMark,
)
from patchbay.domain.organise import FolderStats
from patchbay.storage.execution_filter import ExecutionSelection, select_executions
from patchbay.storage.executions import read_executions
from patchbay.storage.figures import StateCount, count_by_state
from patchbay.storage.sqlite import driver_of
from patchbay.storage.tables import execution, flow, folder
from patchbay.storage.tally_triggers import ALL_FLOWS, DAY, DAY_MS, UNFINISHED_STATES_SQL

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
