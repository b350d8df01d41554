"""A worker loses its network in the middle of a step: another one continues the run in the promised time."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

import httpx
import pytest
from tests.support import flow_files as files
from tests.support.cut_off_network import HERE, cut_off_network, forwarded, why_no_networks
from tests.support.databases import PASSWORD, Postgres, running, why_no_postgres
from tests.support.forms import long_form
from tests.support.processes import Process, Service, program, run, until
from tests.support.sturdy_postgres import SturdyPostgres

from patchbay.storage.postgresql.address import PostgresAddress
from patchbay.storage.postgresql.connections import connect

pytestmark = [
    long_form,
    pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres() or "it runs"),
    pytest.mark.skipif(bool(why_no_networks()), reason=why_no_networks() or "they can"),
]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operate" / "postgresql.md"
BUSY_FACTOR = 3
"""How much longer it may take on a computer that is busy with other tests."""

LAST_SEEN = "SELECT seen_at FROM program WHERE id = (SELECT left(run_token, 12) FROM execution)"
STARTED = "SELECT started_at FROM execution_step WHERE seq = 1"
FINISHED = "SELECT status, attempts FROM execution WHERE finished_at IS NOT NULL"
ALIVE = "SELECT count(*) FROM program"


class Shop:
    """Keeps its first caller waiting until `release`, and responds to the others at once."""

    def __init__(self) -> None:
        self.requests = 0
        self.release = threading.Event()
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                shop.requests += 1
                if shop.requests == 1:
                    shop.release.wait()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer((HERE, 0), Handler)
        self.address = f"http://{HERE}:{self._server.server_port}/stock"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Postgres]:
    with running(SturdyPostgres) as found:
        yield cast(Postgres, found)


def start_worker(words: list[str], said: Path) -> Process:
    process = Process(words, said)
    assert process._first_line() == "running flows\n", process.said
    return process


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_worker_that_is_cut_off_is_replaced_in_time_and_its_late_result_is_not_stored(
    tmp_path: Path, server: Postgres
):
    [promised] = re.findall(
        r"gone, the others continue its runs within (\d+) seconds", PAGE.read_text("utf-8")
    )
    password = tmp_path / "password"
    password.touch(0o600)
    password.write_text(PASSWORD)

    def options(host: str, port: int) -> tuple[str, ...]:
        url = f"postgresql://ada@{host}:{port}/work"
        return "--database", url, "--database-password-file", str(password)

    near = options("127.0.0.1", server.port)
    workers: list[Process] = []
    with cut_off_network() as network, forwarded(server.port) as port:
        shop = Shop()
        request = files.request("GET", shop.address)
        request["parameters"]["timeout"] = "300"
        file = files.write(tmp_path / "flow.json", files.flow("Stock", files.catch(), request))
        words = program(*near, "flow", "import", file, "--publish", "--json", data=tmp_path / "data")
        [made] = run(words).json
        with Service(tmp_path / "data", *near, serve=["--no-runs"]) as service:
            try:
                far = program(*options(HERE, port), "worker", data=tmp_path / "cut-off")
                workers.append(start_worker(network.command(far), tmp_path / "cut-off.stderr"))
                assert httpx.post(f"{service.address}/webhooks/flows/{made['id']}").status_code == 204
                until(lambda: shop.requests == 1)
                network.cut()
                with connect(
                    PostgresAddress("127.0.0.1", server.port, "work", "ada", password=PASSWORD)
                ) as db:
                    [(seen_at,)] = db.execute(LAST_SEEN).fetchall()
                    words = program(*near, "worker", data=tmp_path / "other")
                    workers.append(start_worker(words, tmp_path / "other.stderr"))
                    until(lambda: db.execute(FINISHED).fetchall(), seconds=300)
                    [(started_at,)] = db.execute(STARTED).fetchall()
                    finished = db.execute(FINISHED).fetchall()

                    network.connect()
                    shop.release.set()
                    until(lambda: db.execute(ALIVE).fetchall() == [(3,)], seconds=300)
                    workers[0].stop(quiet=False)
                    after = db.execute(FINISHED).fetchall(), db.execute(STARTED).fetchall()[0][0]
            finally:
                for worker in workers:
                    worker.kill()
                shop.close()

    assert finished == [("success", 2)]
    assert after == (finished, started_at)
    assert shop.requests == 2
    assert started_at - seen_at <= int(promised) * 1000 * BUSY_FACTOR
