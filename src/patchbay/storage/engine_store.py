"""What the engine keeps, over SQL: the four transactions, and the reads its timers need."""

import time
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import Connection, func, select, text, update

from patchbay.domain.base import EpochMs, ExecutionId, FlowId, Json, StepId
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowVersion
from patchbay.domain.ports import ActiveTrigger, Continue, NewExecution, Run, StepOutcome, TriggerState
from patchbay.storage import flow_versions, hot
from patchbay.storage.codec import from_text, to_text
from patchbay.storage.database import Database
from patchbay.storage.tables import datastore, execution
from patchbay.storage.tables import execution_step as attempts
from patchbay.storage.tables import step as steps

_DUE = text(
    "SELECT id FROM ("
    " SELECT id, created_at AS since FROM (SELECT id, created_at FROM execution"
    "  WHERE status = 'queued' ORDER BY created_at LIMIT :limit) AS queued"
    " UNION ALL"
    " SELECT id, wake_at AS since FROM (SELECT id, wake_at FROM execution"
    "  WHERE status = 'waiting' AND wake_at <= :now ORDER BY wake_at LIMIT :limit) AS woken"
    ") AS due ORDER BY since LIMIT :limit"
)
_PUT_VALUE = text(
    "INSERT INTO datastore (flow_id, key, value, updated_at) VALUES (:flow_id, :key, :value, :now)"
    " ON CONFLICT (flow_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"
)
_NEXT_WAKE = text("SELECT min(wake_at) FROM execution WHERE status = 'waiting'")
_UNFINISHED = (ExecutionState.RUNNING, ExecutionState.WAITING, ExecutionState.QUEUED)
_IDS_PER_QUERY = 500
_VERSIONS_KEPT = 512


def _now() -> EpochMs:
    return time.time_ns() // 1_000_000


class SqlEngineStore:
    """`EngineStore` on a `Database`. Published versions are remembered, since they never change."""

    def __init__(self, db: Database, now: Callable[[], EpochMs] = _now) -> None:
        self._db = db
        self._now = now
        self._versions: dict[tuple[FlowId, int], FlowVersion] = {}

    # The four transactions

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        rows = [hot.accepted(event) for event in events]
        state = hot.trigger_row(trigger) if trigger else None
        return await self._db.write_driver(lambda driver: hot.accept(driver, rows, state))

    async def claim(self, execution_id: ExecutionId, run_token: str, now: EpochMs) -> Run | None:
        claimed = await self._db.write_driver(lambda driver: hot.claim(driver, execution_id, run_token, now))
        if claimed is None:
            return None
        flow_id, number, *_ = claimed.row
        version = await self._version_of(flow_id, number)
        if version is None:
            await self._drop(execution_id, now)
            return None
        return _run(execution_id, run_token, version, claimed)

    async def intent(self, run: Run, outcome: StepOutcome) -> bool:
        row = hot.intent_row(run.id, run.run_token, outcome)
        return await self._db.write_driver(lambda driver: hot.intent(driver, row))

    async def outcome(self, run: Run, outcome: StepOutcome, then: Continue) -> bool:
        move = hot.move_row(run.id, run.run_token, outcome, then)
        step = hot.step_row(run.id, outcome)
        return await self._db.write_driver(lambda driver: hot.outcome(driver, move, step))

    # Around them

    async def recover(self, now: EpochMs) -> int:
        left = update(execution).where(execution.c.status == ExecutionState.RUNNING)
        back = left.values(status=ExecutionState.QUEUED, run_token=None, updated_at=now)
        return await self._db.write(lambda tx: tx.execute(back).rowcount)

    async def due(self, now: EpochMs, limit: int) -> tuple[ExecutionId, ...]:
        return await self._db.read(lambda tx: tuple(tx.execute(_DUE, {"now": now, "limit": limit}).scalars()))

    async def next_wake(self) -> EpochMs | None:
        return await self._db.read(lambda tx: tx.execute(_NEXT_WAKE).scalar())

    async def known_ids(self, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
        def known(tx: Connection) -> frozenset[str]:
            found: set[str] = set()
            for start in range(0, len(internal_ids), _IDS_PER_QUERY):
                some = internal_ids[start : start + _IDS_PER_QUERY]
                query = select(execution.c.internal_id).where(
                    execution.c.flow_id == flow_id, execution.c.internal_id.in_(some)
                )
                found.update(tx.execute(query).scalars())
            return frozenset(found)

        return await self._db.read(known)

    async def last_internal_id(self, flow_id: FlowId) -> str | None:
        query = select(execution.c.internal_id).where(
            execution.c.flow_id == flow_id, execution.c.internal_id.is_not(None)
        )
        newest = query.order_by(execution.c.created_at.desc(), execution.c.id.desc()).limit(1)
        return await self._db.read(lambda tx: tx.execute(newest).scalar())

    async def active_triggers(self) -> tuple[ActiveTrigger, ...]:
        return await self._db.read(flow_versions.active_triggers)

    async def version(self, flow_id: FlowId) -> FlowVersion | None:
        return await self._db.read(lambda tx: flow_versions.published(tx, flow_id))

    async def draft(self, flow_id: FlowId) -> FlowVersion | None:
        return await self._db.read(lambda tx: flow_versions.draft(tx, flow_id))

    async def save_trigger(self, state: TriggerState) -> None:
        row = hot.trigger_row(state)
        await self._db.write_driver(lambda driver: hot.accept(driver, (), row))

    async def counts(self, since: EpochMs) -> Mapping[str, int]:
        return await self._db.read(lambda tx: _counts(tx, since))

    async def samples(self, flow_id: FlowId) -> Mapping[StepId, Json]:
        newest = (
            select(attempts.c.output)
            .where(attempts.c.step_id == steps.c.id, attempts.c.status == text("'success'"))
            .order_by(attempts.c.finished_at.desc())
            .limit(1)
            .scalar_subquery()
        )
        query = select(steps.c.id, newest).where(steps.c.flow_id == flow_id, steps.c.deleted_at.is_(None))
        rows = await self._db.read(lambda tx: tx.execute(query).all())
        return {step_id: from_text(output) for step_id, output in rows if output is not None}

    async def get_value(self, flow_id: FlowId, key: str) -> Json:
        query = select(datastore.c.value).where(datastore.c.flow_id == flow_id, datastore.c.key == key)
        return from_text(await self._db.read(lambda tx: tx.execute(query).scalar()))

    async def set_value(self, flow_id: FlowId, key: str, value: Json) -> None:
        row = {"flow_id": flow_id, "key": key, "value": to_text(value), "now": self._now()}
        await self._db.write(lambda tx: tx.execute(_PUT_VALUE, row))

    async def _version_of(self, flow_id: FlowId, number: int | None) -> FlowVersion | None:
        """The steps a run goes through: a frozen version, or the draft for a test run."""
        if number is None:
            return await self.draft(flow_id)
        known = self._versions.get((flow_id, number))
        if known is None:
            known = await self._db.read(lambda tx: flow_versions.frozen(tx, flow_id, number))
            if known is not None:
                if len(self._versions) >= _VERSIONS_KEPT:
                    self._versions.pop(next(iter(self._versions)))
                self._versions[flow_id, number] = known
        return known

    async def _drop(self, execution_id: ExecutionId, now: EpochMs) -> None:
        """End a run whose flow is gone for good; nothing could ever run it."""
        gone = update(execution).where(execution.c.id == execution_id)
        ended = gone.values(
            status=ExecutionState.CANCELLED, run_token=None, note="The flow was deleted.",
            updated_at=now, finished_at=now,
        )  # fmt: skip
        await self._db.write(lambda tx: tx.execute(ended))


def _run(execution_id: ExecutionId, token: str, version: FlowVersion, claimed: hot.Claimed) -> Run:
    _, _, cursor, test_run, created_at, note = claimed.row
    outputs: dict[StepId, Json] = {}
    last: dict[int, str] = {}
    attempt, interrupted = 1, False
    for seq, number, step_id, status, output in claimed.steps:
        if seq < cursor:
            last[seq] = status
            if output is not None:
                outputs[step_id] = from_text(output)
        elif seq == cursor:
            interrupted = status == StepState.RUNNING
            attempt = number if interrupted else number + 1
    return Run(
        id=execution_id, run_token=token, version=version, cursor=cursor, attempt=attempt, outputs=outputs,
        failed=tuple(seq for seq, status in last.items() if status == StepState.FAILURE),
        interrupted=interrupted, test_run=bool(test_run), note=note, created_at=created_at,
    )  # fmt: skip


def _counts(tx: Connection, since: EpochMs) -> dict[str, int]:
    unfinished = select(execution.c.status, func.count()).where(execution.c.status.in_(_UNFINISHED))
    found = {status: number for status, number in tx.execute(unfinished.group_by(execution.c.status))}
    failed = select(func.count()).where(
        execution.c.status == ExecutionState.FAILURE,
        execution.c.created_at >= since,
        execution.c.test_run.is_(False),
    )
    counts = {state.value: found.get(state.value, 0) for state in _UNFINISHED}
    return counts | {"failures": tx.execute(failed).scalar_one()}
