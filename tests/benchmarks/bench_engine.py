"""The engine over SQLite (FULL): throughput and CPU of 3-step executions, accepted, finished and stored."""

import asyncio
import time
from pathlib import Path

from tests.benchmarks.lines import Line, folder, line
from tests.benchmarks.load import BODY
from tests.benchmarks.reference import commit_rate
from tests.support.engine_runtime import FLOW_1, MemoryCredentials, Shelf

from patchbay.domain.base import AppKey, Json, JsonObject, StepId
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.domain.ports import WebhookRequest
from patchbay.engine.engine import Engine
from patchbay.integration.registry import load_apps
from patchbay.platform.process_limits import raise_gc_thresholds, tune_garbage_collection

EXECUTIONS = 3_000
AT_ONCE = 50
DATABASE = "patchbay.db"
"""As in a data folder, so that a service can be started on it."""


def bench_throughput() -> list[Line]:
    """Executions per second from the first call to the last stored end, and CPU per execution."""
    raise_gc_thresholds()  # as the program does when it starts
    with folder() as place:
        return asyncio.run(_throughput(place))


async def _throughput(place: Path) -> list[Line]:
    shelf, engine = await open_runtime(place)
    tune_garbage_collection()
    commits = commit_rate(place)
    await post_many(engine, 300)
    await _all_done(shelf, 300)
    before = shelf.db.commits
    cpu = time.process_time()
    start = time.perf_counter()
    await post_many(engine, EXECUTIONS)
    await _all_done(shelf, 300 + EXECUTIONS)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    used = shelf.db.commits - before
    await engine.stop()
    await shelf.db.close()
    detail = {
        "executions": EXECUTIONS,
        "callers": AT_ONCE,
        "synchronous": "FULL",
        "commits_per_execution": round(used / EXECUTIONS, 2),
        "disk_commits_per_s": commits,
        "executions_per_disk_commit": round(EXECUTIONS / seconds / commits, 2),
    }
    return [
        line("executions_per_second", EXECUTIONS / seconds, "1/s", **detail),
        line("cpu_ms_per_execution", cpu * 1000 / EXECUTIONS, "ms", **detail),
    ]


async def open_runtime(place: Path) -> tuple[Shelf, Engine]:
    """A running engine on the database there, with the flow of `orders` published where it is new."""
    shelf = await Shelf.open(place / DATABASE)
    engine = Engine(shelf.store, load_apps(), MemoryCredentials(), on_change=lambda change: None)
    if await shelf.store.version(FLOW_1) is None:
        await shelf.publish(orders(), 15, None)
    await engine.start()
    return shelf, engine


def orders() -> FlowVersion:
    """Webhook → formatter → filter: three steps of real apps without a network."""
    name = "{{step.s1.body.customer.name}}"
    condition: Json = {"key": "{{step.s2.output}}", "operator": "contains", "value": "Ada"}
    formatter: JsonObject = {"transform": "trimWhitespace", "input": name}
    steps = (
        Step(id=StepId("s1"), type=StepType.TRIGGER, app_key=AppKey("webhook"), key="catchRawWebhook"),
        Step(
            id=StepId("s2"),
            type=StepType.ACTION,
            app_key=AppKey("formatter"),
            key="text",
            position=2,
            parameters=formatter,
        ),
        Step(
            id=StepId("s3"),
            type=StepType.ACTION,
            app_key=AppKey("filter"),
            key="continueIfMatches",
            position=3,
            parameters={"or": [{"and": [condition]}]},
        ),
    )
    return FlowVersion(flow_id=FLOW_1, number=1, name="Orders", steps=steps)


def request() -> WebhookRequest:
    headers = {"content-type": "application/json", "user-agent": "bench"}
    return WebhookRequest(method="POST", headers=headers, query={}, body=BODY)


async def post_many(engine: Engine, count: int) -> None:
    """Call the webhook so often, from 50 callers at once."""
    left = iter(range(count))

    async def caller() -> None:
        for _ in left:
            await engine.deliver(FLOW_1, request(), synchronous=False)

    await asyncio.gather(*(caller() for _ in range(AT_ONCE)))


async def _all_done(shelf: Shelf, count: int) -> None:
    while await _finished(shelf) < count:  # noqa: ASYNC110  the end is what the database says
        await asyncio.sleep(0.02)


async def _finished(shelf: Shelf) -> int:
    query = "SELECT count(*) FROM execution WHERE status = 'success'"
    return await shelf.db.read(lambda tx: int(tx.exec_driver_sql(query).scalar_one()))


if __name__ == "__main__":
    bench_throughput()
