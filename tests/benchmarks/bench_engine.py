"""The engine over SQLite (FULL), measured: throughput and CPU of 3-step executions, webhook to finished.

Each function prints the JSON lines of `make bench` and returns them.
"""

import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.engine_house import SqlShelf, Vault

from patchbay.domain.backend import Change
from patchbay.domain.base import Json
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.domain.ports import WebhookRequest
from patchbay.engine.engine import Engine
from patchbay.integration.registry import load_apps

EXECUTIONS = 3_000
AT_ONCE = 50
PER_SECOND = 5
SAMPLE = 60
Line = dict[str, Json]

_BODY: Json = {
    "order": 4711,
    "customer": {"name": "  Ada Lovelace ", "mail": "ada@example.org", "city": "London"},
    "lines": [{"sku": f"A-{number}", "quantity": number, "price": 9.5} for number in range(1, 6)],
    "note": "Please ring twice. " * 8,
}


def bench_throughput() -> list[Line]:
    """Executions per second from the first call to the last stored end, and CPU per execution."""
    return asyncio.run(_in_folder(_throughput))


def bench_webhook_latency() -> list[Line]:
    """Milliseconds from calling a webhook to its stored end, at five calls a second."""
    return asyncio.run(_in_folder(_latency))


async def _throughput(folder: Path) -> list[Line]:
    shelf, engine, _ = await _house(folder)
    commits = _commit_rate(folder)
    await _post_many(engine, 300)
    await _all_done(shelf, 300)
    before, cpu, start = shelf.db.commits, time.process_time(), time.perf_counter()
    await _post_many(engine, EXECUTIONS)
    await _all_done(shelf, 300 + EXECUTIONS)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    used = shelf.db.commits - before
    await engine.stop()
    await shelf.db.close()
    detail: Line = {
        "executions": EXECUTIONS, "callers": AT_ONCE, "synchronous": "FULL",
        "commits_per_execution": round(used / EXECUTIONS, 2), "disk_commits_per_s": commits,
    }  # fmt: skip
    return [
        _line("engine_throughput", EXECUTIONS / seconds, "executions/s", detail),
        _line("engine_cpu", cpu * 1000 / EXECUTIONS, "ms CPU/execution", detail),
    ]


async def _latency(folder: Path) -> list[Line]:
    shelf, engine, announced = await _house(folder)
    commits = _commit_rate(folder)
    await _post_many(engine, 20)
    await _all_done(shelf, 20)
    announced.clear()
    taken: list[float] = []
    for _ in range(SAMPLE):
        pause = asyncio.create_task(asyncio.sleep(1 / PER_SECOND))
        taken.append(await _one(shelf, engine))
        await pause
    await engine.stop()
    await shelf.db.close()
    detail: Line = {"sample": SAMPLE, "per_second": PER_SECOND, "disk_commits_per_s": commits}
    slow = statistics.quantiles(taken, n=20)[-1]
    return [
        _line("webhook_to_finished_p50", statistics.median(taken), "ms", detail),
        _line("webhook_to_finished_p95", slow, "ms", detail),
    ]


async def _one(shelf: SqlShelf, engine: Engine) -> float:
    """One call, until its end is read back from the database."""
    before = await _finished(shelf)
    start = time.perf_counter()
    await engine.deliver("f1", _request(), synchronous=False)
    while await _finished(shelf) == before:  # noqa: ASYNC110  the end is what the database says
        await asyncio.sleep(0.0005)
    return (time.perf_counter() - start) * 1000


async def _house(folder: Path) -> tuple[SqlShelf, Engine, list[Change]]:
    shelf = await SqlShelf.open(folder / "bench.db")
    announced: list[Change] = []
    engine = Engine(shelf.store, load_apps(), Vault(), on_change=announced.append)
    await shelf.publish(_flow(), 15, None)
    await engine.start()
    return shelf, engine, announced


def _flow() -> FlowVersion:
    """Webhook → formatter → filter: three steps of real apps without a network."""
    name = "{{step.s1.body.customer.name}}"
    condition = {"key": "{{step.s2.output}}", "operator": "contains", "value": "Ada"}
    formatter: Json = {"transform": "trimWhitespace", "input": name}
    steps = (
        Step(id="s1", type=StepType.TRIGGER, app_key="webhook", key="catchRawWebhook"),
        Step(
            id="s2", type=StepType.ACTION, app_key="formatter", key="text", position=2, parameters=formatter
        ),
        Step(
            id="s3", type=StepType.ACTION, app_key="filter", key="continueIfMatches", position=3,
            parameters={"or": [{"and": [condition]}]},
        ),
    )  # fmt: skip
    return FlowVersion(flow_id="f1", number=1, name="Orders", steps=steps)


def _request() -> WebhookRequest:
    headers = {"content-type": "application/json", "user-agent": "bench"}
    return WebhookRequest(method="POST", headers=headers, query={}, body=_BODY)


async def _post_many(engine: Engine, count: int) -> None:
    left = iter(range(count))

    async def caller() -> None:
        for _ in left:
            await engine.deliver("f1", _request(), synchronous=False)

    await asyncio.gather(*(caller() for _ in range(AT_ONCE)))


async def _all_done(shelf: SqlShelf, count: int) -> None:
    while await _finished(shelf) < count:  # noqa: ASYNC110  the end is what the database says
        await asyncio.sleep(0.02)


async def _finished(shelf: SqlShelf) -> int:
    query = "SELECT count(*) FROM execution WHERE status = 'success'"
    return await shelf.db.read(lambda tx: int(tx.exec_driver_sql(query).scalar_one()))


def _commit_rate(folder: Path) -> int:
    """One-row commits a second of this disk (WAL, FULL) in this very run: the ground all figures stand on."""
    import sqlite3

    db = sqlite3.connect(folder / "probe.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE probe (value TEXT)")
    count, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < 0.5:
        db.execute("INSERT INTO probe VALUES ('x')")
        count += 1
    db.close()
    return round(count / spent)


def _line(name: str, value: float, unit: str, detail: Line) -> Line:
    line: Line = {"name": name, "value": round(value, 3), "unit": unit, "detail": detail}
    print(json.dumps(line), flush=True)
    return line


async def _in_folder(measure: Callable[[Path], "asyncio.Future[list[Line]]"]) -> list[Line]:
    root = os.environ.get("PATCHBAY_BENCH_DIR")
    with tempfile.TemporaryDirectory(prefix="patchbay-bench-", dir=root) as folder:
        return await measure(Path(folder))


if __name__ == "__main__":
    bench_throughput()
    bench_webhook_latency()
