"""Cancels and wakes runs, pauses flows, and finds runs: those due, their callers, and those to retry."""

from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Text,
    TextClause,
    and_,
    bindparam,
    func,
    select,
    text,
    update,
)

from patchbay.domain.base import ConnectionId, EpochMs, ExecutionId, FlowId
from patchbay.domain.engine import RateLimit
from patchbay.domain.engine_store import (
    CalledFlowResult,
    CallerCounts,
    CancelResult,
    StepOutcome,
    StoredExecution,
)
from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin, StepState, WaitsFor
from patchbay.storage.codec import decode_payload, decode_warnings
from patchbay.storage.driver import Driver, driver_of
from patchbay.storage.execution_filter import conditions
from patchbay.storage.run_transactions import encode_call_result, finish_calling_step
from patchbay.storage.tables import connection, execution, flow
from patchbay.storage.tables import execution_step as attempts

CALLED_FLOW_CANCELLED = CalledFlowResult(
    status=StepState.FAILURE,
    error={
        "kind": "Cancelled",
        "happened": "The flow that this step called was cancelled.",
        "meaning": "It returned no result.",
        "todo": "Check its execution, then retry this one.",
    },
)
CALLED_FLOW_DELETED = CalledFlowResult(
    status=StepState.FAILURE,
    error={
        "kind": "NotFound",
        "happened": "The flow that this step called no longer exists.",
        "meaning": "It was deleted before it returned a result.",
        "todo": "Choose another flow in this step.",
    },
)
_DUE_QUERY = (
    "SELECT id, flow_id, root_id FROM ("
    " SELECT id, flow_id, root_id, created_at AS since"
    "  FROM (SELECT id, flow_id, root_id, created_at FROM execution"
    "  WHERE status = 'queued' AND flow_id NOT IN :excluded_flows"
    "  AND (crashes = 0 OR id = (SELECT id FROM execution WHERE crashes > 0"
    "   AND (status = 'running' OR status = 'queued' AND flow_id NOT IN :excluded_flows)"
    "   ORDER BY status = 'running' DESC, created_at, id LIMIT 1))"
    "  ORDER BY created_at LIMIT :limit) AS queued"
    " UNION ALL"
    " SELECT id, flow_id, root_id, wake_at AS since"
    "  FROM (SELECT id, flow_id, root_id, wake_at FROM execution"
    "  WHERE status = 'waiting' AND wake_at <= :now AND flow_id NOT IN :excluded_flows"
    "  ORDER BY wake_at LIMIT :limit) AS woken"
    ") AS due ORDER BY since LIMIT :limit"
)
"""Queued runs, and waiting ones that are due, oldest first, at most `limit`, without `excluded_flows`.

Runs during which Patchbay crashed (`crashes`) are started one at a time, oldest first, so that a run that
crashes Patchbay again can be identified and doesn't affect others.
"""
_NEXT_WAKE_QUERY = (
    "SELECT wake_at FROM execution WHERE status = 'waiting' AND wake_at IS NOT NULL"
    " AND flow_id NOT IN :excluded_flows ORDER BY wake_at LIMIT 1"
)
_EXCLUDED = bindparam("excluded_flows", expanding=True, type_=Text())
_ONLY = bindparam("only_flows", expanding=True, type_=Text())


def _of_flows(query: str) -> TextClause:
    """The query for some flows only."""
    excluded = "flow_id NOT IN :excluded_flows"
    return text(query.replace(excluded, f"{excluded} AND flow_id IN :only_flows")).bindparams(
        _EXCLUDED, _ONLY
    )


_DUE = text(_DUE_QUERY).bindparams(_EXCLUDED)
_DUE_OF_FLOWS = _of_flows(_DUE_QUERY)
_NEXT_WAKE = text(_NEXT_WAKE_QUERY).bindparams(_EXCLUDED)
_NEXT_WAKE_OF_FLOWS = _of_flows(_NEXT_WAKE_QUERY)
_RUN_AND_CALLED_RUNS = """
WITH RECURSIVE family (id) AS (
    SELECT id FROM execution WHERE id = ? UNION
    SELECT execution.id FROM execution JOIN family ON execution.origin_id = family.id
    WHERE execution.origin_seq IS NOT NULL
)
SELECT execution.id, execution.status FROM execution JOIN family ON execution.id = family.id
WHERE execution.status IN ('queued', 'waiting', 'running')
"""
_CANCEL = """
UPDATE execution
SET status = 'cancelled', wake_at = NULL, waits_for = NULL, run_token = NULL, note = ?, updated_at = ?,
    finished_at = ?
WHERE id = ? AND status IN ('queued', 'waiting')
"""
_CANCEL_STEP = """
UPDATE execution_step SET status = 'cancelled', finished_at = ? WHERE execution_id = ? AND status = 'running'
"""
_CALLERS = text(
    "WITH RECURSIVE callers (id, depth, waiting) AS ("
    " SELECT id, 0, 0 FROM execution WHERE id = :id UNION ALL"
    " SELECT execution.origin_id, depth + 1,"
    "  CASE WHEN execution.origin_seq IS NOT NULL AND waiting = depth THEN waiting + 1 ELSE waiting END"
    " FROM execution JOIN callers ON execution.id = callers.id"
    " WHERE execution.origin_kind = 'call' AND depth < 1000"
    ") SELECT coalesce(max(depth), 0) AS depth, coalesce(max(waiting), 0) AS waiting FROM callers"
)
_CAUSED_BY_FAILURE = text(
    "WITH RECURSIVE origins (id, depth) AS ("
    " SELECT id, 0 FROM execution WHERE id = :id UNION"
    " SELECT execution.origin_id, depth + 1 FROM execution JOIN origins ON execution.id = origins.id"
    " WHERE execution.origin_id IS NOT NULL AND depth < 1000"
    ") SELECT count(*) FROM execution JOIN origins ON execution.id = origins.id"
    " WHERE execution.origin_kind = 'failure'"
)
_BATCH_SIZE = 500
"""Max. IDs in one statement."""
_COUNTED_OUTCOMES = (ExecutionState.SUCCESS, ExecutionState.FAILURE, ExecutionState.FILTERED)
_RETRY_ORIGINS = (Origin.RETRY, Origin.REPLAY)
_UNSUCCESSFUL_STATES = (ExecutionState.FAILURE, ExecutionState.CANCELLED)


def due(
    tx: Connection,
    now: EpochMs,
    limit: int,
    excluded_flows: Collection[FlowId],
    only_flows: Collection[FlowId] | None = None,
) -> tuple[tuple[ExecutionId, FlowId, ExecutionId], ...]:
    """Runs that are due, oldest first: (execution, flow, root of its run tree)."""
    query = _DUE
    parameters: dict[str, object] = {"now": now, "limit": limit, "excluded_flows": list(excluded_flows)}
    if only_flows is not None:
        query, parameters = _DUE_OF_FLOWS, {**parameters, "only_flows": list(only_flows)}
    return tuple((row.id, row.flow_id, row.root_id or row.id) for row in tx.execute(query, parameters))


def next_wake(
    tx: Connection, excluded_flows: Collection[FlowId], only_flows: Collection[FlowId] | None = None
) -> EpochMs | None:
    """When the next waiting execution is due; None if none is waiting for a time."""
    query, parameters = _NEXT_WAKE, {"excluded_flows": list(excluded_flows)}
    if only_flows is not None:
        query, parameters = _NEXT_WAKE_OF_FLOWS, {**parameters, "only_flows": list(only_flows)}
    wake_at: EpochMs | None = tx.execute(query, parameters).scalar()
    return wake_at


def wake(tx: Connection, execution_ids: Sequence[ExecutionId], now: EpochMs) -> tuple[ExecutionId, ...]:
    """End the wait of runs that wait for a retry or a rate limit. Returns their IDs."""
    woken: list[ExecutionId] = []
    for start in range(0, len(execution_ids), _BATCH_SIZE):
        batch = execution_ids[start : start + _BATCH_SIZE]
        waiting = and_(execution.c.id.in_(batch), *_waits_for(WaitsFor.RETRY, WaitsFor.LIMIT))
        found = list(tx.execute(select(execution.c.id).where(waiting)).scalars())
        tx.execute(update(execution).where(execution.c.id.in_(found)).values(wake_at=now, updated_at=now))
        woken += found
    return tuple(woken)


def wake_limited(tx: Connection, now: EpochMs) -> None:
    """End the wait of all runs that wait for a rate limit."""
    waiting = and_(*_waits_for(WaitsFor.LIMIT), execution.c.wake_at > now)
    tx.execute(update(execution).where(waiting).values(wake_at=now))


def _waits_for(*reasons: WaitsFor) -> tuple[ColumnElement[bool], ...]:
    return execution.c.status == ExecutionState.WAITING, execution.c.waits_for.in_(reasons)


def cancel(driver: Driver, execution_id: ExecutionId, now: EpochMs, note: str) -> CancelResult:
    """Cancel a run and the called runs it waits for. Running ones are returned, for the runner to end."""
    runs = driver.execute(_RUN_AND_CALLED_RUNS, (execution_id,)).fetchall()
    not_running = [found for found, status in runs if status != ExecutionState.RUNNING]
    woken: list[ExecutionId] = []
    for found in not_running:
        driver.execute(_CANCEL, (note, now, now, found))
        driver.execute(_CANCEL_STEP, (now, found))
    if execution_id in not_running:
        woken = finish_calling_step(driver, encode_call_result(execution_id, CALLED_FLOW_CANCELLED, now))
    running = tuple(found for found, status in runs if status == ExecutionState.RUNNING)
    return CancelResult(ended=tuple(not_running), running=running, woken=tuple(woken))


def cancel_queued(tx: Connection, flow_id: FlowId, now: EpochMs, note: str) -> None:
    """Cancel runs that were queued while the flow was paused and never started, and resume their callers."""
    queued = and_(
        execution.c.flow_id == flow_id,
        execution.c.status == ExecutionState.QUEUED,
        execution.c.started_at.is_(None),
    )
    has_waiting_caller = tx.execute(select(execution.c.id).where(queued, execution.c.origin_seq.is_not(None)))
    called = list(has_waiting_caller.scalars())
    ended = {"status": ExecutionState.CANCELLED, "note": note, "updated_at": now, "finished_at": now}
    tx.execute(update(execution).where(queued).values(**ended))
    for execution_id in called:
        finish_calling_step(driver_of(tx), encode_call_result(execution_id, CALLED_FLOW_CANCELLED, now))


def stored_execution(tx: Connection, execution_id: ExecutionId) -> StoredExecution | None:
    """Read an execution with the last attempt of each step, or None if it doesn't exist."""
    row = tx.execute(select(execution).where(execution.c.id == execution_id)).mappings().first()
    if row is None:
        return None
    query = select(attempts).where(attempts.c.execution_id == execution_id)
    ordered = tx.execute(query.order_by(attempts.c.seq, attempts.c.attempt)).mappings()
    last = {item["seq"]: _step(item) for item in ordered}
    return StoredExecution(
        id=execution_id,
        flow_id=row["flow_id"],
        flow_version=row["flow_version"],
        state=ExecutionState(row["status"]),
        waits_for=WaitsFor(row["waits_for"]) if row["waits_for"] else None,
        note=row["note"],
        test_run=row["test_run"],
        run_key=row["run_key"] or execution_id,
        steps=tuple(last.values()),
    )


def _step(row: RowMapping) -> StepOutcome:
    error, started_at = decode_payload(row["error"]), row["started_at"] or 0
    return StepOutcome(
        seq=row["seq"],
        attempt=row["attempt"],
        step_id=row["step_id"],
        status=StepState(row["status"]),
        data_in=decode_payload(row["input"]),
        data_out=decode_payload(row["output"]),
        error=error if isinstance(error, dict) else None,
        warnings=decode_warnings(row["warnings"]),
        path=row["path"],
        started_at=started_at,
        finished_at=row["finished_at"] or started_at,
    )


def callers(tx: Connection, execution_id: ExecutionId) -> CallerCounts:
    """The length of the chain of calls that led to this run, and how many of its last callers wait."""
    row = tx.execute(_CALLERS, {"id": execution_id}).one()
    return CallerCounts(row.waiting, row.depth)


def is_caused_by_failure(tx: Connection, execution_id: ExecutionId) -> bool:
    """Whether a failure flow started this run or one that led to it."""
    return bool(tx.execute(_CAUSED_BY_FAILURE, {"id": execution_id}).scalar_one())


def consecutive_failures(tx: Connection, flow_id: FlowId, limit: int) -> int:
    """Count the failures since the last success, but not before the flow was last resumed.

    Executions that failed in the trigger don't count, since no step ran. Otherwise, anyone who can send
    invalid items to a flow could have it paused.
    """
    since = select(flow.c.streak_from).where(flow.c.id == flow_id).scalar_subquery()
    failed = attempts.c.status == StepState.FAILURE
    at_start = (attempts.c.execution_id == execution.c.id) & (attempts.c.seq == 0)
    newest = (
        select(execution.c.status)
        .where(execution.c.flow_id == flow_id, execution.c.status.in_(_COUNTED_OUTCOMES))
        .where(execution.c.test_run.is_(False), execution.c.finished_at >= func.coalesce(since, 0))
        .where(~select(attempts.c.seq).where(at_start, failed).exists())
        .order_by(execution.c.created_at.desc(), execution.c.id.desc())
        .limit(limit)
    )
    count = 0
    for status in tx.execute(newest).scalars():
        if status != ExecutionState.FAILURE:
            break
        count += 1
    return count


def pause_flow(tx: Connection, flow_id: FlowId, reason: str, now: EpochMs) -> bool:
    """Pause a published flow. Returns False if it is paused, unpublished, or deleted already."""
    pausable = update(flow).where(flow.c.id == flow_id, flow.c.active, flow.c.paused_at.is_(None))
    pausable = pausable.where(flow.c.deleted_at.is_(None))
    return tx.execute(pausable.values(paused_at=now, paused_reason=reason, updated_at=now)).rowcount == 1


def connection_limits(tx: Connection) -> dict[ConnectionId, RateLimit]:
    """Rate limits of connections that have one."""
    limited = connection.c.rate_limit.is_not(None), connection.c.deleted_at.is_(None)
    rows = tx.execute(select(connection.c.id, connection.c.rate_limit).where(*limited))
    return {row.id: RateLimit.model_validate_json(row.rate_limit) for row in rows}


def find_executions_to_retry(
    tx: Connection, where: ExecutionFilter, before: EpochMs
) -> tuple[ExecutionId, ...]:
    """Failed executions that match the filter and were created by `before`, newest first.

    Of several attempts at the same event, only the newest is included, and none if one of them succeeded or
    is still running. Test runs are included only if the filter is for test runs.
    """
    failed = [
        *conditions(tx, where),
        execution.c.status == ExecutionState.FAILURE,
        execution.c.created_at <= before,
    ]
    if where.test_run is None:
        failed.append(execution.c.test_run.is_(False))
    newest = (
        select(execution.c.id).where(*failed).order_by(execution.c.created_at.desc(), execution.c.id.desc())
    )
    retry_chains = _RetryChains(tx)
    return tuple(retry_chains.newest_per_event(tx.execute(newest).scalars()))


def is_settled_by_retry(tx: Connection, execution_id: ExecutionId) -> bool:
    """Whether a retry or replay of this execution succeeded or is still running."""
    retries = select(execution.c.id).where(
        execution.c.origin_id == execution_id,
        execution.c.origin_kind.in_(_RETRY_ORIGINS),
        execution.c.status.not_in(_UNSUCCESSFUL_STATES),
    )
    return tx.execute(retries.limit(1)).first() is not None


class _RetryChains:
    """Links retries to their first execution, and finds events with an execution that didn't fail."""

    def __init__(self, tx: Connection) -> None:
        retries = select(execution.c.id, execution.c.origin_id, execution.c.status).where(
            execution.c.origin_id.is_not(None), execution.c.origin_kind.in_(_RETRY_ORIGINS)
        )
        rows = tx.execute(retries).all()
        self._origin: dict[ExecutionId, ExecutionId] = {row.id: row.origin_id for row in rows}
        self._settled_runs = {
            self._first_run(row.id) for row in rows if row.status not in _UNSUCCESSFUL_STATES
        }

    def newest_per_event(self, ids: Iterator[ExecutionId]) -> Iterator[ExecutionId]:
        """The first of these IDs for each event that is still unsuccessful."""
        seen = set(self._settled_runs)
        for execution_id in ids:
            first = self._first_run(execution_id)
            if first not in seen:
                seen.add(first)
                yield execution_id

    def _first_run(self, execution_id: ExecutionId) -> ExecutionId:
        while (origin := self._origin.get(execution_id)) is not None:
            execution_id = origin
        return execution_id
