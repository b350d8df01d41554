"""What the engine reads and writes, in SQL. The most frequent transactions are in `run_transactions`."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Connection, func, select, text, update

from patchbay.domain.base import ConnectionId, EpochMs, ExecutionId, FlowId, Json, StepId
from patchbay.domain.clock import now_ms
from patchbay.domain.engine import CleanupResult, RateLimit, Retention
from patchbay.domain.engine_store import (
    ActiveTrigger,
    CalledFlowResult,
    CallerCounts,
    CancelResult,
    FinishedStep,
    KeyPass,
    NewExecution,
    Run,
    RunTransition,
    StepOutcome,
    StoredExecution,
    TriggerClaim,
    TriggerState,
)
from patchbay.domain.executions import ExecutionFilter, ExecutionState, Origin, StepState, WaitsFor
from patchbay.domain.flows import FlowSettings, FlowVersion
from patchbay.domain.json_limits import THREAD_THRESHOLD, size_of
from patchbay.domain.trigger_sources import FIRST_SOURCE, source_id_of_stored
from patchbay.storage import passed_keys, run_queries, run_transactions, seen_events
from patchbay.storage.accepted_events import AcceptedEvents
from patchbay.storage.codec import decode_payload, encode_payload
from patchbay.storage.database import Database
from patchbay.storage.deferred_outcomes import DeferredOutcomes
from patchbay.storage.driver import Driver, driver_of
from patchbay.storage.execution_filter import conditions
from patchbay.storage.repositories import flow_versions, owners
from patchbay.storage.repositories.steps import record_test
from patchbay.storage.retention import MAX_FREE_SHARE, apply_retention
from patchbay.storage.tables import datastore, execution, flow
from patchbay.storage.tables import execution_step as attempts
from patchbay.storage.tables import step as steps

T = TypeVar("T")

_PUT_VALUE = text(
    "INSERT INTO datastore (flow_id, key, value, updated_at) VALUES (:flow_id, :key, :value, :now)"
    " ON CONFLICT (flow_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at"
)
_ADVANCE_WAKE_TIMES = text(
    "UPDATE execution SET wake_at = wake_at - :by"
    " WHERE status = 'waiting' AND waits_for IN ('retry', 'limit')"
)
_OLDEST = text("SELECT min(created_at) FROM execution WHERE status = 'queued'")
_UNFINISHED = (ExecutionState.RUNNING, ExecutionState.WAITING, ExecutionState.QUEUED)
_MAX_CACHED_VERSIONS = 512
_MAX_LOOKBACK = 1000
"""Newest executions that are searched for the last event of a trigger source."""


class SqlEngineStore:
    """Implements `EngineStore` on a `Database`. Caches published versions, which never change."""

    def __init__(self, db: Database, now: Callable[[], EpochMs] = now_ms) -> None:
        self._db = db
        self._now = now
        self._deferred = DeferredOutcomes(db)
        self._accepted = AcceptedEvents()
        self._versions: dict[tuple[FlowId, int], FlowVersion] = {}
        """Cached here, not in `Plans`, because runs are claimed before they're planned. `decode_steps` shares
        the steps with all other readers.
        """

    # The four transactions

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        return await self._accept(events, trigger)

    async def _accept(
        self,
        events: Sequence[NewExecution],
        trigger: TriggerState | None,
        is_allowed: Callable[[Driver], bool] | None = None,
    ) -> tuple[bool, ...]:
        """Store events and the state of a trigger, if `is_allowed` in the same transaction."""
        steps = [step for event in events for step in (event.trigger, *event.steps)]
        rows = await _encode(steps, lambda: [run_transactions.encode_event(event) for event in events])
        state = run_transactions.encode_trigger_state(trigger) if trigger else None
        seen = [(trigger.flow_id, internal_id) for internal_id in trigger.seen] if trigger else []

        def store(driver: Driver) -> tuple[bool, ...]:
            if is_allowed is not None and not is_allowed(driver):
                return (False,) * len(rows)
            return run_transactions.accept(driver, rows, state, seen)

        new = await self._db.write_driver(store)
        for event, row, is_new in zip(events, rows, new, strict=True):
            if is_new and event.state is ExecutionState.QUEUED:
                self._accepted.add(event.id, row)
        return new

    async def claim(self, execution_id: ExecutionId, run_token: str, now: EpochMs) -> Run | None:
        self._deferred.drop(execution_id)
        steps = self._accepted.pop(execution_id)
        claimed = await self._db.write_driver(
            lambda driver: self._claim_rows(driver, execution_id, run_token, now, steps)
        )
        if claimed is None:
            return None
        flow_id, number, *_ = claimed.row
        version = await self._get_version(flow_id, number)
        if version is None:
            await self._cancel_orphan(execution_id, now)
            return None
        if sum(len(output or "") for *_, output, _ in claimed.steps) <= THREAD_THRESHOLD:
            return _run(execution_id, run_token, version, claimed)
        return await asyncio.to_thread(_run, execution_id, run_token, version, claimed)

    def _claim_rows(
        self,
        driver: Driver,
        execution_id: ExecutionId,
        run_token: str,
        now: EpochMs,
        steps: list[run_transactions.Row] | None,
    ) -> run_transactions.ClaimedRun | None:
        return run_transactions.claim(driver, execution_id, run_token, now, steps)

    async def intent(self, run: Run, outcome: StepOutcome) -> bool:
        row = await _encode([outcome], lambda: run_transactions.encode_intent(run.id, run.run_token, outcome))
        return await self._deferred.write(
            run.id, lambda driver, deferred: run_transactions.intent(driver, row, deferred)
        )

    async def outcome(
        self,
        run: Run,
        outcome: StepOutcome | None,
        then: RunTransition,
        begin: Sequence[NewExecution] = (),
        call_result: CalledFlowResult | None = None,
    ) -> bool:
        now = self._now() if outcome is None else outcome.finished_at
        return await self._write_outcome(
            run,
            run_transactions.EncodedOutcome(
                move=run_transactions.encode_move(run.id, run.run_token, then, now),
                steps=() if outcome is None else (await _encode_step(run, outcome),),
                begin=tuple(map(run_transactions.encode_event, begin)),
                call_result=None
                if call_result is None
                else run_transactions.encode_call_result(run.id, call_result, now),
            ),
        )

    async def defer_outcome(self, run: Run, outcome: StepOutcome, then: RunTransition) -> bool:
        move = run_transactions.encode_move(run.id, run.run_token, then, outcome.finished_at)
        encoded_outcome = run_transactions.EncodedOutcome(
            move=move, steps=(await _encode_step(run, outcome),)
        )
        return self._deferred.defer(run.id, encoded_outcome) or await self._write_outcome(
            run, encoded_outcome
        )

    async def _write_outcome(self, run: Run, encoded_outcome: run_transactions.EncodedOutcome) -> bool:
        return await self._deferred.write(
            run.id, lambda driver, deferred: run_transactions.outcome(driver, encoded_outcome, deferred)
        )

    # Manual operations on a run

    async def cancel(self, execution_id: ExecutionId, now: EpochMs, note: str) -> CancelResult:
        return await self._db.write_driver(lambda driver: run_queries.cancel(driver, execution_id, now, note))

    async def stored_execution(self, execution_id: ExecutionId) -> StoredExecution | None:
        return await self._db.read(lambda tx: run_queries.stored_execution(tx, execution_id))

    async def flow_version(self, flow_id: FlowId, number: int) -> FlowVersion | None:
        return await self._get_version(flow_id, number)

    async def callers(self, execution_id: ExecutionId) -> CallerCounts:
        return await self._db.read(lambda tx: run_queries.callers(tx, execution_id))

    async def is_caused_by_failure(self, execution_id: ExecutionId) -> bool:
        return await self._db.read(lambda tx: run_queries.is_caused_by_failure(tx, execution_id))

    async def foreign_connections(
        self, flow_id: FlowId, connection_ids: Collection[ConnectionId]
    ) -> frozenset[ConnectionId]:
        return await self._db.read(lambda tx: owners.foreign_connections(tx, flow_id, connection_ids))

    async def consecutive_failures(self, flow_id: FlowId, limit: int) -> int:
        return await self._db.read(lambda tx: run_queries.consecutive_failures(tx, flow_id, limit))

    async def pause_flow(self, flow_id: FlowId, reason: str, now: EpochMs) -> bool:
        return await self._db.write(lambda tx: run_queries.pause_flow(tx, flow_id, reason, now))

    # Start and shutdown, timers, flow versions, and values

    async def recover(self, now: EpochMs) -> int:
        await self._db.write(lambda tx: run_queries.wake_limited(tx, now))
        return await self._requeue_running(now, crashes=1)

    async def release(self, now: EpochMs) -> int:
        return await self._requeue_running(now, crashes=0)

    async def wake(self, execution_ids: Sequence[ExecutionId], now: EpochMs) -> tuple[ExecutionId, ...]:
        return await self._db.write(lambda tx: run_queries.wake(tx, execution_ids, now))

    async def _requeue_running(self, now: EpochMs, crashes: int) -> int:
        running = update(execution).where(execution.c.status == ExecutionState.RUNNING)
        back = running.values(
            status=ExecutionState.QUEUED,
            run_token=None,
            updated_at=now,
            crashes=execution.c.crashes + crashes,
        )
        return await self._db.write(lambda tx: tx.execute(back).rowcount)

    async def due(
        self,
        now: EpochMs,
        limit: int,
        excluded_flows: Collection[FlowId] = (),
        only_flows: Collection[FlowId] | None = None,
    ) -> tuple[tuple[ExecutionId, FlowId, ExecutionId], ...]:
        return await self._db.read(lambda tx: run_queries.due(tx, now, limit, excluded_flows, only_flows))

    async def next_wake(
        self, excluded_flows: Collection[FlowId] = (), only_flows: Collection[FlowId] | None = None
    ) -> EpochMs | None:
        return await self._db.read(lambda tx: run_queries.next_wake(tx, excluded_flows, only_flows))

    async def shorten_waits(self, by: int) -> None:
        await self._db.write(lambda tx: tx.execute(_ADVANCE_WAKE_TIMES, {"by": by}))

    async def known_ids(self, flow_id: FlowId, internal_ids: Sequence[str]) -> frozenset[str]:
        return await self._db.read(lambda tx: seen_events.known(tx, flow_id, internal_ids))

    async def last_internal_id(self, flow_id: FlowId, source: int = FIRST_SOURCE) -> str | None:
        query = select(execution.c.internal_id).where(
            execution.c.flow_id == flow_id, execution.c.internal_id.is_not(None)
        )
        newest = query.order_by(execution.c.created_at.desc(), execution.c.id.desc()).limit(_MAX_LOOKBACK)

        def read(tx: Connection) -> str | None:
            given = (source_id_of_stored(source, str(one)) for one in tx.execute(newest).scalars())
            return next((one for one in given if one is not None), None)

        return await self._db.read(read)

    async def active_triggers(self) -> tuple[ActiveTrigger, ...]:
        return await self._db.read(flow_versions.active_triggers)

    async def version(self, flow_id: FlowId, caller: FlowId | None = None) -> FlowVersion | None:
        return await self._db.read(lambda tx: flow_versions.published(tx, flow_id, caller))

    async def flow_name(self, flow_id: FlowId) -> str | None:
        query = select(flow.c.name).where(flow.c.id == flow_id, flow.c.deleted_at.is_(None))
        return await self._db.read(lambda tx: tx.execute(query).scalar())

    async def flow_settings(self, flow_id: FlowId) -> FlowSettings:
        return await self._db.read(lambda tx: flow_versions.settings(tx, flow_id))

    async def draft(self, flow_id: FlowId) -> FlowVersion | None:
        return await self._db.read(lambda tx: flow_versions.draft(tx, flow_id))

    async def connection_limits(self) -> Mapping[ConnectionId, RateLimit]:
        return await self._db.read(run_queries.connection_limits)

    async def claim_trigger(self, state: TriggerState, version: int, *, early: bool) -> TriggerClaim:
        return TriggerClaim(state, is_claimed=True)

    async def save_trigger(self, state: TriggerState, previous: TriggerState | None = None) -> None:
        await self.accept((), state)

    async def count_call(self, limits: Sequence[tuple[str, RateLimit]]) -> float:
        return 0.0

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
        return {step_id: decode_payload(output) for step_id, output in rows if output is not None}

    async def record_test(self, version: FlowVersion, passed: Mapping[StepId, bool], now: EpochMs) -> bool:
        tested = [(step, passed[step.id]) for step in version.steps if step.id in passed]
        return await self._db.write(lambda tx: record_test(tx, version.flow_id, tested, now))

    async def apply_retention(self, retention: Retention, now: EpochMs) -> CleanupResult:
        return await apply_retention(self._db, retention, now, max_free_share=MAX_FREE_SHARE)

    async def get_value(self, flow_id: FlowId, key: str) -> Json:
        query = select(datastore.c.value).where(datastore.c.flow_id == flow_id, datastore.c.key == key)
        return decode_payload(await self._db.read(lambda tx: tx.execute(query).scalar()))

    async def set_value(self, flow_id: FlowId, key: str, value: Json) -> None:
        row = {"flow_id": flow_id, "key": key, "value": encode_payload(value), "now": self._now()}
        await self._db.write(lambda tx: tx.execute(_PUT_VALUE, row))

    async def pass_key(self, flow_id: FlowId, key: KeyPass) -> EpochMs | None:
        return await self._db.write_driver(lambda driver: passed_keys.pass_key(driver, flow_id, key))

    async def key_passed_at(self, flow_id: FlowId, key: str) -> EpochMs | None:
        return await self._db.read(lambda tx: passed_keys.passed_at(tx, flow_id, key))

    async def _get_version(self, flow_id: FlowId, number: int | None) -> FlowVersion | None:
        """The steps to run: a published version, or the draft (`number` is None) for a test run."""
        if number is None:
            return await self.draft(flow_id)
        known = self._versions.get((flow_id, number))
        if known is None:
            known = await self._db.read(lambda tx: flow_versions.frozen(tx, flow_id, number))
            if known is not None:
                if len(self._versions) >= _MAX_CACHED_VERSIONS:
                    self._versions.pop(next(iter(self._versions)))
                self._versions[flow_id, number] = known
        return known

    async def _cancel_orphan(self, execution_id: ExecutionId, now: EpochMs) -> None:
        """Cancel a run whose flow was deleted, since it can never run."""
        orphan = update(execution).where(execution.c.id == execution_id)
        ended = orphan.values(
            status=ExecutionState.CANCELLED,
            run_token=None,
            note="The flow was deleted.",
            updated_at=now,
            finished_at=now,
        )
        deleted_result = run_transactions.encode_call_result(
            execution_id, run_queries.CALLED_FLOW_DELETED, now
        )

        def drop(tx: Connection) -> None:
            tx.execute(ended)
            run_transactions.finish_calling_step(driver_of(tx), deleted_result)

        await self._db.write(drop)


def _run(
    execution_id: ExecutionId, token: str, version: FlowVersion, claimed: run_transactions.ClaimedRun
) -> Run:
    (
        _,
        _,
        cursor,
        test_run,
        created_at,
        note,
        waits_for,
        origin_id,
        origin_kind,
        origin_seq,
        key,
        root,
        crashes,
        full_rights,
        approval_ended,
        _,
    ) = claimed.row
    finished_steps: list[FinishedStep] = []
    attempt = 1
    interrupted = False
    call_result: CalledFlowResult | None = None
    for seq, number, status, output, error in claimed.steps:
        if seq < cursor:
            del finished_steps[seq:]
            finished_steps.append(FinishedStep(StepState(status), decode_payload(output), len(output or "")))
        elif seq == cursor:
            interrupted = status == StepState.RUNNING
            if waits_for == WaitsFor.FLOW and not interrupted:
                attempt, call_result = number, _call_result(status, output, error)
            else:
                attempt = number if interrupted else number + 1
    return Run(
        id=execution_id,
        run_token=token,
        version=version,
        cursor=cursor,
        attempt=attempt,
        finished_steps=tuple(finished_steps),
        interrupted=interrupted,
        call_result=call_result,
        test_run=bool(test_run),
        note=None if waits_for else note,
        origin_id=origin_id,
        origin_kind=Origin(origin_kind) if origin_kind else None,
        has_waiting_caller=origin_seq is not None,
        run_key=key or execution_id,
        root_id=root or execution_id,
        full_rights=bool(full_rights),
        approval_ended=bool(approval_ended),
        created_at=created_at,
        crashes=crashes,
    )


def _call_result(status: str, output: str | None, error: str | None) -> CalledFlowResult:
    details = decode_payload(error)
    return CalledFlowResult(
        status=StepState(status),
        data=decode_payload(output),
        error=details if isinstance(details, dict) else None,
    )


def _counts(tx: Connection, since: EpochMs) -> dict[str, int]:
    unfinished = select(execution.c.status, func.count()).where(execution.c.status.in_(_UNFINISHED))
    found = {status: number for status, number in tx.execute(unfinished.group_by(execution.c.status))}
    failed = select(func.count()).where(*conditions(tx, ExecutionFilter.unresolved_failures_since(since)))
    counts = {state.value: found.get(state.value, 0) for state in _UNFINISHED}
    oldest = tx.execute(_OLDEST).scalar()
    return (
        counts
        | {"failures": tx.execute(failed).scalar_one()}
        | ({} if oldest is None else {"oldest_queued_at": oldest})
    )


async def _encode_step(run: Run, outcome: StepOutcome) -> run_transactions.Row:
    return await _encode([outcome], lambda: run_transactions.encode_step(run.id, outcome))


async def _encode(steps: Sequence[StepOutcome], encode: Callable[[], T]) -> T:
    """The result of `encode`, which encodes the data of these steps; runs in a thread if they are large."""
    size = 0
    for step in steps:
        size += size_of(step.data_in, THREAD_THRESHOLD)
        size += size_of(step.data_out, THREAD_THRESHOLD) if step.output_size is None else step.output_size
    return encode() if size <= THREAD_THRESHOLD else await asyncio.to_thread(encode)
