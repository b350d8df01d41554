"""Workers on one database killed, frozen, and cut off: nothing is lost, and no finished step runs again."""

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from tests.acceptance.test_kill_service import Callers
from tests.support import flow_files as files
from tests.support.databases import PASSWORD, Postgres, running, why_no_postgres
from tests.support.forms import long_form
from tests.support.processes import Process, Service, program, run, until
from tests.support.sturdy_postgres import SturdyPostgres

from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.postgresql.connections import connect

pytestmark = [long_form, pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres() or "it runs")]

EVENTS = 200


@pytest.fixture
def server() -> Iterator[Postgres]:
    with running(SturdyPostgres) as found:
        yield cast(Postgres, found)


class Workers:
    """Three workers that share a data folder."""

    def __init__(self, data: Path, options: tuple[str, ...]) -> None:
        self._data, self._options, self._number = data, options, 0
        self.processes = [self._start() for _ in range(3)]

    def replace(self, index: int) -> None:
        """Kill a worker, and start another one."""
        self.processes[index].kill()
        self.processes[index] = self._start()

    def signal(self, index: int, number: signal.Signals) -> None:
        os.kill(self.processes[index].pid, number)

    def stop(self) -> None:
        for process in self.processes:
            process.kill()

    def _start(self) -> Process:
        self._number += 1
        said = self._data.with_name(f"worker-{self._number}.stderr")
        process = Process(program(*self._options, "worker", data=self._data), said)
        assert process._first_line() == "running flows\n", process.said
        return process


@pytest.mark.long
@pytest.mark.timeout(600)
def test_kills_freezes_and_outages_lose_no_event_and_repeat_no_finished_step(
    tmp_path: Path, server: Postgres
):
    address = PostgresAddress("127.0.0.1", server.port, "work", "ada", password=PASSWORD)
    data, chance = tmp_path / "data", random.Random(7)
    password = tmp_path / "password"
    password.touch(0o600)
    password.write_text(PASSWORD)
    options = ("--database", str(address), "--database-password-file", str(password))
    flow = files.flow(
        "Counted",
        files.catch(),
        files.trimmed(" {{step.#1.body.n}} "),
        files.trimmed(" {{step.#2}} "),
    )
    file = files.write(tmp_path / "flow.json", flow)
    [made] = run(program(*options, "flow", "import", file, "--publish", "--json", data=data)).json
    callers = Callers(f"/webhooks/flows/{made['id']}")
    service, workers = Service(data, *options).start(), Workers(data, options)
    try:
        callers.aim(service.address)
        for number in range(6):
            until(partial(callers.reached, EVENTS * (number + 1) // 6))
            match number:
                case 1:
                    workers.signal(0, signal.SIGSTOP)  # a zombie: its heartbeats are missing
                case 3:
                    server.stop()
                    server.start(tls=False)
                case _:
                    workers.replace(chance.randrange(1, 3))
        service.process.kill()
        callers.end()
        with connect(address) as connection:
            # Without the frozen worker, whose runs the others continue; then with it again.
            until(lambda: not connection.execute(UNFINISHED).fetchall(), seconds=120)
            workers.signal(0, signal.SIGCONT)
            until(lambda: connection.execute(ALIVE).fetchall() == [(3,)], seconds=120)
            rows = connection.execute(RECORDED).fetchall()
            repeated = connection.execute(REPEATED).fetchall()
            for process in workers.processes:
                process.stop(quiet=False)
            assert connection.execute(ALIVE).fetchall() == [(0,)]
    finally:
        callers.end()
        service.process.kill()
        workers.stop()

    counts = Counter(number for number, _ in rows)
    assert set(callers.acknowledged) <= set(counts)
    assert set(counts.values()) == {1}
    assert {status for _, status in rows} <= {"success", "failure"}
    assert repeated == []


UNFINISHED = "SELECT id FROM execution WHERE status IN ('queued', 'running', 'waiting')"
ALIVE = "SELECT count(*) FROM program"
RECORDED = """
SELECT (s.output::json -> 'body' ->> 'n')::int, e.status FROM execution e
JOIN execution_step s ON s.execution_id = e.id AND s.seq = 0
"""
REPEATED = """
SELECT execution_id, seq FROM execution_step WHERE status = 'success'
GROUP BY execution_id, seq HAVING count(*) > 1
"""
