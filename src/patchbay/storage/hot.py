"""The four transactions every execution passes through, as prepared statements on the driver.

They run thousands of times a second, so they skip SQLAlchemy; everything else goes through it. The text keeps
to what SQLite and PostgreSQL share.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patchbay.domain.base import EpochMs, ExecutionId
from patchbay.domain.executions import StepState
from patchbay.domain.ports import Continue, NewExecution, StepOutcome, TriggerState
from patchbay.storage.codec import to_text

Row = tuple[Any, ...]

_ACCEPT = """
INSERT INTO execution (id, flow_id, flow_version, status, internal_id, cursor, steps_done, steps_total,
                       test_run, note, created_at, updated_at, started_at, finished_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (flow_id, internal_id) DO NOTHING
"""
_PUT_STEP = """
INSERT INTO execution_step (execution_id, seq, attempt, step_id, status, input, output, error,
                            started_at, finished_at, warnings, path)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (execution_id, seq, attempt) DO UPDATE
SET status = excluded.status, input = coalesce(excluded.input, input), output = excluded.output,
    error = excluded.error, finished_at = excluded.finished_at, warnings = excluded.warnings
"""
_PUT_TRIGGER = """
INSERT INTO trigger_state (flow_id, cursor, next_due_at) VALUES (?, ?, ?)
ON CONFLICT (flow_id) DO UPDATE SET cursor = excluded.cursor, next_due_at = excluded.next_due_at
"""
_CLAIM = """
UPDATE execution
SET status = 'running', run_token = ?, attempts = attempts + 1, wake_at = NULL,
    started_at = coalesce(started_at, ?), updated_at = ?
WHERE id = ? AND (status = 'queued' OR (status = 'waiting' AND wake_at <= ?))
RETURNING flow_id, flow_version, cursor, test_run, created_at, note
"""
_CLAIMED_STEPS = """
SELECT seq, attempt, step_id, status, output FROM execution_step WHERE execution_id = ? ORDER BY seq, attempt
"""
_INTENT = """
INSERT INTO execution_step (execution_id, seq, attempt, step_id, status, input, started_at)
SELECT id, ?, ?, ?, 'running', ?, ? FROM execution WHERE id = ? AND run_token = ? AND status = 'running'
ON CONFLICT (execution_id, seq, attempt) DO UPDATE
SET step_id = excluded.step_id, input = excluded.input, started_at = excluded.started_at
WHERE execution_step.status = 'running'
"""
_MOVE = """
UPDATE execution
SET status = ?, cursor = ?, wake_at = ?, note = ?, run_token = ?, steps_done = ?, updated_at = ?,
    finished_at = ?
WHERE id = ? AND run_token = ? AND status = 'running'
"""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a claim found: the execution's row and the rows of its steps so far."""

    row: Row
    steps: list[Row]


@dataclass(frozen=True, slots=True)
class Accepted:
    """An event ready to be stored, encoded before it reaches the writer thread."""

    execution: Row
    steps: tuple[Row, ...]


def accepted(event: NewExecution) -> Accepted:
    """Encode an event. A test run keeps no internal id, so that it never hides the real event."""
    trigger, last = event.trigger, event.steps[-1] if event.steps else event.trigger
    finished = event.state.finished
    execution = (
        event.id, event.flow_id, event.flow_version, event.state.value,
        None if event.test_run else event.internal_id,
        last.seq + 1, last.seq + 1, event.steps_total, event.test_run, event.note,
        event.created_at, last.finished_at,
        trigger.started_at if finished else None, last.finished_at if finished else None,
    )  # fmt: skip
    return Accepted(execution, tuple(step_row(event.id, step) for step in (trigger, *event.steps)))


def step_row(execution_id: ExecutionId, step: StepOutcome) -> Row:
    """A finished attempt as the columns of `execution_step`."""
    return (
        execution_id, step.seq, step.attempt, step.step_id, step.status.value, to_text(step.data_in),
        to_text(step.data_out), to_text(step.error), step.started_at,
        None if step.status is StepState.RUNNING else step.finished_at,
        to_text(list(step.warnings)) if step.warnings else None, step.path,
    )  # fmt: skip


def trigger_row(state: TriggerState) -> Row:
    return state.flow_id, to_text(state.cursor), state.next_due_at


def accept(driver: sqlite3.Connection, events: Sequence[Accepted], trigger: Row | None) -> tuple[bool, ...]:
    """Store what is new; the answer tells for each event whether it was."""
    cursor = driver.cursor()
    new = []
    for event in events:
        stored = cursor.execute(_ACCEPT, event.execution).rowcount == 1
        if stored:
            cursor.executemany(_PUT_STEP, event.steps)
        new.append(stored)
    if trigger is not None:
        cursor.execute(_PUT_TRIGGER, trigger)
    return tuple(new)


def claim(driver: sqlite3.Connection, execution_id: ExecutionId, token: str, now: EpochMs) -> Claimed | None:
    rows = driver.execute(_CLAIM, (token, now, now, execution_id, now)).fetchall()
    if not rows:
        return None
    return Claimed(rows[0], driver.execute(_CLAIMED_STEPS, (execution_id,)).fetchall())


def intent_row(execution_id: ExecutionId, token: str, step: StepOutcome) -> Row:
    data_in = to_text(step.data_in)
    return step.seq, step.attempt, step.step_id, data_in, step.started_at, execution_id, token


def intent(driver: sqlite3.Connection, row: Row) -> bool:
    return driver.execute(_INTENT, row).rowcount == 1


def move_row(execution_id: ExecutionId, token: str, step: StepOutcome, then: Continue) -> Row:
    finished = then.state.finished
    return (
        then.state.value, then.cursor, then.wake_at, then.note,
        token if then.state.value == "running" else None,
        step.seq + 1 if finished else then.cursor,
        step.finished_at, step.finished_at if finished else None,
        execution_id, token,
    )  # fmt: skip


def outcome(driver: sqlite3.Connection, move: Row, step: Row) -> bool:
    """Move the run and finish its step; nothing when the run is no longer ours."""
    if driver.execute(_MOVE, move).rowcount != 1:
        return False
    driver.execute(_PUT_STEP, step)
    return True
