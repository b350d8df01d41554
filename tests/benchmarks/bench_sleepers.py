"""What fifty published triggers and a thousand sleeping executions cost a running engine: threads and memory.

`python -m tests.benchmarks.bench_sleepers FOLDER` measures in this process and prints one JSON object; the
benchmark starts it as a process of its own, so that nothing else is measured with it.
"""

import asyncio
import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.bench_engine import request
from tests.benchmarks.lines import Line, folder, line, memory_mb
from tests.support.engine_runtime import MemoryCredentials, Shelf

from patchbay.domain.base import AppKey, FlowId, StepId
from patchbay.domain.engine_store import TriggerState
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.engine.engine import Engine
from patchbay.integration.registry import load_apps

TRIGGERS = 50
SLEEPERS = 1_000
_QUICK = FlowId("quick")
_SLOW = FlowId("slow")
_SECONDS = 120
_DAY = 86_400_000


def bench_sleepers() -> list[Line]:
    """Growth against the same engine with one flow and nothing under way."""
    with folder() as place:
        words = [sys.executable, "-m", "tests.benchmarks.bench_sleepers", str(place)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=True)
    found = json.loads(done.stdout)
    detail = {"triggers": TRIGGERS, "sleeping": found["sleeping"], **found}
    return [
        line("sleepers_threads", found["threads"] - found["threads_before"], "threads", **detail),
        line("sleepers_memory_mb", found["memory_mb"] - found["memory_before_mb"], "MB", **detail),
    ]


async def _measure(place: Path) -> dict[str, Any]:
    shelf = await Shelf.open(place / "bench.db")
    engine = Engine(shelf.store, load_apps(), MemoryCredentials(), on_change=lambda change: None)
    await shelf.publish(_flow(_QUICK, "webhook", "catchRawWebhook", _sleep("0")), 15, None)
    await shelf.publish(_flow(_SLOW, "webhook", "catchRawWebhook", _sleep("7")), 15, None)
    await engine.start()
    await _run(engine, shelf, _QUICK, 300, "success")
    threads, memory = _threads(), _memory()
    for number in range(TRIGGERS):
        await _publish(shelf, number)
    engine.triggers_changed()
    await _run(engine, shelf, _SLOW, SLEEPERS, "waiting")
    await asyncio.sleep(1)
    found = {
        "sleeping": await _count(shelf, "waiting"),
        "threads": _threads(),
        "memory_mb": _memory(),
        "threads_before": threads,
        "memory_before_mb": memory,
    }
    await engine.stop()
    await shelf.db.close()
    return found


async def _publish(shelf: Shelf, number: int) -> None:
    """Schedules, webhooks and polls in turn; none is due before tomorrow."""
    kinds = (("scheduler", "everyHour"), ("webhook", "catchRawWebhook"), ("caldav", "newEvent"))
    version = _flow(FlowId(f"trigger-{number}"), *kinds[number % len(kinds)], _sleep("1"))
    due = time.time_ns() // 1_000_000 + _DAY
    await shelf.publish(version, 15, TriggerState(flow_id=version.flow_id, next_due_at=due))


def _flow(flow_id: FlowId, app: str, key: str, action: dict[str, Any]) -> FlowVersion:
    steps = (
        Step(id=StepId(f"{flow_id}-1"), type=StepType.TRIGGER, app_key=AppKey(app), key=key),
        Step(id=StepId(f"{flow_id}-2"), type=StepType.ACTION, position=2, **action),
        Step(id=StepId(f"{flow_id}-3"), type=StepType.ACTION, position=3, **action),
    )
    return FlowVersion(flow_id=flow_id, number=1, name=flow_id, steps=steps)


def _sleep(days: str) -> dict[str, Any]:
    parameters = {"delayForUnit": "days", "delayForValue": days}
    return {"app_key": "delay", "key": "delayFor", "parameters": parameters}


async def _run(engine: Engine, shelf: Shelf, flow_id: FlowId, count: int, until: str) -> None:
    for _ in range(count):
        await engine.deliver(flow_id, request(), synchronous=False)
    async with asyncio.timeout(_SECONDS):
        while await _count(shelf, until) < count:  # noqa: ASYNC110  the end is what the database says
            await asyncio.sleep(0.05)


async def _count(shelf: Shelf, status: str) -> int:
    query = f"SELECT count(*) FROM execution WHERE status = '{status}'"
    return await shelf.db.read(lambda tx: int(tx.exec_driver_sql(query).scalar_one()))


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir())) if Path("/proc/self/task").is_dir() else 0


def _memory() -> float:
    gc.collect()
    return memory_mb("self")


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(Path(sys.argv[1])))))
