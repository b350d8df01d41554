"""Service and database server killed with calls on their way: what was acknowledged is there, once."""

import random
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
from tests.support.processes import Interface, Service, program, run, until
from tests.support.sturdy_postgres import SturdyPostgres

from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.postgresql.connections import connect

pytestmark = [long_form, pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres() or "it runs")]

KILLS = 12


@pytest.fixture
def server() -> Iterator[Postgres]:
    with running(SturdyPostgres) as found:
        yield cast(Postgres, found)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_kills_of_service_and_database_lose_no_acknowledged_call_and_double_none(
    tmp_path: Path, server: Postgres
):
    address = PostgresAddress("127.0.0.1", server.port, "work", "ada", password=PASSWORD)
    data, chance = tmp_path / "data", random.Random(5)
    password = tmp_path / "password"
    password.touch(0o600)
    password.write_text(PASSWORD)
    options = ("--database", str(address), "--database-password-file", str(password))
    flow = files.flow("Counted", files.catch(), files.trimmed(" {{step.#1.body.n}} "))
    file = files.write(tmp_path / "flow.json", flow)
    [made] = run(program(*options, "flow", "import", file, "--publish", "--json", data=data)).json
    callers = Callers(f"/webhooks/flows/{made['id']}")
    service = Service(data, *options).start()
    try:
        for number in range(KILLS):
            callers.aim(service.address)
            until(partial(callers.reached, len(callers.acknowledged) + chance.randint(5, 60)))
            if number % 2:
                server.stop()
                server.start(tls=False)
            else:
                service.process.kill()
                service = Service(data, *options).start()
    finally:
        callers.end()
        service.process.kill()
    suspects = finish(data, options)

    with connect(address) as connection:
        rows = connection.execute(RECORDED).fetchall()
    counts = Counter(number for number, _, retried in rows if not retried)
    assert set(callers.acknowledged) <= set(counts)
    assert set(counts.values()) == {1}
    assert {number for number, status, _ in rows if status == "success"} == set(counts)
    assert suspects <= KILLS


RECORDED = """
SELECT (s.output::json -> 'body' ->> 'n')::int, e.status, e.origin_id IS NOT NULL FROM execution e
JOIN execution_step s ON s.execution_id = e.id AND s.seq = 0
"""


def finish(data: Path, options: tuple[str, ...]) -> int:
    """Let the service work off what is left, and retry what it suspects of having crashed it."""
    with Service(data, *options) as service:
        interface = Interface(service)

        def idle() -> bool:
            health = interface.data("/v1/health")
            return not health["queued"] and not health["running"]

        until(idle)
        suspects = interface.data("/v1/executions", status="failure")
        for suspect in suspects:
            assert interface.http.post(f"/v1/executions/{suspect['id']}/retry").status_code == 202
        until(idle)
        interface.close()
    return len(suspects)
