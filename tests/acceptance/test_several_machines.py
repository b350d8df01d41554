"""The page “Several machines”, carried out: every part restarts under load, and nothing is lost."""

import itertools
import re
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

import httpx
import pytest
from tests.support import flow_files as files
from tests.support.compose_parts import HOST, ComposePostgres, Machines, blocks, machines
from tests.support.databases import running, why_no_postgres
from tests.support.forms import long_form
from tests.support.processes import until

OPERATE = Path(__file__).resolve().parents[2] / "docs" / "operate"
PAGE, RECOVERY = OPERATE / "several-machines.md", OPERATE / "point-in-time-recovery.md"
SENDERS = 3
PAUSE_SECONDS = 0.1
LEAST_EVENTS = 200

pytestmark = [
    long_form,
    pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres() or "it runs"),
    pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed (Debian: caddy)"),
]


class Shop:
    """A third party that notes which orders it got."""

    def __init__(self) -> None:
        self.orders: list[int] = []
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                shop.orders.append(int(self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/orders"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Senders:
    """Threads that send events through the proxy, each until it is accepted, as services do.

    `failures` has the answers that made them send an event again, with the step during which they came.
    """

    def __init__(self, address: str) -> None:
        self._address, self._numbers = address, itertools.count()
        self._end = threading.Event()
        self.step = ""
        self.sent: list[int] = []
        self.failures: list[tuple[str, str]] = []
        self._threads = [threading.Thread(target=self._send) for _ in range(SENDERS)]
        for thread in self._threads:
            thread.start()

    def reached(self, count: int) -> bool:
        return len(self.sent) >= count

    def end(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _send(self) -> None:
        with httpx.Client(timeout=60, headers={"host": HOST}) as http:
            while not self._end.is_set():
                number = next(self._numbers)
                while problem := self._post(http, number):
                    self.failures.append((self.step, problem))
                    self._end.wait(PAUSE_SECONDS)
                self.sent.append(number)
                self._end.wait(PAUSE_SECONDS)

    def _post(self, http: httpx.Client, number: int) -> str:
        """Send one event; empty if it was accepted, otherwise what was wrong."""
        try:
            response = http.post(self._address, json={"n": number}, headers={"webhook-id": f"event-{number}"})
        except httpx.TransportError as error:
            return type(error).__name__
        return "" if response.status_code == 204 else f"{response.status_code} {response.text[:200]}"


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Machines]:
    with running(ComposePostgres) as database, machines(tmp_path, cast(ComposePostgres, database)) as found:
        yield found


@pytest.fixture
def shop() -> Iterator[Shop]:
    found = Shop()
    yield found
    found.close()


def set_up(parts: Machines, flow: files.Document) -> tuple[str, httpx.Client]:
    """Carry out the page up to the API key, and publish a flow. Returns its ID, and a client of the proxy."""
    setting_up, making_a_key, *_ = blocks(PAGE)
    for line in setting_up:
        parts.carry_out(line)
    made = parts.carry_out(f"{making_a_key[0]} --json").json
    file = files.write(parts.folder / "flow.json", flow)
    words = f"docker compose exec serve-1 patchbay --data-dir /var/lib/patchbay flow import {file}"
    [published] = parts.carry_out(f"{words} --publish --json").json
    headers = {"host": HOST, "x-api-token": str(made["key"])}
    return str(published["id"]), httpx.Client(base_url=parts.address, headers=headers, timeout=60)


UNFINISHED = "SELECT id FROM execution WHERE status IN ('queued', 'running', 'waiting')"
RECORDED = """
SELECT (s.output::json -> 'body' ->> 'n')::int, e.status FROM execution e
JOIN execution_step s ON s.execution_id = e.id AND s.seq = 0
"""
REPEATED = """
SELECT execution_id, seq FROM execution_step WHERE status = 'success'
GROUP BY execution_id, seq HAVING count(*) > 1
"""


@pytest.mark.long
@pytest.mark.timeout(900)
def test_every_part_restarts_under_load_and_each_event_runs_exactly_once(parts: Machines, shop: Shop):
    flow = files.flow(
        "Orders",
        files.catch(),
        files.trimmed(" {{step.#1.body.n}} "),
        files.request("POST", shop.address, "{{step.#2.output}}"),
    )
    flow_id, client = set_up(parts, flow)
    senders = Senders(f"{parts.address}/webhooks/flows/{flow_id}")
    try:
        _, _, rolling, once, *_ = blocks(PAGE)
        for step in (*rolling, *once):
            senders.step = step
            until(partial(senders.reached, len(senders.sent) + 20))
            parts.carry_out(step)
        senders.step = ""
        until(partial(senders.reached, max(LEAST_EVENTS, len(senders.sent) + 20)))
    finally:
        senders.end()
    until(lambda: not parts.database.query(UNFINISHED))

    recorded = parts.database.query(RECORDED)
    assert Counter(int(number) for number, _ in recorded) == Counter(senders.sent)
    assert {status for _, status in recorded} == {"success"}
    assert Counter(shop.orders) == Counter(senders.sent)
    assert parts.database.query(REPEATED) == []
    assert [failure for failure in senders.failures if failure[0] not in once] == []
    client.close()


def counted() -> files.Document:
    """A flow that needs no third party."""
    return files.flow("Counted", files.catch(), files.trimmed(" {{step.#1.body.n}} "))


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_proxy_passes_on_event_streams_limits_bodies_and_names_the_client_itself(parts: Machines):
    flow_id, client = set_up(parts, counted())
    webhook = f"/webhooks/flows/{flow_id}"

    with client.stream("GET", "/v1/events") as stream:
        lines = stream.iter_lines()
        next(lines)  # it is open
        assert client.post(webhook, json={"n": 1}).status_code == 204
        seen = next(line for line in lines if '"execution"' in line)
    assert client.post(webhook, content=b"x" * 9_000_000).status_code == 204
    assert client.post(webhook, content=b"x" * 12_000_000).status_code == 413
    fake = {"x-forwarded-for": "203.0.113.9"}
    made = client.post("/v1/folders", json={"name": "Fresh"}, headers=fake)
    newest = client.get("/v1/audit").json()["data"][0]

    assert seen.startswith("data:")
    assert made.status_code < 300
    assert (newest["subject"], newest["actor"]["address"]) == ("Fresh", "127.0.0.1")
    client.close()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_moment_between_two_events_is_restored_from_the_archive(parts: Machines):
    flow_id, client = set_up(parts, counted())
    backing_up, stopping, starting, resuming = blocks(RECOVERY)

    def finish(*numbers: int) -> None:
        for number in numbers:
            assert client.post(f"/webhooks/flows/{flow_id}", json={"n": number}).status_code == 204
        until(lambda: not parts.database.query(UNFINISHED))

    for line in backing_up:
        parts.carry_out(line)
    finish(1, 2, 3)
    [[moment]] = parts.database.query("SELECT now()")
    finish(4, 5)
    for line in stopping:
        parts.carry_out(line)
    [lines] = re.findall(r"```sql\n(.*?)```", RECOVERY.read_text("utf-8"), re.DOTALL)
    parts.database.restore(re.sub(r"'[^']*\+00'", f"'{moment}'", lines))
    for line in starting:
        parts.carry_out(line)

    recorded = parts.database.query(RECORDED)
    assert sorted(int(number) for number, _ in recorded) == [1, 2, 3]
    assert client.get("/v1/engine").json()["data"]["health"]["state"] == "paused"
    for line in resuming:
        parts.carry_out(line)
    finish(6)
    assert len(parts.database.query(RECORDED)) == 4
    client.close()
