"""What one execution costs when several programs share PostgreSQL: the constants of docs/operate/capacity.md.

`python -m tests.benchmarks.shared_constants [EXECUTIONS]` starts PostgreSQL, which waits for the disk, a
server without runs, and a worker, sends webhooks, and prints one JSON line for each figure, with the speed of
the machine at that moment. The flow has 3 steps: webhook, formatter, filter.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import psycopg
from tests.benchmarks.lines import folder, line
from tests.support import flow_files as files
from tests.support.databases import PASSWORD, USER, Postgres, running
from tests.support.processes import Process, Service, program, run, until
from tests.support.sturdy_postgres import SturdyPostgres

from patchbay.storage.postgresql.address import PostgresAddress

EXECUTIONS = 3_000
WARM_UP = 300
CONNECTIONS = 16
KEPT = 1_000
_TICKS = os.sysconf("SC_CLK_TCK")
_COMMIT_SECONDS = 5

_STATEMENTS = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
_BYTES = """
SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
WHERE relname LIKE 'execution%' AND relkind = 'r'
"""
_WAL = "SELECT wal_bytes, wal_sync FROM pg_stat_wal"
_COMMITS = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
"""Each transaction that wrote has a number."""
_SEEN_EVENTS = 100_000
_REMEMBER = "INSERT INTO seen_event SELECT %s, gen_random_uuid()::text FROM generate_series(1, %s)"
_FINISHED = "SELECT count(*) FROM execution WHERE status = 'success'"


class CountingPostgres(SturdyPostgres):
    """Counts all statements."""

    def _command(self, *, tls: bool) -> list[str]:
        settings = ("shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=on")
        return [*super()._command(tls=tls), *(word for one in settings for word in ("-c", one))]

    def _furnish(self) -> None:
        super()._furnish()
        self.administer(f"ALTER ROLE {USER} SUPERUSER")
        self.sql("CREATE EXTENSION pg_stat_statements")

    @property
    def pid(self) -> int:
        """The process ID of the server."""
        assert self._process is not None
        return self._process.pid

    def commits_per_second(self, clients: int) -> float:
        """Commits of one row per second, measured with pgbench."""
        script = self.folder / "commit.sql"
        script.write_text("INSERT INTO commit_probe VALUES (1);\n")
        script.chmod(0o644)
        self.sql("CREATE TABLE IF NOT EXISTS commit_probe (value int)")
        words = [self._program("pgbench"), "-n", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER]
        words += ["-c", str(clients), "-T", str(_COMMIT_SECONDS), "-f", str(script), "work"]
        printed = self._run(words, {"PGPASSWORD": PASSWORD})
        found = next(text for text in printed.splitlines() if text.startswith("tps = "))
        return float(found.split()[2])


@dataclass(frozen=True)
class Counters:
    """What has been used up to a moment."""

    cpu: dict[str, float]
    statements: int
    table_bytes: int
    index_bytes: int
    wal_bytes: int
    syncs: int
    commits: int


def measure(executions: int = EXECUTIONS) -> None:
    """Print all constants."""
    with folder() as place, running(CountingPostgres) as found:
        server = cast(CountingPostgres, found)
        for clients in (1, 8, 32):
            line("postgresql_commits_per_s", server.commits_per_second(clients), "1/s", clients=clients)
        _measure_executions(server, place, executions)


def _measure_executions(server: CountingPostgres, place: Path, executions: int) -> None:
    address = PostgresAddress("127.0.0.1", server.port, "work", USER, password=PASSWORD)
    password = place / "password"
    password.touch(0o600)
    password.write_text(PASSWORD)
    options = ("--database", str(address), "--database-password-file", str(password))
    flow = files.flow(
        "Orders",
        files.catch(),
        files.trimmed(" {{step.#1.body.customer.name}} "),
        files.only_if("{{step.#2.output}}", "contains", "Ada"),
    )
    file = files.write(place / "flow.json", flow)
    words = (*options, "flow", "import", file, "--publish", "--json")
    [made] = run(program(*words, data=place / "serve")).json
    service = Service(place / "serve", *options, serve=("--no-runs",), fresh=True).start()
    worker = Process(program(*options, "worker", data=place / "worker"), place / "worker.log", fresh=True)
    try:
        url = f"{service.address}/webhooks/flows/{made['id']}"
        with psycopg.connect(server_conninfo(server), autocommit=True) as connection:
            pids = {"serve": service.process.pid, "worker": worker.pid, "postgresql": server.pid}
            post(url, WARM_UP)
            until(lambda: _finished(connection) == WARM_UP)
            before = _counters(connection, pids)
            started = time.perf_counter()
            accepted = post(url, executions)
            until(lambda: _finished(connection) == WARM_UP + executions, seconds=600)
            seconds = time.perf_counter() - started
            used = _counters(connection, pids)
            _print(before, used, executions, seconds, accepted)
            _print_deletion(service, connection, pids, used)
            _print_seen_events(connection, str(made["id"]))
    finally:
        worker.kill()
        service.process.kill()


def server_conninfo(server: Postgres) -> str:
    """How a client connects to the database."""
    return psycopg.conninfo.make_conninfo(
        host="127.0.0.1", port=server.port, dbname="work", user=USER, password=PASSWORD
    )


def post(url: str, count: int) -> float:
    """Send webhook requests from another process. Returns the requests per second."""
    words = [sys.executable, "-m", "tests.benchmarks.load", url, str(count), str(CONNECTIONS)]
    done = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert done["statuses"] == {"204": count}, done["statuses"]
    return float(count / (done["ended"] - done["started"]))


def _finished(connection: psycopg.Connection[tuple[int]]) -> int:
    row = connection.execute(_FINISHED).fetchone()
    assert row is not None
    return row[0]


def _counters(connection: psycopg.Connection[tuple[int]], pids: dict[str, int]) -> Counters:
    def rows(query: str) -> list[tuple[int, ...]]:
        return [tuple(row) for row in connection.execute(query.encode())]

    tables = rows(_BYTES)
    wal_bytes, syncs = rows(_WAL)[0]
    return Counters(
        {name: _cpu_seconds(pid) for name, pid in pids.items()},
        int(rows(_STATEMENTS)[0][0]),
        sum(int(table) for _, table, _ in tables),
        sum(int(index) for _, _, index in tables),
        int(wal_bytes),
        int(syncs),
        int(rows(_COMMITS)[0][0]),
    )


def _cpu_seconds(pid: int) -> float:
    """CPU seconds of a process, the children it has had, and those it has."""
    fields = _stat(pid)
    own = sum(map(int, fields[11:15]))
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return own / _TICKS + sum(_cpu_seconds(int(child)) for child in children)


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except FileNotFoundError:  # it has just ended
        return ["0"] * 15


def _print(before: Counters, after: Counters, executions: int, seconds: float, accepted: float) -> None:
    def each(name: str, value: float, unit: str, **detail: object) -> None:
        line(name, value / executions, unit, executions=executions, **detail)

    for part, spent in after.cpu.items():
        each(f"shared_cpu_ms_per_execution_{part}", (spent - before.cpu[part]) * 1000, "ms")
    each("shared_statements_per_execution", after.statements - before.statements, "")
    each("shared_commits_per_execution", after.commits - before.commits, "")
    each("shared_disk_waits_per_execution", after.syncs - before.syncs, "")
    each("shared_wal_bytes_per_execution", after.wal_bytes - before.wal_bytes, "bytes")
    each("shared_table_bytes_per_execution", after.table_bytes - before.table_bytes, "bytes")
    each("shared_index_bytes_per_execution", after.index_bytes - before.index_bytes, "bytes")
    rate: Callable[..., object] = line
    rate("shared_executions_per_s", executions / seconds, "1/s", workers=1)
    rate("shared_webhooks_per_s", accepted, "1/s", servers=1)


def _print_deletion(
    service: Service, connection: psycopg.Connection[tuple[int]], pids: dict[str, int], before: Counters
) -> None:
    """Delete nearly all executions, as the retention does."""
    stored = _finished(connection)
    assert service.command("engine", "settings", "--keep-most", KEPT).code == 0
    started = time.perf_counter()
    assert service.command("engine", "tidy").code == 0
    seconds = time.perf_counter() - started
    after, deleted = _counters(connection, pids), stored - _finished(connection)
    for part, spent in after.cpu.items():
        milliseconds = (spent - before.cpu[part]) * 1000 / deleted
        line(f"shared_cpu_ms_per_deletion_{part}", milliseconds, "ms", deleted=deleted)
    line("shared_deletions_per_s", deleted / seconds, "1/s", deleted=deleted)
    line("shared_wal_bytes_per_deletion", (after.wal_bytes - before.wal_bytes) / deleted, "bytes")


def _print_seen_events(connection: psycopg.Connection[tuple[int]], flow_id: str) -> None:
    """What the ID of an event takes after its execution was deleted."""
    connection.execute(_REMEMBER, (flow_id, _SEEN_EVENTS))
    row = connection.execute("SELECT pg_total_relation_size('seen_event')").fetchone()
    assert row is not None
    line("shared_bytes_per_remembered_event", row[0] / _SEEN_EVENTS, "bytes", events=_SEEN_EVENTS)


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else EXECUTIONS)
