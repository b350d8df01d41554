"""Which failed executions are still to be retried: one for each event, and none that was taken up again."""

from collections.abc import Iterator

from sqlalchemy import Connection, select

from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin
from patchbay.storage.execution_filter import conditions
from patchbay.storage.tables import execution

_AGAIN = (Origin.RETRY, Origin.REPLAY)
_IN_VAIN = (ExecutionState.FAILURE, ExecutionState.CANCELLED)


def to_retry(tx: Connection, where: ExecutionFilter, before: EpochMs) -> tuple[ExecutionId, ...]:
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
    tries = _Tries(tx)
    return tuple(tries.without_repetition(tx.execute(newest).scalars()))


def taken_up(tx: Connection, execution_id: ExecutionId) -> bool:
    """Whether somebody retried or replayed this execution, and that succeeded or is under way."""
    again = select(execution.c.id).where(
        execution.c.origin_id == execution_id,
        execution.c.origin_kind.in_(_AGAIN),
        execution.c.status.not_in(_IN_VAIN),
    )
    return tx.execute(again.limit(1)).first() is not None


class _Tries:
    """Which executions are further tries of which, and the events for which one of them did not fail."""

    def __init__(self, tx: Connection) -> None:
        again = select(execution.c.id, execution.c.origin_id, execution.c.status).where(
            execution.c.origin_id.is_not(None), execution.c.origin_kind.in_(_AGAIN)
        )
        rows = tx.execute(again).all()
        self._origin: dict[ExecutionId, ExecutionId] = {row.id: row.origin_id for row in rows}
        self._settled = {self._first(row.id) for row in rows if row.status not in _IN_VAIN}

    def without_repetition(self, ids: Iterator[ExecutionId]) -> Iterator[ExecutionId]:
        """The first of these for every event that is not settled."""
        seen = set(self._settled)
        for execution_id in ids:
            first = self._first(execution_id)
            if first not in seen:
                seen.add(first)
                yield execution_id

    def _first(self, execution_id: ExecutionId) -> ExecutionId:
        while (origin := self._origin.get(execution_id)) is not None:
            execution_id = origin
        return execution_id
