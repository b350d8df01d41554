"""Figures over executions: the histogram, each flow's latest runs, each folder's week."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, literal, select, text

from patchbay.domain.base import EpochMs, FlowId, FolderId
from patchbay.domain.executions import (
    ExecutionFilter,
    ExecutionState,
    FlowActivity,
    Histogram,
    HistogramBar,
    RunMark,
)
from patchbay.domain.organise import FolderStats
from patchbay.storage.execution_filter import selected
from patchbay.storage.executions import read_executions
from patchbay.storage.tables import execution, flow, folder

RECENT_RUNS = 20

_SLOTS = {ExecutionState.SUCCESS.value: "success", ExecutionState.FAILURE.value: "failure"}

# One short walk down each flow's own index, however long its history is.
_RECENT = text(
    "SELECT run.flow_id, run.id, run.status, run.created_at, run.finished_at"
    " FROM flow JOIN execution AS run ON run.id IN ("
    "  SELECT newest.id FROM execution AS newest"
    "  WHERE newest.flow_id = flow.id AND newest.test_run = :no_tests"
    "  ORDER BY newest.created_at DESC, newest.id DESC LIMIT :runs)"
    " WHERE flow.id IN :flows"
    " ORDER BY run.created_at, run.id"
).bindparams(bindparam("flows", expanding=True))


def histogram(tx: Connection, where: ExecutionFilter, start: EpochMs, end: EpochMs, bars: int) -> Histogram:
    """Counts over [start, end) in `bars` equal spans; the time conditions of `where` do not apply."""
    span = max(1, -(-(end - start) // bars))
    bar = ((execution.c.created_at - start) // literal(span)).label("bar")
    query = (
        select(bar, execution.c.status, func.count().label("runs"))
        .where(execution.c.created_at >= start, execution.c.created_at < end)
        .where(*selected(tx, where).conditions())
        .group_by(bar, execution.c.status)
    )
    counts: list[dict[str, int]] = [{} for _ in range(bars)]
    for index, status, runs in tx.execute(query):
        slot = _SLOTS.get(status, "other")
        counts[index][slot] = counts[index].get(slot, 0) + runs
    return Histogram(
        span_ms=span,
        bars=tuple(HistogramBar(start=start + i * span, **found) for i, found in enumerate(counts)),
    )


def flow_activity(tx: Connection, flow_ids: Sequence[FlowId]) -> tuple[FlowActivity, ...]:
    """The newest run and the last 20 of each flow, test runs left out, in the given order.

    What only the engine and the connections know (`next_run_at`, `attention`) is not filled.
    """
    values = {"flows": list(flow_ids), "runs": RECENT_RUNS, "no_tests": False}
    recent: dict[FlowId, list[RunMark]] = {flow_id: [] for flow_id in flow_ids}
    last: dict[FlowId, str] = {}
    for run in tx.execute(_RECENT, values):
        took = None if run.finished_at is None else max(0, run.finished_at - run.created_at)
        recent[run.flow_id].append(RunMark(state=ExecutionState(run.status), duration_ms=took))
        last[run.flow_id] = run.id
    executions = {item.flow_id: item for item in read_executions(tx, list(last.values()))}
    return tuple(
        FlowActivity(flow_id=flow_id, last=executions.get(flow_id), recent=tuple(recent[flow_id]))
        for flow_id in flow_ids
    )


def folder_stats(tx: Connection, since: EpochMs) -> tuple[FolderStats, ...]:
    """What each folder holds and how its flows ran since then (no test runs); uncategorised last."""
    folders: list[FolderId | None] = [
        *tx.execute(select(folder.c.id).order_by(folder.c.name)).scalars(),
        None,
    ]
    failed = func.sum(execution.c.status == ExecutionState.FAILURE)
    runs = select(execution.c.flow_id, func.count().label("runs"), failed.label("failures")).where(
        execution.c.created_at >= since, execution.c.test_run.is_(False)
    )
    week = {row.flow_id: (row.runs, row.failures) for row in tx.execute(runs.group_by(execution.c.flow_id))}
    newest = select(func.max(execution.c.created_at)).where(execution.c.flow_id == flow.c.id)
    flows = select(flow.c.id, flow.c.folder_id, flow.c.active, newest.scalar_subquery().label("last"))
    held: dict[FolderId | None, list[tuple[bool, int, int, EpochMs | None]]] = {item: [] for item in folders}
    for row in tx.execute(flows.where(flow.c.deleted_at.is_(None))):
        held[row.folder_id].append((row.active, *week.get(row.id, (0, 0)), row.last))
    return tuple(_stats(item, held[item]) for item in folders)


def _stats(folder_id: FolderId | None, flows: list[tuple[bool, int, int, EpochMs | None]]) -> FolderStats:
    return FolderStats(
        folder_id=folder_id, flows=len(flows), published=sum(active for active, *_ in flows),
        runs=sum(runs for _, runs, _, _ in flows), failures=sum(failures for *_, failures, _ in flows),
        last_run_at=max((last for *_, last in flows if last is not None), default=None),
    )  # fmt: skip
