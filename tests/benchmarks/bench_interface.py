"""The HTTP interface of `patchbay serve` over a short and a long history, and what a crowd costs others."""

import asyncio
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.benchmarks import long_history
from tests.benchmarks.callers import Caller, Crowd
from tests.benchmarks.data_folders import three_steps
from tests.benchmarks.lines import Line, folder, line
from tests.support import flow_files as files
from tests.support.processes import Interface, Service

from patchbay.client.remote import RemoteBackend
from patchbay.domain.changes import ResourceType

SAMPLE = 200
WARM = 20
RATE_SECONDS = 2.0
CROWD = 50
PUBLISHES = 60
CHANGES = 40
_PAGE = 10
_DAY = 86_400_000
_EXECUTIONS = "/v1/executions"


class WorkspaceRuntime:
    """A running service with a key, and one connection to it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        interface = Interface(service)
        interface.close()
        self.key = interface.key
        self.caller = self.call()

    def call(self) -> Caller:
        return Caller(self.service.address, self.key)


def bench_interface() -> list[Line]:
    """As `measure`, on histories of its own."""
    with folder() as place:
        asyncio.run(long_history.make(place))
        return measure(place)


def measure(place: Path) -> list[Line]:
    """Pages over HTTP and how they grow, requests a second, publishing among a crowd, live updates."""
    with _runtimes(place) as runtimes:
        return [
            *_pages(runtimes),
            *_rates(runtimes),
            *_publishing(runtimes["long"], place),
            _live(runtimes["long"]),
        ]


@contextmanager
def _runtimes(place: Path) -> Iterator[dict[str, WorkspaceRuntime]]:
    with ExitStack() as stack:
        yield {
            name: WorkspaceRuntime(stack.enter_context(Service(place / name, fresh=True)))
            for name in long_history.SIZES
        }


# Pages


def _pages(runtimes: dict[str, WorkspaceRuntime]) -> list[Line]:
    """All houses in turn, request by request, so that what else the machine does meets all."""
    asked = {name: _questions(runtime) for name, runtime in runtimes.items()}
    lines = []
    for question in asked["few"]:
        taken: dict[str, list[float]] = {name: [] for name in runtimes}
        for number in range(SAMPLE + WARM):
            for name, runtime in runtimes.items():
                ms = runtime.caller.timed(runtime.caller.request(asked[name][question]))
                if number >= WARM:
                    taken[name].append(ms)
        lines += _growth(question, taken)
    return lines


def _questions(runtime: WorkspaceRuntime) -> dict[str, str]:
    """The addresses of pages, by what they are."""
    count = runtime.caller.data(_EXECUTIONS)["meta"]["count"]
    now = time.time_ns() // 1_000_000
    week = {"startDateTime": now - 20 * _DAY - 4_567_890, "endDateTime": now - 13 * _DAY - 1_234_567}
    middle = count // _PAGE // 2
    cursor = runtime.caller.data(_EXECUTIONS, page=middle)["meta"]["nextCursor"]
    asked: dict[str, dict[str, Any]] = {
        "newest": {},
        "filtered": {"name": "Orders 7", "status": "failure"},
        "status": {"status": "success"},
        "time_range": week,
        "deep_page": {"page": middle},
        "deep_cursor": {"cursor": cursor},
    }
    return {name: f"{_EXECUTIONS}?{urlencode(query)}" for name, query in asked.items()}


def _growth(question: str, taken: dict[str, list[float]]) -> list[Line]:
    """How much longer the longest history takes, at the median and for the slow ones."""
    lines = []
    for name, of in (("p50", statistics.median), ("p95", _p95)):
        ms = {str(long_history.SIZES[size]): round(of(values), 2) for size, values in taken.items()}
        ratio = of(taken["long"]) / of(taken["few"])
        lines.append(
            line(
                f"http_executions_{question}_{name}_growth",
                ratio,
                "ratio",
                measured_in="ms",
                **ms,
                sample=SAMPLE,
                target=1.5,
            )
        )
    return lines


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


# Requests a second


def _rates(runtimes: dict[str, WorkspaceRuntime]) -> list[Line]:
    """The newest page, as fast as it is answered, from one connection and from ten."""
    lines = []
    for clients in (1, 10):
        rates = {}
        for name in ("few", "long"):
            runtime = runtimes[name]
            with Crowd(clients, runtime.call, _EXECUTIONS) as crowd:
                before, start = crowd.answered, time.perf_counter()
                time.sleep(RATE_SECONDS)
                rates[name] = (crowd.answered - before) / (time.perf_counter() - start)
        told = {str(long_history.SIZES[name]): round(rate) for name, rate in rates.items()}
        lines.append(line(f"http_executions_per_second_{clients}", rates["long"], "1/s", **told))
    return lines


# Publishing while others look


def _publishing(runtime: WorkspaceRuntime, place: Path) -> list[Line]:
    """Milliseconds of PATCH /v1/flows/:id/status alone, among callers each second, and without a pause."""
    file = files.write(place / "flow.json", three_steps("Published"))
    [made] = runtime.service.command("flow", "import", file, "--publish", "--json").json
    alone = _publish(runtime, made["id"])
    lines = [_publishes("alone", alone, 0)]
    for name, every in (("each_second", 1.0), ("without_pause", 0.0)):
        with Crowd(CROWD, runtime.call, _EXECUTIONS, every) as crowd:
            time.sleep(1.0)
            before, start = crowd.answered, time.perf_counter()
            taken = _publish(runtime, made["id"])
            rate = (crowd.answered - before) / (time.perf_counter() - start)
        lines.append(_publishes(name, taken, rate))
        slower = statistics.median(taken) - statistics.median(alone)
        slow = _p95(taken) - _p95(alone)
        lines.append(line(f"publish_slowed_by_{CROWD}_{name}", slower, "ms", p95=round(slow, 1), target=50))
    return lines


def _publish(runtime: WorkspaceRuntime, flow_id: str) -> list[float]:
    """Take the flow back and publish it, so often; the times of both."""
    path, taken = f"/v1/flows/{flow_id}/status", []
    for number in range(PUBLISHES):
        body = {"active": number % 2 == 1}
        taken.append(runtime.caller.timed(runtime.caller.request(path, "PATCH", body)))
        time.sleep(0.02)
    return taken


def _publishes(name: str, taken: list[float], rate: float) -> Line:
    detail: dict[str, Any] = {
        "p95": round(_p95(taken), 1),
        "max": round(max(taken), 1),
        "callers": CROWD if rate else 0,
        "polls_per_second": round(rate),
    }
    return line(f"publish_{name}_p50", statistics.median(taken), "ms", **detail)


# Two windows


def _live(runtime: WorkspaceRuntime) -> Line:
    """From one window's change of a flow to the moment another one of the same service hears of it."""
    taken = asyncio.run(_changes(runtime))
    return line(
        "change_seen_by_other_window_p50",
        statistics.median(taken),
        "ms",
        max=round(max(taken), 1),
        changes=CHANGES,
        target=1000,
    )


async def _changes(runtime: WorkspaceRuntime) -> list[float]:
    here, there = (RemoteBackend(runtime.service.address, runtime.key) for _ in range(2))
    heard: asyncio.Queue[float] = asyncio.Queue()
    watching = asyncio.create_task(_watch(there, heard))
    flow = await here.create_flow()
    taken = []
    try:
        async with asyncio.timeout(60):
            await heard.get()
            for number in range(CHANGES):
                while not heard.empty():
                    heard.get_nowait()
                start = time.perf_counter()
                await here.update_flow(flow.id, name=f"Changed {number}")
                taken.append((await heard.get() - start) * 1000)
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await here.close()
        await there.close()
    return taken


async def _watch(backend: RemoteBackend, heard: "asyncio.Queue[float]") -> None:
    async for change in backend.changes():
        if change.noun is ResourceType.FLOW:
            heard.put_nowait(time.perf_counter())


if __name__ == "__main__":
    bench_interface()
