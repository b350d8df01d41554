"""The four transactions of every run: accept, claim, intent, and outcome.

An event is accepted as a queued run, the run is claimed, each step is announced by its intent, and its
outcome moves the run on. They run thousands of times per second, so they use the driver without SQLAlchemy.
The SQL is limited to what SQLite and PostgreSQL share. The writer thread only executes statements: callers
encode the rows (`encode_…`) before.
"""

from collections.abc import Sequence
from typing import Any

from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.engine_store import (
    CalledFlowResult,
    NewExecution,
    RunTransition,
    RunTree,
    StepOutcome,
    TriggerState,
)
from patchbay.domain.errors import RunTreeFull
from patchbay.domain.executions import StepState
from patchbay.domain.records import record
from patchbay.storage import seen_events
from patchbay.storage.codec import encode_payload
from patchbay.storage.driver import Driver, StatementRunner

Row = tuple[Any, ...]

_ACCEPT = """
INSERT INTO execution (id, flow_id, flow_version, status, internal_id, cursor, steps_done, steps_total,
                       test_run, note, created_at, updated_at, started_at, finished_at,
                       origin_id, origin_kind, origin_seq, run_key, root_id, full_rights, approval_ended)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (flow_id, internal_id) DO NOTHING
"""
_COUNT_RUN_IN_TREE = """
INSERT INTO run_tree (root_id, runs) VALUES (?, 2)
ON CONFLICT (root_id) DO UPDATE SET runs = run_tree.runs + 1
RETURNING runs
"""
"""Starts at 2: the root is counted with the first run it starts."""
_PUT_STEP = """
INSERT INTO execution_step (execution_id, seq, attempt, step_id, status, input, output, error,
                            started_at, finished_at, warnings, path)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (execution_id, seq, attempt) DO UPDATE
SET status = excluded.status, input = coalesce(excluded.input, execution_step.input),
    output = excluded.output, error = excluded.error, finished_at = excluded.finished_at,
    warnings = excluded.warnings
"""
_PUT_TRIGGER = """
INSERT INTO trigger_state (flow_id, cursor, next_due_at) VALUES (?, ?, ?)
ON CONFLICT (flow_id) DO UPDATE SET cursor = excluded.cursor, next_due_at = excluded.next_due_at
"""
_CLAIM_TEMPLATE = """
UPDATE execution
SET status = 'running', run_token = ?, attempts = attempts + 1, wake_at = NULL,
    started_at = coalesce(started_at, ?), updated_at = ?,
    approval_ended = approval_ended OR (started_at IS NULL AND NOT full_rights
        AND EXISTS (SELECT 1 FROM flow_version WHERE flow_version.flow_id = execution.flow_id
                    AND flow_version.number = execution.flow_version AND flow_version.approved)
        AND NOT EXISTS (SELECT 1 FROM flow WHERE flow.id = execution.flow_id AND flow.active
                        AND flow.deleted_at IS NULL AND flow.published_version = execution.flow_version))
WHERE id = {claimed_id} AND (
    (status = 'queued' OR (status = 'waiting' AND wake_at <= ?))
    AND NOT EXISTS (SELECT 1 FROM flow WHERE flow.id = execution.flow_id AND flow.paused_at IS NOT NULL)
    {and_may_start}
    OR (status = 'running' AND run_token = ?))
    {and_may_run}
RETURNING flow_id, flow_version, cursor, test_run, created_at, note,
          waits_for, origin_id, origin_kind, origin_seq, run_key, root_id, crashes, full_rights,
          approval_ended, attempts
"""
"""When a run starts, the approval of its version has ended if that isn't the published one any more."""


def claim_statement(claimed_id: str = "?", may_start: str = "", may_run: str = "") -> str:
    """The statement that claims an execution. `claimed_id` is its ID, or a query for it.

    `may_start` is a further condition for starting it, and `may_run` one also for a claim that is repeated.
    """
    return _CLAIM_TEMPLATE.format(
        claimed_id=claimed_id,
        and_may_start=f"AND {may_start}" if may_start else "",
        and_may_run=f"AND {may_run}" if may_run else "",
    )


_CLAIM = claim_statement()
_CLAIMED_STEPS = """
SELECT seq, attempt, status, output, error FROM execution_step WHERE execution_id = ? ORDER BY seq, attempt
"""
_INTENT = """
INSERT INTO execution_step (execution_id, seq, attempt, step_id, status, input, started_at, path)
SELECT id, ?, ?, ?, 'running', ?, ?, ? FROM execution WHERE id = ? AND run_token = ? AND status = 'running'
ON CONFLICT (execution_id, seq, attempt) DO UPDATE
SET step_id = excluded.step_id, input = excluded.input, started_at = excluded.started_at
WHERE execution_step.status = 'running'
"""
_MOVE = """
UPDATE execution
SET status = ?, cursor = ?, wake_at = ?, waits_for = ?, note = ?, run_token = ?, steps_done = ?,
    steps_total = coalesce(?, steps_total), updated_at = ?, finished_at = ?,
    crashes = CASE WHEN cursor = ? THEN crashes ELSE 0 END
WHERE id = ? AND run_token = ? AND status = 'running'
"""
_FINISH_CALLING_STEP = """
UPDATE execution_step SET status = ?, output = ?, error = ?, finished_at = ?
WHERE status = 'running' AND (execution_id, seq) IN
      (SELECT origin_id, origin_seq FROM execution WHERE id = ? AND origin_seq IS NOT NULL)
"""
_WAKE_CALLER = """
UPDATE execution SET status = 'queued', updated_at = ?
WHERE status = 'waiting' AND waits_for = 'flow' AND (id, cursor) IN
      (SELECT origin_id, origin_seq FROM execution WHERE id = ? AND origin_seq IS NOT NULL)
RETURNING id
"""


@record
class ClaimedRun:
    """A claimed execution: its row, and the rows of its steps so far."""

    row: Row
    steps: list[Row]


@record
class EncodedEvent:
    """An event ready to be stored, encoded before it reaches the writer thread."""

    execution: Row
    steps: tuple[Row, ...]
    event: tuple[FlowId, str] | None = None
    """Flow and internal ID, to recognise duplicates; None for an event that is never one."""
    tree: RunTree | None = None


@record
class EncodedOutcome:
    """An outcome ready to be stored: how the run continues, runs it starts, and its result for a caller.

    It can be that of several steps, of which each but the last can be repeated without harm.
    """

    move: Row
    steps: tuple[Row, ...]
    begin: tuple[EncodedEvent, ...] = ()
    call_result: Row | None = None


def encode_event(event: NewExecution) -> EncodedEvent:
    """Encode an event. A test run has no internal ID, so that the real event isn't taken for a duplicate."""
    trigger, last = event.trigger, event.steps[-1] if event.steps else event.trigger
    finished = event.state.finished
    execution = (
        event.id,
        event.flow_id,
        event.flow_version,
        event.state.value,
        None if event.test_run else event.internal_id,
        last.seq + 1,
        1 + len(event.steps),
        event.steps_total,
        event.test_run,
        event.note,
        event.created_at,
        last.finished_at,
        trigger.started_at if finished else None,
        last.finished_at if finished else None,
        event.origin_id,
        event.origin_kind,
        event.origin_seq,
        event.run_key,
        event.tree.root_id if event.tree else None,
        event.permit.full_rights,
        event.permit.approval_ended,
    )
    steps = tuple(encode_step(event.id, step) for step in (trigger, *event.steps))
    key = None
    if event.internal_id is not None and not event.test_run:
        key = event.flow_id, event.internal_id
    return EncodedEvent(execution=execution, steps=steps, event=key, tree=event.tree)


def encode_step(execution_id: ExecutionId, step: StepOutcome) -> Row:
    """Encode an attempt as a row of `execution_step`."""
    return (
        execution_id,
        step.seq,
        step.attempt,
        step.step_id,
        step.status.value,
        encode_payload(step.data_in),
        encode_payload(step.data_out),
        encode_payload(step.error),
        step.started_at,
        None if step.status is StepState.RUNNING else step.finished_at,
        encode_payload(list(step.warnings)) if step.warnings else None,
        step.path,
    )


def encode_trigger_state(state: TriggerState) -> Row:
    """Encode a trigger's state as a row of `trigger_state`."""
    return state.flow_id, encode_payload(state.cursor), state.next_due_at


def accept(
    driver: Driver,
    events: Sequence[EncodedEvent],
    trigger: Row | None,
    seen: Sequence[tuple[FlowId, str]] = (),
) -> tuple[bool, ...]:
    """Store new events as queued runs; returns for each event whether it was new.

    `seen` are further events to treat as duplicates from now on. Raises `RunTreeFull`, after which the
    transaction must be rolled back.
    """
    cursor = driver.cursor()
    new = []
    for event in events:
        stored = (event.event is None or not seen_events.is_seen(cursor, event.event)) and (
            cursor.execute(_ACCEPT, event.execution).rowcount == 1
        )
        if stored:
            _put_steps(cursor, event.steps)
            if event.tree is not None:
                runs = cursor.execute(_COUNT_RUN_IN_TREE, (event.tree.root_id,)).fetchone()[0]
                if event.tree.limit is not None and runs > event.tree.limit:
                    raise RunTreeFull(event.tree.limit)
        new.append(stored)
    if trigger is not None:
        cursor.execute(_PUT_TRIGGER, trigger)
    if seen:
        seen_events.record_seen(cursor, seen)
    return tuple(new)


def _put_steps(cursor: StatementRunner, steps: Sequence[Row]) -> None:
    """Store steps. Running a statement for many rows takes longer than running it once."""
    if len(steps) == 1:
        cursor.execute(_PUT_STEP, steps[0])
    elif steps:
        cursor.executemany(_PUT_STEP, steps)


def claim(
    driver: Driver,
    execution_id: ExecutionId,
    token: str,
    now: EpochMs,
    accepted_steps: list[Row] | None = None,
    statement: str = _CLAIM,
) -> ClaimedRun | None:
    """Mark a due run as running with this token; None if it isn't due, is paused, or has another token.

    `accepted_steps` are the rows with which it was accepted, if they are known. When it is claimed for the
    first time, these are all, so they needn't be read. `statement` has the same parameters and results as the
    default.
    """
    rows = driver.execute(statement, (token, now, now, execution_id, now, token)).fetchall()
    if not rows:
        return None
    if accepted_steps is not None and rows[0][-1] == 1:
        return ClaimedRun(row=rows[0], steps=accepted_steps)
    return ClaimedRun(row=rows[0], steps=driver.execute(_CLAIMED_STEPS, (execution_id,)).fetchall())


def claimed_step(row: Row) -> Row:
    """A row of `encode_step` as `claim` returns it."""
    _, seq, attempt, _, status, _, output, error, *_ = row
    return seq, attempt, status, output, error


def encode_intent(execution_id: ExecutionId, token: str, step: StepOutcome) -> Row:
    """Encode an attempt that is about to start, for `intent`."""
    return (
        step.seq,
        step.attempt,
        step.step_id,
        encode_payload(step.data_in),
        step.started_at,
        step.path,
        execution_id,
        token,
    )


def intent(driver: Driver, row: Row, deferred: EncodedOutcome | None = None) -> bool:
    """Store that an attempt is about to start. Returns False if the run has another token by now.

    `deferred` is the outcome of the steps before it, if it isn't stored yet.
    """
    if deferred is not None and not outcome(driver, deferred):
        return False
    return driver.execute(_INTENT, row).rowcount == 1


def encode_move(execution_id: ExecutionId, token: str, then: RunTransition, now: EpochMs) -> Row:
    """Encode how a run continues, for `outcome`. `now` is when the step finished."""
    finished = then.state.finished
    return (
        then.state.value,
        then.cursor,
        then.wake_at,
        then.waits_for,
        then.note,
        token if then.state.value == "running" else None,
        then.cursor,
        then.steps_total,
        now,
        now if finished else None,
        then.cursor,
        execution_id,
        token,
    )


def outcome(driver: Driver, encoded_outcome: EncodedOutcome, deferred: EncodedOutcome | None = None) -> bool:
    """Store the steps and move the run on. Returns False, without changes, if the run has another token.

    `deferred` is the outcome of the steps before it, if it isn't stored yet. Its move isn't needed: it only
    moved the run to the step that has ended now.
    """
    if driver.execute(_MOVE, encoded_outcome.move).rowcount != 1:
        return False
    _put_steps(driver, (*(deferred.steps if deferred is not None else ()), *encoded_outcome.steps))
    if encoded_outcome.begin:
        accept(driver, encoded_outcome.begin, None)
    if encoded_outcome.call_result is not None:
        finish_calling_step(driver, encoded_outcome.call_result)
    return True


def encode_call_result(execution_id: ExecutionId, result: CalledFlowResult, now: EpochMs) -> Row:
    """Encode the result of a called run, for `finish_calling_step`."""
    return result.status.value, encode_payload(result.data), encode_payload(result.error), now, execution_id


def finish_calling_step(driver: Driver, row: Row) -> list[ExecutionId]:
    """Finish the step that waits for this run, and queue its run. Returns the ID of that run, if any."""
    *_, now, execution_id = row
    driver.execute(_FINISH_CALLING_STEP, row)
    return [found[0] for found in driver.execute(_WAKE_CALLER, (now, execution_id)).fetchall()]
