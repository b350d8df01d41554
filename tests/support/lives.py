"""Executions with what ties them to others, and waiting until the engine has nothing left to do."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from tests.support.engine_runtime import EngineRuntime
from tests.support.patience import PATIENCE

from patchbay.domain.base import EpochMs, ExecutionId, FlowId
from patchbay.domain.engine import EngineState
from patchbay.domain.executions import ExecutionState, Origin, WaitsFor
from patchbay.domain.flows import FlowSettings
from patchbay.storage.tables import execution, execution_step, flow

SLOTS = 20
"""Executions that run at once, all flows together; of one flow at most `FLOW_SLOTS`."""
FLOW_SLOTS = 16


@dataclass(frozen=True)
class Row:
    """A step of an execution: its place, how it went, and when."""

    seq: int
    attempt: int
    step_id: str
    status: str
    path: str | None
    finished_at: EpochMs | None


@dataclass(frozen=True)
class Life:
    """An execution as it is stored, its steps in their order."""

    id: ExecutionId
    flow_id: FlowId
    state: ExecutionState
    note: str | None
    wake_at: EpochMs | None
    waits_for: str | None
    origin_id: ExecutionId | None
    origin_kind: Origin | None
    origin_seq: int | None
    run_key: str | None
    steps: tuple[Row, ...]

    @property
    def waits_for_flow(self) -> bool:
        return self.state is ExecutionState.WAITING and self.waits_for == WaitsFor.FLOW


async def lives(runtime: EngineRuntime) -> dict[ExecutionId, Life]:
    """All executions, oldest first."""
    return await runtime.shelf.db.read(_read)


def _read(tx: Any) -> dict[ExecutionId, Life]:
    steps: dict[ExecutionId, list[Row]] = {}
    ordered = select(execution_step).order_by(execution_step.c.seq, execution_step.c.attempt)
    for row in tx.execute(ordered).mappings():
        made = Row(*(row[key] for key in ("seq", "attempt", "step_id", "status", "path", "finished_at")))
        steps.setdefault(row["execution_id"], []).append(made)
    found = tx.execute(select(execution).order_by(execution.c.created_at, execution.c.id)).mappings()
    return {row["id"]: _life(row, tuple(steps.get(row["id"], ()))) for row in found}


def _life(row: Any, steps: tuple[Row, ...]) -> Life:
    kind = row["origin_kind"]
    return Life(
        row["id"],
        row["flow_id"],
        ExecutionState(row["status"]),
        row["note"],
        row["wake_at"],
        row["waits_for"],
        row["origin_id"],
        Origin(kind) if kind else None,
        row["origin_seq"],
        row["run_key"],
        steps,
    )


async def calm(runtime: EngineRuntime) -> None:
    """Wait until nothing is left that could be done now. Fails when something is left lying."""
    found: list[str] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while found := await undone(runtime):  # noqa: ASYNC110  only the store knows
                await asyncio.sleep(0.002)
    except TimeoutError:
        raise AssertionError("left lying: " + "; ".join(found)) from None


async def undone(runtime: EngineRuntime) -> list[str]:
    """What the engine should still do without anybody's help, in words."""
    rows, flows = await runtime.shelf.db.read(_unfinished)
    paused = {flow_id for flow_id, held, _ in flows if held}
    most = {flow_id: FlowSettings.model_validate_json(text).max_concurrent for flow_id, _, text in flows}
    running = Counter(row.flow_id for row in rows if row.status == ExecutionState.RUNNING)
    left = []
    if running.total() > runtime.toy.inside:
        left.append(f"{running.total()} run, but only {runtime.toy.inside} are at a slow step")
    if runtime.engine.state is not EngineState.RUNNING:
        return left
    for row in rows:
        full = running[row.flow_id] >= (most[row.flow_id] or FLOW_SLOTS) or running.total() >= SLOTS
        due = row.status == "queued" or (row.wake_at is not None and row.wake_at <= runtime.clock.now)
        if due and not full and row.flow_id not in paused:
            left.append(f"{row.id} of {row.flow_id} is {row.status}")
    return left


def _unfinished(tx: Any) -> tuple[list[Any], list[Any]]:
    states = [ExecutionState.QUEUED, ExecutionState.RUNNING, ExecutionState.WAITING]
    columns = execution.c.id, execution.c.flow_id, execution.c.status, execution.c.wake_at
    rows = tx.execute(select(*columns).where(execution.c.status.in_(states))).all()
    return rows, tx.execute(select(flow.c.id, flow.c.paused_at, flow.c.settings)).all()
