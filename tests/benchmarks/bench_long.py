"""With a million executions stored: the same rates as with none, pages at once, and what removing costs."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from tests.benchmarks import long_history
from tests.benchmarks.bench_engine import DATABASE, open_runtime, post_many, request
from tests.benchmarks.lines import Line, folder, line
from tests.benchmarks.reference import commit_rate
from tests.support.engine_runtime import FLOW_1, Shelf

from patchbay.domain.engine import Retention
from patchbay.domain.executions import ExecutionFilter, ExecutionStatus
from patchbay.domain.paging import PageRequest
from patchbay.engine.engine import Engine
from patchbay.storage import executions, retention
from patchbay.storage.database import Database

EngineRuntime = tuple[Shelf, Engine]

ROUNDS = 10
EXECUTIONS = 1_500
CALLS = 60
PER_SECOND = 10
REMOVED_DAYS = 9
_DAY = 86_400_000
_PUT = (
    "INSERT INTO datastore (flow_id, key, value, updated_at) VALUES ('f1', 'probe', '1', 1)"
    " ON CONFLICT (flow_id, key) DO UPDATE SET updated_at = updated_at + 1"
)


def bench_long() -> list[Line]:
    """As `measure`, on histories of its own."""
    with folder() as place:
        asyncio.run(long_history.make(place))
        return measure(place)


def measure(place: Path) -> list[Line]:
    """Ratios of a long history to none (1: no difference), milliseconds of pages, and the removal.

    The histories of `long_history.make` are changed by it.
    """
    return asyncio.run(_measure(place))


async def _measure(place: Path) -> list[Line]:
    lines = [*await _rates(place), *await _pages(place)]
    return [*lines, *await _removal(place / "long" / DATABASE)]


# The same rates


async def _rates(place: Path) -> list[Line]:
    """Both databases in turn, in one process, so that what else the machine does meets both."""
    async with _runtime(place / "none") as none, _runtime(place / "long") as long:
        runtimes = {"none": none, "long": long}
        for runtime in runtimes.values():
            await _round(runtime)
        rounds = []
        for number in range(ROUNDS):  # each goes first in every other round
            order = sorted(runtimes, reverse=number % 2 == 0)
            rounds.append({name: await _round(runtimes[name]) for name in order})
        waits = [await _latency(runtimes)]
        disk = commit_rate(place)
    detail = {"executions_stored": long_history.EXECUTIONS, "disk_commits_per_s": disk}
    return [
        _ratio("long_history_rate_ratio", [{k: one[k][0] for k in one} for one in rounds], **detail),
        _ratio("long_history_cpu_ratio", [{k: one[k][1] for k in one} for one in rounds], **detail),
        _ratio("long_history_latency_ratio", waits, **detail, per_second=PER_SECOND),
    ]


@asynccontextmanager
async def _runtime(place: Path) -> AsyncIterator[EngineRuntime]:
    shelf, engine = await open_runtime(place)
    yield shelf, engine
    await engine.stop()
    await shelf.db.close()


def _ratio(name: str, rounds: list[dict[str, float]], **detail: Any) -> Line:
    """The median of the rounds' ratios of long to none, with the medians of both."""
    told = {key: round(statistics.median(one[key] for one in rounds), 3) for key in ("none", "long")}
    ratios = [one["long"] / one["none"] for one in rounds]
    every = [round(ratio, 2) for ratio in ratios]
    return line(name, statistics.median(ratios), "ratio", **detail, **told, every=every)


async def _round(runtime: EngineRuntime) -> tuple[float, float]:
    """Executions per second, and CPU milliseconds of each."""
    shelf, engine = runtime
    cpu, start = time.process_time(), time.perf_counter()
    await post_many(engine, EXECUTIONS)
    await _idle(shelf)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return EXECUTIONS / seconds, cpu * 1000 / EXECUTIONS


async def _latency(runtimes: dict[str, EngineRuntime]) -> dict[str, float]:
    """The median from call to stored end, in ms, at a calm pace; called in turn."""
    began = time.time_ns() // 1_000_000
    for number in range(CALLS):
        for name in sorted(runtimes, reverse=number % 2 == 0):
            _, engine = runtimes[name]
            await engine.deliver(FLOW_1, request(), synchronous=False)
            await asyncio.sleep(1 / PER_SECOND)
    query = f"SELECT finished_at - created_at FROM execution WHERE created_at >= {began}"
    medians = {}
    for name, (shelf, _) in runtimes.items():
        await _idle(shelf)
        taken = await shelf.db.read(lambda tx: sorted(tx.exec_driver_sql(query).scalars()))
        middle = taken[len(taken) // 4 : len(taken) * 3 // 4]
        medians[name] = statistics.fmean(middle)  # the clock counts whole milliseconds
    return medians


async def _idle(shelf: Shelf) -> None:
    query = "SELECT count(*) FROM execution WHERE status IN ('queued', 'running', 'waiting')"
    while await shelf.db.read(lambda tx: tx.exec_driver_sql(query).scalar_one()):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


# Pages


async def _pages(place: Path) -> list[Line]:
    """The newest, a filtered and a deep page of the list of executions, by how many there are."""
    taken: dict[str, list[float]] = {}
    for name in long_history.SIZES:
        db = await Database.open(place / name / DATABASE)
        deep = await _deep_cursor(db)
        for question, ask in _questions(deep).items():
            taken.setdefault(question, []).append(await _best(db, ask))
        await db.close()
    sizes = long_history.SIZES.values()
    return [
        line(
            f"executions_{name}_page_growth",
            times[-1] / times[0],
            "ratio",
            measured_in="ms",
            **{str(size): round(ms, 2) for size, ms in zip(sizes, times, strict=True)},
        )
        for name, times in taken.items()
    ]


def _questions(deep: str) -> dict[str, Callable[[Connection], Any]]:
    def ask(page: PageRequest, **where: Any) -> Callable[[Connection], Any]:
        return lambda tx: executions.list_executions(tx, ExecutionFilter(**where), page)

    first = PageRequest(limit=50)
    return {
        "newest": ask(first),
        "failed": ask(first, status=ExecutionStatus.FAILURE),
        "flow": ask(first, flow_id="f7"),
        "deep": ask(PageRequest(limit=50, cursor=deep)),
    }


async def _deep_cursor(db: Database) -> str:
    """The place before the last page but one."""
    count = (await retention.storage_usage(db)).executions
    page = PageRequest(limit=50, page=count // 50 - 2)
    found = await db.read(lambda tx: executions.list_executions(tx, ExecutionFilter(), page))
    assert found.next_cursor is not None
    return found.next_cursor


async def _best(db: Database, ask: Callable[[Connection], Any]) -> float:
    taken = []
    for _ in range(7):
        start = time.perf_counter()
        await db.read(ask)
        taken.append((time.perf_counter() - start) * 1000)
    return min(taken)


# Removal


async def _removal(path: Path) -> list[Line]:
    """Removing a tenth of it, while another write every few milliseconds tells how long it has to wait."""
    db = await Database.open(path)
    before = await retention.storage_usage(db)
    waits: list[Any] = []
    probing = asyncio.create_task(_probe(db, waits))
    await asyncio.sleep(2)
    calm, now = max(waits), time.time_ns() // 1_000_000
    waits.clear()
    days = (now - (before.oldest_at or now)) // _DAY - REMOVED_DAYS
    keep = Retention(success_days=days, failure_days=days, most=None)
    cpu, start = time.process_time(), time.perf_counter()
    done = await retention.apply_retention(db, keep, now)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    probing.cancel()
    await db.close()
    waits.sort()
    detail = {
        "removed": done.removed,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "freed_mb": done.freed_bytes // 1_000_000,
        "calm_longest_ms": round(calm, 1),
        "p99_ms": round(waits[len(waits) * 99 // 100], 1),
    }
    return [
        line("retention_removed_per_second", done.removed / seconds, "1/s", **detail),
        line("retention_longest_write_wait", waits[-1], "ms", **detail),
    ]


async def _probe(db: Database, waits: list[float]) -> None:
    while True:
        start = time.perf_counter()
        await db.write_driver(lambda driver: driver.execute(_PUT))
        waits.append((time.perf_counter() - start) * 1000)
        await asyncio.sleep(0.005)


if __name__ == "__main__":
    bench_long()
