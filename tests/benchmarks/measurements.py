"""What is measured end to end: each measurement drives a version of Patchbay from outside, as people do.

Each is a context manager that prepares a version and yields a function that measures once, so that two
versions can be measured alternately. Figures in `1/s` are better when higher, all others when lower.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.callers import Caller
from tests.benchmarks.data_folders import copy_executions, make_data_folder
from tests.benchmarks.lines import memory_mb
from tests.benchmarks.versions import Version

Figures = dict[str, float]
Measure = Callable[[], Figures]
Measurement = Callable[[Version, Path], AbstractContextManager[Measure]]

EXECUTIONS = 2_000
WARM_UP = 200
CONNECTIONS = 50
HISTORY = 20_000
FLOWS = 40
PAGES = 40
PACED_CALLS = 25
PER_SECOND = 5
HISTORY_PAGES = {
    "executions_list [ms]": "/v1/executions?limit=50",
    "executions_filter [ms]": "/v1/executions?name=Orders%207&status=success",
}
SETTLE_SECONDS = 2.0
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PROBE = Path(__file__).with_name("window_probe.py")


@dataclass
class RunningServer:
    """`patchbay serve` on a data folder, and an API key for it."""

    address: str
    pid: int
    key: str

    def connect(self) -> closing[Caller]:
        """A new connection, since the server closes those that it hasn't heard from for a minute."""
        return closing(Caller(self.address, self.key))

    def count(self) -> int:
        """The number of executions that have succeeded."""
        with self.connect() as caller:
            found = caller.data("/v1/executions", limit=1, status="success")
        return int(found["meta"]["count"])

    def wait_for_successes(self, count: int) -> float:
        """Wait until so many executions have succeeded; returns the time."""
        while self.count() < count:
            time.sleep(0.05)
        return time.time()


@contextmanager
def server(version: Version, data: Path, options: Sequence[str] = ()) -> Iterator[RunningServer]:
    """A running server of this version; the options name a database."""
    with serve_process(version, data, options) as (process, address):
        made = version.output(version.words("api-key", "create", "--json", data=data))
        yield RunningServer(address, process.pid, json.loads(made)["key"])


@contextmanager
def serve_process(
    version: Version, data: Path, options: Sequence[str] = ()
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process of a server, and its address once it listens."""
    process = version.start(version.words(*options, "serve", "--port", 0, data=data))
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        yield process, said.removeprefix("listening on ").strip()
    finally:
        end_process(process)


def end_process(process: "subprocess.Popen[str]") -> None:
    """Stop a process; it has half a minute for it."""
    process.terminate()
    try:
        process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def tree(pid: int) -> list[int]:
    """This process and all below it."""
    found = [pid]
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [each for child in path.read_text("ascii").split() for each in tree(int(child))]
    return found


def cpu_seconds(pid: int) -> float:
    """CPU time of this process so far, with its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


# Measurements


@contextmanager
def engine_only(version: Version, _: Path) -> Iterator[Measure]:
    """The engine in a process of its own, without HTTP, by the benchmark of the version itself."""

    def measure() -> Figures:
        said = version.output([str(version.python), "-m", "tests.benchmarks.bench_engine"])
        found = {item["name"]: item["value"] for item in map(json.loads, said.splitlines())}
        return {
            "engine_only [1/s]": found["executions_per_second"],
            "engine_only_cpu [ms]": found["cpu_ms_per_execution"],
        }

    yield measure


@contextmanager
def webhooks(version: Version, place: Path) -> Iterator[Measure]:
    """From a webhook call over HTTP to the stored end of its execution, as many as the server can take."""
    [flow_id] = make_data_folder(version, place / "data", 1)
    with server(version, place / "data") as running:
        url = f"{running.address}/webhooks/flows/{flow_id}"
        send_load(url, WARM_UP)
        running.wait_for_successes(WARM_UP)
        done = [WARM_UP]

        def measure() -> Figures:
            cpu = cpu_seconds(running.pid)
            sent = send_load(url, EXECUTIONS)
            done[0] += EXECUTIONS
            ended = running.wait_for_successes(done[0])
            return {
                "webhooks_accepted [1/s]": EXECUTIONS / (sent["ended"] - sent["started"]),
                "webhook_to_stored [1/s]": EXECUTIONS / (ended - sent["started"]),
                "webhook_to_stored_cpu [ms]": (cpu_seconds(running.pid) - cpu) * 1000 / EXECUTIONS,
            }

        yield measure


def send_load(url: str, count: int) -> dict[str, Any]:
    """Send so many calls from another process; all must be accepted."""
    words = [sys.executable, "-m", "tests.benchmarks.load", url, str(count), str(CONNECTIONS)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    sent: dict[str, Any] = json.loads(done.stdout)
    assert sent["statuses"] == {"204": count}, sent
    return sent


@contextmanager
def paced(version: Version, place: Path) -> Iterator[Measure]:
    """From sending a webhook call to the end of its execution, at five calls per second."""
    [flow_id] = make_data_folder(version, place / "data", 1)
    with server(version, place / "data") as running:
        url = f"/webhooks/flows/{flow_id}"

        def measure() -> Figures:
            before, sent = running.count(), []
            with running.connect() as caller:
                request = caller.request(url, "POST", {"customer": {"name": " Ada "}})
                for _ in range(PACED_CALLS):
                    sent.append(time.time() * 1000)
                    status, _, body = caller.send(request)
                    assert status == 204, body
                    time.sleep(1 / PER_SECOND)
                running.wait_for_successes(before + PACED_CALLS)
                found = caller.data("/v1/executions", limit=PACED_CALLS)["data"]
            ended = [item["finishedAt"] for item in reversed(found)]
            taken = [end - start for start, end in zip(sent, ended, strict=True)]
            return {
                "webhook_to_finished_p50 [ms]": statistics.median(taken),
                "webhook_to_finished_p95 [ms]": statistics.quantiles(taken, n=20)[-1],
            }

        yield measure


@contextmanager
def start_of_server(version: Version, place: Path) -> Iterator[Measure]:
    """A server without work: the time until it listens, and its memory after two seconds."""
    make_data_folder(version, place / "data", 1)

    def measure() -> Figures:
        start = time.perf_counter()
        with serve_process(version, place / "data") as (process, _):
            listening = time.perf_counter() - start
            time.sleep(SETTLE_SECONDS)
            memory = sum(map(memory_mb, tree(process.pid)))
        return {"serve_start [ms]": listening * 1000, "serve_idle_memory [MB]": memory}

    yield measure


@contextmanager
def window(version: Version, place: Path) -> Iterator[Measure]:
    """The window on this computer's workspace with 40 flows and a history: paint, rows, idle memory."""
    flows = make_data_folder(version, place / "data", FLOWS)
    with server(version, place / "data") as running:
        for flow_id in flows:
            send_load(f"{running.address}/webhooks/flows/{flow_id}", CONNECTIONS)
        running.wait_for_successes(len(flows) * CONNECTIONS)

    yield lambda: _window_figures(version, place / "data", "local", "window")


@contextmanager
def demo_window(version: Version, place: Path) -> Iterator[Measure]:
    """The window on the demo workspace, which it builds at its start."""
    yield lambda: _window_figures(version, place / "data", "demo", "demo_window")


@contextmanager
def open_window(
    version: Version, data: Path, workspace: str
) -> Iterator[tuple["subprocess.Popen[str]", Figures]]:
    """The process of a window whose list of flows has rows, and what it saw (`window_probe.py`)."""
    words = [str(version.python), str(_PROBE), str(time.time())]
    process = version.start([*words, "--data-dir", str(data), "--workspace", workspace])
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        end_process(process)


def _window_figures(version: Version, data: Path, workspace: str, name: str) -> Figures:
    with open_window(version, data, workspace) as (process, seen):
        time.sleep(2 * SETTLE_SECONDS)
        memory = sum(map(memory_mb, tree(process.pid)))
    return {
        f"{name}_first_paint [ms]": seen["first_paint_ms"],
        f"{name}_rows [ms]": seen["rows_ms"],
        f"{name}_rows_cpu [ms]": seen["cpu_ms"],
        f"{name}_idle_memory [MB]": memory,
    }


@contextmanager
def commands(version: Version, place: Path) -> Iterator[Measure]:
    """`patchbay app list`, as a process."""
    words = version.words("app", "list", "--json", data=place / "data")

    def measure() -> Figures:
        start, before = time.perf_counter(), os.times()
        version.output(words)
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return {"app_list [ms]": (time.perf_counter() - start) * 1000, "app_list_cpu [ms]": cpu * 1000}

    yield measure


@contextmanager
def history(version: Version, place: Path) -> Iterator[Measure]:
    """Executions over HTTP, with a history of 20,000: a page, a filtered one, and a search without match."""
    data = place / "data"
    flows = make_data_folder(version, data, FLOWS)
    with server(version, data) as running:
        for flow_id in flows:
            send_load(f"{running.address}/webhooks/flows/{flow_id}", CONNECTIONS)
        running.wait_for_successes(len(flows) * CONNECTIONS)
    copy_executions(data, HISTORY)
    with server(version, data) as running:

        def measure() -> Figures:
            with running.connect() as caller:
                medians = {name: _median_ms(caller, path) for name, path in HISTORY_PAGES.items()}
                return {**medians, "executions_search [ms]": _search(caller, "no such text")}

        yield measure


def _median_ms(caller: Caller, path: str) -> float:
    request = caller.request(path)
    return statistics.median(caller.timed(request) for _ in range(PAGES))


def _search(caller: Caller, text: str) -> float:
    """Milliseconds of a search through the whole history."""
    start, cursor = time.perf_counter(), None
    while True:
        query = {"text": text} if cursor is None else {"text": text, "cursor": cursor}
        cursor = caller.data("/v1/executions/search", **query)["data"]["nextCursor"]
        if cursor is None:
            return (time.perf_counter() - start) * 1000
