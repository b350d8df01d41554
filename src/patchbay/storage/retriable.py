"""Which failed executions are still to be retried: one for each event, and none that was taken up again."""

from collections.abc import Iterator

from sqlalchemy import Connection, select

from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin
from patchbay.storage.execution_filter import conditions
from patchbay.storage.tables import execution

_RETRY_ORIGINS = (Origin.RETRY, Origin.REPLAY)
_UNSUCCESSFUL_STATES = (ExecutionState.FAILURE, ExecutionState.CANCELLED)


def find_executions_to_retry(
    tx: Connection, where: ExecutionFilter, before: EpochMs
) -> tuple[ExecutionId, ...]:
    """Failed executions of the filter that came in by `before`, newest first.

    Of an event that was tried several times only the newest try is among them, and none when one of its
    tries succeeded or is under way. Tests of drafts are among them only when the filter asks for tests.
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


def was_retried(tx: Connection, execution_id: ExecutionId) -> bool:
    """Whether somebody retried or replayed this execution, and that succeeded or is under way."""
    retries = select(execution.c.id).where(
        execution.c.origin_id == execution_id,
        execution.c.origin_kind.in_(_RETRY_ORIGINS),
        execution.c.status.not_in(_UNSUCCESSFUL_STATES),
    )
    return tx.execute(retries.limit(1)).first() is not None


class _RetryChains:
    """Which executions are further tries of which, and the events for which one of them did not fail."""

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
        """The first of these for every event that is not settled."""
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
