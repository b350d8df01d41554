"""The engine's store for programs that share a database: what differs from one that has it alone.

The execution row is the queue: there is no second one that could disagree with it. Each program reads what is
due and claims it, and only one claim of an execution succeeds. What was judged:

- Claims skip rows that another transaction is changing, so that programs never wait for each other. They also
  need the program's own row (`programs`), and fail while the engine or the flow is paused.
- `AcceptedEvents`: its steps are used only for the first claim of an execution, which no other program has
  had. Otherwise they are read.
- `DeferredOutcomes`: stored by the transaction that checks the run's token, so those of a run that was
  recovered elsewhere are never stored.
- Published versions are cached, because they never change. Settings, paused flows, and connection limits are
  read again when another program announces a change, and after a gap in the messages.
- A trigger is claimed before it fires, in `trigger_claim`, and its result is stored only with the claim. The
  claim returns the current state, since another program may have fired it meanwhile.
- The concurrency limit of a flow counts the running executions of all programs, under a lock per flow.
- Rate limits count calls in `limited_call`. Holds (Retry-After) are sent to the other programs.
- Events are duplicates by unique keys and `seen_event`, counters have a row per change, keys of “Continue
  only once” are changed by one statement, and run trees by an upsert: all of them hold between programs.
- After a crash, only the runs of programs that are gone are queued (`programs`), never those of others.
- The clock of one computer doesn't move the waits of all: `shorten_waits` does nothing.
"""

import random
import time
from collections.abc import Callable, Collection, Sequence

from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.clock import now_ms
from patchbay.domain.engine import RateLimit
from patchbay.domain.engine_store import (
    ActiveTrigger,
    NewExecution,
    TriggerClaim,
    TriggerState,
)
from patchbay.storage import run_queries, run_transactions
from patchbay.storage.codec import decode_payload
from patchbay.storage.commit_counter import PAUSED
from patchbay.storage.database import Database
from patchbay.storage.driver import Driver
from patchbay.storage.engine_store import SqlEngineStore
from patchbay.storage.postgresql.programs import NOW, queue_runs_of

BATCH_SIZE = 100
"""Executions read at once. Few, since other programs start them too."""
_WINDOW = 4 * BATCH_SIZE
FULL_FLOW_SECONDS = 1.0
"""For how long a flow at its concurrency limit is left out."""
LOCKED_LIMIT_SECONDS = 0.03
"""When to try again after another program was counting a call at the same moment."""
_FLOW_LOCK = 0x50415446  # "PATF"
_LIMIT_LOCK = 0x5041544C  # "PATL"

_LOCKED_ID = "(SELECT id FROM execution WHERE id = ? FOR UPDATE SKIP LOCKED)"
_IS_NOT_PAUSED = f"NOT EXISTS (SELECT 1 FROM meta WHERE key = '{PAUSED}')"
_FLOW_OF = "SELECT flow_id FROM execution WHERE id = ?"
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock(?, pg_catalog.hashtext(?))"
_COUNT_RUNNING = """
SELECT count(*) FROM execution WHERE flow_id = ? AND status = 'running' AND run_token <> ?
"""
_LOCK_TRIGGER = """
SELECT trigger_state.cursor, trigger_state.next_due_at FROM trigger_state
JOIN flow ON flow.id = trigger_state.flow_id
WHERE trigger_state.flow_id = ? AND flow.active AND flow.deleted_at IS NULL AND flow.paused_at IS NULL
  AND flow.published_version = ?
FOR UPDATE OF trigger_state SKIP LOCKED
"""
_LOCK_STATE = "SELECT cursor, next_due_at FROM trigger_state WHERE flow_id = ? FOR UPDATE SKIP LOCKED"
_CLAIM_TRIGGER = """
INSERT INTO trigger_claim (flow_id, program_id) SELECT ?, id FROM program WHERE id = ?
ON CONFLICT (flow_id) DO UPDATE SET program_id = excluded.program_id
WHERE trigger_claim.program_id = excluded.program_id
   OR NOT EXISTS (SELECT 1 FROM program WHERE program.id = trigger_claim.program_id)
"""
_END_CLAIM = "DELETE FROM trigger_claim WHERE flow_id = ? AND program_id = ?"
_IS_CLAIMED = """
SELECT 1 FROM trigger_claim JOIN program ON program.id = trigger_claim.program_id WHERE flow_id = ?
"""
_HAS_STATE = "SELECT 1 FROM trigger_state WHERE flow_id = ?"
_FORGET_CALLS = f"DELETE FROM limited_call WHERE limit_key = ? AND called_at <= {NOW} - ?"
_NEXT_FREE = f"""
SELECT called_at + ? - {NOW} FROM limited_call WHERE limit_key = ? ORDER BY called_at DESC OFFSET ? LIMIT 1
"""
_COUNT_CALL = f"INSERT INTO limited_call (limit_key, called_at) VALUES (?, {NOW})"


class SharedEngineStore(SqlEngineStore):
    """Implements `EngineStore` on a database that other programs use, too."""

    def __init__(self, db: Database, program_id: str, now: Callable[[], EpochMs] = now_ms) -> None:
        super().__init__(db, now)
        self._program_id = program_id
        is_registered = f"EXISTS (SELECT 1 FROM program WHERE id = '{program_id}')"
        self._claim_statement = run_transactions.claim_statement(_LOCKED_ID, _IS_NOT_PAUSED, is_registered)
        self._flow_limits: dict[FlowId, int] = {}
        self._full_flows: dict[FlowId, float] = {}
        """Flows at their concurrency limit, and until when they are left out."""

    # Executions

    def _claim_rows(
        self,
        driver: Driver,
        execution_id: ExecutionId,
        run_token: str,
        now: EpochMs,
        steps: list[run_transactions.Row] | None,
    ) -> run_transactions.ClaimedRun | None:
        if self._flow_limits and not self._has_room(driver, execution_id, run_token):
            return None
        return run_transactions.claim(driver, execution_id, run_token, now, steps, self._claim_statement)

    def _has_room(self, driver: Driver, execution_id: ExecutionId, run_token: str) -> bool:
        """Whether the flow may run one more. Locks its limit until the commit."""
        row = driver.execute(_FLOW_OF, (execution_id,)).fetchone()
        limit = None if row is None else self._flow_limits.get(row[0])
        if row is None or limit is None:
            return True
        # Separate statements: in one, the count's snapshot could be older than the lock.
        has_room = (
            driver.execute(_TRY_LOCK, (_FLOW_LOCK, row[0])).fetchone()[0]
            and driver.execute(_COUNT_RUNNING, (row[0], run_token)).fetchone()[0] < limit
        )
        if not has_room:
            self._full_flows[row[0]] = time.monotonic() + FULL_FLOW_SECONDS
        return bool(has_room)

    async def due(
        self,
        now: EpochMs,
        limit: int,
        excluded_flows: Collection[FlowId] = (),
        only_flows: Collection[FlowId] | None = None,
    ) -> tuple[tuple[ExecutionId, FlowId, ExecutionId], ...]:
        """See `EngineStore.due`. Of the oldest, some are chosen at random: others read the same ones."""
        moment = time.monotonic()
        self._full_flows = {flow_id: until for flow_id, until in self._full_flows.items() if until > moment}
        excluded = {*excluded_flows, *self._full_flows}
        found = await self._db.read(lambda tx: run_queries.due(tx, now, _WINDOW, excluded, only_flows))
        if len(found) <= BATCH_SIZE:
            return found
        return tuple(found[place] for place in sorted(random.sample(range(len(found)), BATCH_SIZE)))

    async def recover(self, now: EpochMs) -> int:
        """Joining the programs has queued the runs of those that are gone."""
        return 0

    async def release(self, now: EpochMs) -> int:
        """See `EngineStore.release`; only the runs of this program."""
        return await self._db.write_driver(lambda driver: queue_runs_of(driver, self._program_id))

    async def shorten_waits(self, by: int) -> None:
        """The clock of one computer must not move the waits of all."""

    # Triggers

    async def active_triggers(self) -> tuple[ActiveTrigger, ...]:
        found = await super().active_triggers()
        self._flow_limits = {
            one.version.flow_id: one.settings.max_concurrent for one in found if one.settings.max_concurrent
        }
        return found

    async def claim_trigger(self, state: TriggerState, version: int, *, early: bool) -> TriggerClaim:
        now = self._now()

        def claim(driver: Driver) -> TriggerClaim:
            row = driver.execute(_LOCK_TRIGGER, (state.flow_id, version)).fetchone()
            if row is None:
                return TriggerClaim(state, is_claimed=False)
            current = _state(state.flow_id, row)
            is_due = current.next_due_at is not None and current.next_due_at <= now
            is_claimed = (is_due or early) and (
                driver.execute(_CLAIM_TRIGGER, (state.flow_id, self._program_id)).rowcount == 1
            )
            return TriggerClaim(current, is_claimed=is_claimed)

        return await self._db.write_driver(claim)

    async def accept(
        self, events: Sequence[NewExecution], trigger: TriggerState | None = None
    ) -> tuple[bool, ...]:
        if trigger is None:
            return await super().accept(events)
        return await self._accept(events, trigger, self._end_claim(trigger.flow_id))

    async def save_trigger(self, state: TriggerState, previous: TriggerState | None = None) -> None:
        await self._accept((), state, self._is_unchanged(state.flow_id, previous))

    def _end_claim(self, flow_id: FlowId) -> Callable[[Driver], bool]:
        """Ends the claim of a trigger; False if the program has lost it."""
        return lambda driver: driver.execute(_END_CLAIM, (flow_id, self._program_id)).rowcount == 1

    def _is_unchanged(self, flow_id: FlowId, previous: TriggerState | None) -> Callable[[Driver], bool]:
        """Whether a trigger that is rescheduled still has this state, and isn't firing."""

        def check(driver: Driver) -> bool:
            if previous is None:
                return True
            row = driver.execute(_LOCK_STATE, (flow_id,)).fetchone()
            if row is None:
                return driver.execute(_HAS_STATE, (flow_id,)).fetchone() is None
            current = _state(flow_id, row)
            is_same = (current.cursor, current.next_due_at) == (previous.cursor, previous.next_due_at)
            return is_same and driver.execute(_IS_CLAIMED, (flow_id,)).fetchone() is None

        return check

    # Rate limits

    async def count_call(self, limits: Sequence[tuple[str, RateLimit]]) -> float:
        def count(driver: Driver) -> float:
            for key, _ in limits:
                if not driver.execute(_TRY_LOCK, (_LIMIT_LOCK, key)).fetchone()[0]:
                    return LOCKED_LIMIT_SECONDS
            waits = [_wait_ms(driver, key, limit) for key, limit in limits]
            if max(waits) <= 0:
                driver.executemany(_COUNT_CALL, [(key,) for key, _ in limits])
            return max(0.0, max(waits) / 1000)

        return await self._db.write_driver(count)


def _state(flow_id: FlowId, row: run_transactions.Row) -> TriggerState:
    cursor = decode_payload(row[0])
    return TriggerState(
        flow_id=flow_id, cursor=cursor if isinstance(cursor, dict) else {}, next_due_at=row[1]
    )


def _wait_ms(driver: Driver, key: str, limit: RateLimit) -> int:
    """Milliseconds until a call may start; not positive if it may now."""
    span = limit.seconds * 1000
    driver.execute(_FORGET_CALLS, (key, span))
    row = driver.execute(_NEXT_FREE, (span, key, limit.calls - 1)).fetchone()
    return 0 if row is None else max(1, int(row[0]))
