"""What is measured end to end with PostgreSQL beside a file: the operations of the Executions tab over a long
history, accepting webhooks, and workers.

The server is one of its own with the settings of its packages; it waits for the disk, as SQLite does.
"""

import sqlite3
import statistics
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from os import environ
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
from tests.benchmarks.callers import Caller
from tests.benchmarks.data_folders import DATABASE, DAYS, copy_executions, make_data_folder
from tests.benchmarks.load import BODY
from tests.benchmarks.measurements import (
    FLOWS,
    Figures,
    Measure,
    RunningServer,
    end_process,
    send_load,
    server,
)
from tests.benchmarks.versions import Version
from tests.support.databases import DATABASE as POSTGRES_DATABASE
from tests.support.databases import PASSWORD, USER, running
from tests.support.sturdy_postgres import SturdyPostgres

EXECUTIONS = int(environ.get("PATCHBAY_BENCH_LONG", "1000000"))
PAGES = 20
SEARCHES = 10
"""Requests of one search, each of which the server ends after 0.15 s."""
BACKLOG = 2_000
WORKERS = (1, 2, 4)
_ORIGINALS = 10
_DAY_MS = 86_400_000
_EXECUTIONS = "/v1/executions"
_KEEP_ALL = ("--keep-successes", "forever", "--keep-failures", "forever", "--keep-most", "all")
_FINISHED = (
    "SELECT count(*), min(started_at), max(finished_at) FROM execution"
    " WHERE flow_id = {0} AND started_at >= {0} AND status = 'success'"
)

Finished = tuple[int, int, int]
"""How many executions have succeeded, when the first of them began, and when the last one ended."""

Operation = Callable[[Caller], float]
"""Measures an operation once; returns milliseconds."""


class PostgresWorkspace:
    """An empty database, and the options with which commands use it."""

    def __init__(self, database: SturdyPostgres, place: Path) -> None:
        password = place / "password"
        password.touch(0o600)
        password.write_text(PASSWORD)
        self._port = database.port
        self.address = f"postgresql://{USER}@127.0.0.1:{database.port}/{POSTGRES_DATABASE}"
        self.password_option = ("--database-password-file", str(password))
        self.options = ("--database", self.address, *self.password_option)

    def connect(self) -> "psycopg.Connection[tuple[Any, ...]]":
        """A connection of its own, to look at what is stored."""
        return psycopg.connect(
            host="127.0.0.1", port=self._port, dbname=POSTGRES_DATABASE, user=USER, password=PASSWORD
        )


@contextmanager
def _postgres_workspace(place: Path) -> Iterator[PostgresWorkspace]:
    with running(SturdyPostgres) as database:
        assert isinstance(database, SturdyPostgres)
        yield PostgresWorkspace(database, place)


# The Executions tab


@contextmanager
def postgresql(version: Version, place: Path) -> Iterator[Measure]:
    """The operations of the Executions tab over HTTP, with the same million executions on both databases."""
    data, other = place / "data", place / "other"
    _make_long_history(version, data)
    with ExitStack() as stack:
        workspace = stack.enter_context(_postgres_workspace(place))
        move = ("move", "--from", data, "--to", workspace.address)
        version.output(version.words(*workspace.password_option, *move, data=other))
        (data / "moved.json").unlink()  # both copies are only read
        servers = {
            "sqlite": stack.enter_context(server(version, data)),
            "postgresql": stack.enter_context(server(version, other, workspace.options)),
        }
        yield lambda: _compare(servers)


def _make_long_history(version: Version, data: Path) -> None:
    flows = make_data_folder(version, data, FLOWS)
    with server(version, data) as first:
        with first.connect() as caller:
            for flow_id in flows:
                request = caller.request(f"/webhooks/flows/{flow_id}", "POST", BODY)
                for _ in range(_ORIGINALS):
                    caller.timed(request)
        first.wait_for_successes(len(flows) * _ORIGINALS)
    copy_executions(data, EXECUTIONS)
    version.output(version.words("engine", "settings", *_KEEP_ALL, data=data))
    version.output(version.words("engine", "tidy", data=data))  # adds up the counters, as it does every hour


def _compare(servers: dict[str, RunningServer]) -> Figures:
    """All operations on both servers in turn, so that what else the machine does affects both."""
    with ExitStack() as stack:
        callers = {name: stack.enter_context(each.connect()) for name, each in servers.items()}
        operations = {name: _operations(caller) for name, caller in callers.items()}
        figures: Figures = {}
        for operation in operations["sqlite"]:
            taken: dict[str, list[float]] = {name: [] for name in callers}
            for _ in range(SEARCHES if operation == "search_1000" else PAGES):
                for name, caller in callers.items():
                    taken[name].append(operations[name][operation](caller))
            medians = {name: statistics.median(values) for name, values in taken.items()}
            figures |= {f"{operation}_{name} [ms]": ms for name, ms in medians.items()}
            figures[f"{operation}_postgresql_to_sqlite [ratio]"] = medians["postgresql"] / medians["sqlite"]
    return figures


def _operations(caller: Caller) -> dict[str, Operation]:
    """What the Executions tab requests."""
    newest = caller.data(_EXECUTIONS, limit=50)
    [some] = caller.data(_EXECUTIONS, limit=1, name="Orders 7")["data"]
    now = time.time_ns() // 1_000_000
    week = {"startDateTime": now - 20 * _DAY_MS - 4_567_890, "endDateTime": now - 13 * _DAY_MS - 1_234_567}
    bars = {"start": now - DAYS * _DAY_MS, "end": now, "bars": 60}
    deep = caller.data(_EXECUTIONS, limit=50, page=EXECUTIONS // 100)["meta"]["nextCursor"]
    pages: dict[str, dict[str, Any]] = {
        "first_page": {},
        "next_page": {"cursor": newest["meta"]["nextCursor"]},
        "deep_page": {"page": EXECUTIONS // 100},
        "deep_cursor": {"cursor": deep},
        "successes": {"status": "success"},
        "failures": {"status": "failure"},
        "filtered": {"states": "filtered"},
        "unfinished": {"states": ["queued", "running", "waiting"]},
        "flow": {"flowId": some["flow"]["id"]},
        "flow_failures": {"flowId": some["flow"]["id"], "status": "failure"},
        "flow_name": {"name": "Orders 1", "status": "success"},
        "week": week,
        "note": {"note": "no such text", **week},
    }
    paths = {name: _path(_EXECUTIONS, limit=50, **query) for name, query in pages.items()}
    paths |= {
        "counts": _path(f"{_EXECUTIONS}/counts"),
        "counts_of_week": _path(f"{_EXECUTIONS}/counts", **week),
        "histogram": _path(f"{_EXECUTIONS}/histogram", **bars),
        "histogram_of_flow": _path(f"{_EXECUTIONS}/histogram", **bars, flowId=some["flow"]["id"]),
        "one_execution": f"{_EXECUTIONS}/{some['id']}",
        "its_steps": f"{_EXECUTIONS}/{some['id']}/execution-steps",
    }
    operations = {name: _timed(caller.request(path)) for name, path in paths.items()}
    return {**operations, "search_1000": _Search().next_part}


def _timed(request: bytes) -> Operation:
    return lambda caller: caller.timed(request)


def _path(path: str, **query: Any) -> str:
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


class _Search:
    """A search without results, newest executions first, a part with each request."""

    def __init__(self) -> None:
        self._cursor: str | None = None

    def next_part(self, caller: Caller) -> float:
        """Milliseconds for each 1,000 executions that were searched."""
        more = {} if self._cursor is None else {"cursor": self._cursor}
        start = time.perf_counter()
        part = caller.data(f"{_EXECUTIONS}/search", text="no such text", **more)["data"]
        taken = (time.perf_counter() - start) * 1000
        self._cursor = part["nextCursor"]
        return taken * 1000 / part["searched"]


# Workers


@contextmanager
def workers(version: Version, place: Path) -> Iterator[Measure]:
    """Accepting webhooks while all runs are paused, and then running them: in a file, and by workers."""
    data, other = place / "data", place / "other"
    [flow_id] = make_data_folder(version, data, 1)
    with _postgres_workspace(place) as workspace:
        flows = dict(
            zip(WORKERS, make_data_folder(version, other, len(WORKERS), workspace.options), strict=True)
        )
        shared = _Backlogs(version, other, workspace)

        def measure() -> Figures:
            accepted, embedded = _run_in_file(version, data, flow_id)
            accepted_there = shared.accept(flows.values())
            figures = {
                "accepted_sqlite [1/s]": accepted,
                "accepted_postgresql [1/s]": accepted_there,
                "accepted_postgresql_to_sqlite [ratio]": accepted_there / accepted,
                "runs_embedded [1/s]": embedded,
            }
            for count, flow in flows.items():
                rate = shared.run(flow, count)
                name = f"runs_{count}_worker{'s' if count > 1 else ''}"
                figures |= {f"{name} [1/s]": rate, f"{name}_to_embedded [ratio]": rate / embedded}
            return figures

        yield measure


def _run_in_file(version: Version, data: Path, flow_id: str) -> tuple[float, float]:
    """Webhooks accepted per second, and executions run per second, by a server that does both."""

    def finished(since: int) -> Finished:
        with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as db:
            found: Finished = db.execute(_FINISHED.format("?"), (flow_id, since)).fetchone()
        return found

    with server(version, data) as started:
        version.output(version.words("engine", "pause", data=data))
        accepted = _accept(started, flow_id)
        since = time.time_ns() // 1_000_000
        version.output(version.words("engine", "resume", data=data))
        return accepted, _wait_for_backlog(lambda: finished(since))


class _Backlogs:
    """Accepted executions of several flows on PostgreSQL, each of which some workers run."""

    def __init__(self, version: Version, data: Path, workspace: PostgresWorkspace) -> None:
        self._version, self._data, self._workspace = version, data, workspace

    def accept(self, flows: Collection[str]) -> float:
        """Accept a backlog for each flow, by a server that doesn't run them; returns webhooks per second."""
        self._command("engine", "pause")
        with server(self._version, self._data, self._workspace.options) as started:
            return statistics.fmean([_accept(started, flow_id) for flow_id in flows])

    def run(self, flow_id: str, count: int) -> float:
        """Run the backlog of a flow by so many workers; returns executions per second."""
        words = ("worker", "--flow", flow_id)
        with ExitStack() as stack:
            for _ in range(count):
                stack.enter_context(self._worker(*words))
            since = time.time_ns() // 1_000_000
            self._command("engine", "resume")
            with self._workspace.connect() as db:
                db.autocommit = True
                rate = _wait_for_backlog(lambda: self._finished(db, flow_id, since))
            self._command("engine", "pause")
        return rate

    @contextmanager
    def _worker(self, *words: str) -> Iterator[None]:
        process = self._version.start(self._version.words(*self._workspace.options, *words, data=self._data))
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "running flows\n"
            yield
        finally:
            end_process(process)

    @staticmethod
    def _finished(db: "psycopg.Connection[Any]", flow_id: str, since: int) -> Finished:
        found: Finished | None = db.execute(_FINISHED.format("%s").encode(), (flow_id, since)).fetchone()
        assert found is not None
        return found

    def _command(self, *words: str) -> None:
        self._version.output(self._version.words(*self._workspace.options, *words, data=self._data))


def _accept(started: RunningServer, flow_id: str) -> float:
    """Send a backlog of webhooks; returns how many were accepted per second."""
    sent = send_load(f"{started.address}/webhooks/flows/{flow_id}", BACKLOG)
    return BACKLOG / float(sent["ended"] - sent["started"])


def _wait_for_backlog(finished: Callable[[], Finished]) -> float:
    """Wait until a backlog has run; returns executions per second, from the first start to the last end."""
    while (found := finished())[0] < BACKLOG:
        time.sleep(0.1)
    count, start, end = found
    return count * 1000 / (end - start)
