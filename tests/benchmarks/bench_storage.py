"""Reading a long history: every question the window asks, over 200,000 executions of 40 flows."""

import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from tests.support.storage_rows import NOW, Workshop

from patchbay.domain.base import ExecutionId
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus
from patchbay.domain.flows import Flow
from patchbay.domain.paging import PageRequest
from patchbay.storage import executions, statistics
from patchbay.storage.bulk_load import PastExecution, load_history
from patchbay.storage.database import Database

Line = dict[str, Any]

EXECUTIONS = int(os.environ.get("PATCHBAY_BENCH_EXECUTIONS", "200000"))
FLOWS = 40
DAY = 86_400_000
END = NOW + 90 * DAY
_STATES = (ExecutionState.SUCCESS, ExecutionState.FAILURE, ExecutionState.FILTERED)


def bench_history() -> list[Line]:
    """Milliseconds of each question, the best of three."""
    return asyncio.run(_measure())


async def _measure() -> list[Line]:
    root = os.environ.get("PATCHBAY_BENCH_DIR")
    with tempfile.TemporaryDirectory(prefix="patchbay-bench-", dir=root) as folder:
        db = await Database.open(Path(folder) / "history.db")
        flows = await _fill(db)
        lines = [await _line(db, name, question) for name, question in _questions(flows).items()]
        await db.close()
    return lines


async def _fill(db: Database) -> list[Flow]:
    workshop = Workshop(db)
    await workshop.prepare()
    flows = [await workshop.flow(f"Flow {number}", app=f"app-{number % 4}") for number in range(FLOWS)]
    rng = random.Random(1)
    for start in range(0, EXECUTIONS, 20_000):
        await load_history(db, [_past(rng, rng.choice(flows), n) for n in range(start, start + 20_000)], [])
    return flows


def _past(rng: random.Random, flow: Flow, number: int) -> PastExecution:
    at = NOW + number * 90 * DAY // EXECUTIONS
    state = rng.choices(_STATES, (90, 5, 5))[0]
    return PastExecution(
        id=ExecutionId(f"{rng.getrandbits(64):016x}"),
        flow_id=flow.id,
        flow_version=1,
        status=state,
        internal_id=None,
        cursor=3,
        steps_done=3,
        steps_total=3,
        wake_at=None,
        test_run=False,
        note=None,
        created_at=at,
        updated_at=at + 50,
        started_at=at,
        finished_at=at + 50,
    )


def _questions(flows: list[Flow]) -> dict[str, Callable[[Connection], Any]]:
    page, ids = PageRequest(limit=50), [flow.id for flow in flows]

    def listed(**where: Any) -> Callable[[Connection], Any]:
        return lambda tx: executions.list_executions(tx, ExecutionFilter(**where), page)

    def bars(days: int, **where: Any) -> Callable[[Connection], Any]:
        return lambda tx: statistics.histogram(tx, ExecutionFilter(**where), END - days * DAY, END, 60)

    return {
        "list_all": listed(),
        "list_failures": listed(status=ExecutionStatus.FAILURE),
        "list_by_name": listed(name="flow 1"),
        "list_by_app": listed(app_key="app-1"),
        "list_by_flow": listed(flow_id=ids[0]),
        "histogram_day": bars(1),
        "histogram_90_days": bars(90),
        "flow_activity": lambda tx: statistics.flow_activity(tx, ids),
        "folder_stats": lambda tx: statistics.folder_stats(tx, END - 7 * DAY),
    }


async def _line(db: Database, name: str, question: Callable[[Connection], Any]) -> Line:
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        await db.read(question)
        taken.append((time.perf_counter() - start) * 1000)
    detail: Line = {"executions": EXECUTIONS, "flows": FLOWS, "first": round(taken[0], 2)}
    line: Line = {"name": f"history_{name}", "value": round(min(taken), 2), "unit": "ms", "detail": detail}
    print(json.dumps(line), flush=True)
    return line


if __name__ == "__main__":
    bench_history()
