"""The service killed with calls on their way: what was acknowledged is there, once, and was run."""

import itertools
import random
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path

import httpx
import pytest
from tests.support import flow_files as files
from tests.support.forms import in_forms, long_form
from tests.support.processes import Interface, Service, program, run, until

from patchbay.engine.step_errors import STOPPED_TWICE

pytestmark = long_form

CALLERS = 4


class Callers:
    """Threads that call a webhook, each event with a number of its own, and note the acknowledged ones."""

    def __init__(self, path: str) -> None:
        self._path, self._numbers = path, itertools.count()
        self._address: str | None = None
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._call) for _ in range(CALLERS)]
        self.acknowledged: list[int] = []
        for thread in self._threads:
            thread.start()

    def aim(self, address: str) -> None:
        self._address = address

    def reached(self, count: int) -> bool:
        return len(self.acknowledged) >= count

    def end(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _call(self) -> None:
        with httpx.Client(timeout=10) as http:
            while not self._end.is_set():
                if self._address is None:
                    self._end.wait(0.01)
                    continue
                number = next(self._numbers)
                try:
                    answer = http.post(self._address + self._path, json={"n": number})
                except httpx.TransportError:
                    self._end.wait(0.01)
                    continue
                if answer.status_code == 204:
                    self.acknowledged.append(number)


@pytest.mark.long
@pytest.mark.timeout(180)
@pytest.mark.parametrize("kills", in_forms([3, 10], short=[3]))
def test_kills_lose_no_acknowledged_call_and_double_none(tmp_path: Path, kills: int):
    data, chance = tmp_path / "data", random.Random(3)
    flow = files.flow("Counted", files.catch(), files.trimmed(" {{step.#1.body.n}} "))
    file = files.write(tmp_path / "flow.json", flow)
    [made] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    callers = Callers(f"/webhooks/flows/{made['id']}")
    try:
        for _ in range(kills):
            service = Service(data).start()
            callers.aim(service.address)
            goal = len(callers.acknowledged) + chance.randint(5, 80)
            until(partial(callers.reached, goal))
            service.process.kill()
    finally:
        callers.end()
    finish(data, kills)

    runs = recorded(data)
    counts = Counter(number for number, _, retried in runs if not retried)
    assert set(callers.acknowledged) <= set(counts)
    assert set(counts.values()) == {1}
    assert {number for number, status, _ in runs if status == "success"} == set(counts)


def finish(data: Path, kills: int) -> None:
    """Let the service work off what is left, and retry what ran during two of the kills.

    The service suspects such a step of being the cause. It tries one
    suspect at a time, so there is one for each kill at most.
    """
    with Service(data) as service:
        interface = Interface(service)

        def idle() -> bool:
            health = interface.data("/v1/health")
            return not health["queued"] and not health["running"]

        until(idle)
        suspects = interface.data("/v1/executions", status="failure")
        assert len(suspects) < kills
        for suspect in suspects:
            assert interface.steps(suspect["id"])[-1]["errorDetails"]["kind"] == STOPPED_TWICE
            assert interface.http.post(f"/v1/executions/{suspect['id']}/retry").status_code == 202
        until(idle)
        interface.close()


def recorded(data: Path) -> list[tuple[int, str, bool]]:
    """(number, state, whether it is a retry) of every execution, from a database that must be whole."""
    with closing(sqlite3.connect(data / "patchbay.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return db.execute(
            "SELECT json_extract(s.output, '$.body.n'), e.status, e.origin_id IS NOT NULL FROM execution e"
            " JOIN execution_step s ON s.execution_id = e.id AND s.seq = 0"
        ).fetchall()
