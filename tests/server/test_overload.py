"""More callers than the service takes: it stays calm, the interface is reached, and it recovers."""

import asyncio
import os
import socket
import ssl
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.support import patient
from tests.support.certificates import write_certificates
from tests.support.contract_workspaces import served
from tests.support.forms import long_form
from tests.support.patience import PATIENCE
from tests.support.processes import Process, program, until
from tests.support.workspace import CATCH, PASS

from patchbay.domain.ports import WebhookResponse
from patchbay.server.app import create_app
from patchbay.server.connection_limits import ConnectionLimits
from patchbay.server.listener import HttpListener, tls_context


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@long_form
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and the shell's ulimit")
def test_with_few_descriptors_too_many_callers_cost_little_and_it_serves_again(tmp_path):
    limited = ["sh", "-c", 'ulimit -n 72 && exec "$@"', "sh"]
    process = Process([*limited, *program("serve", "--port", 0, data=tmp_path / "data")], tmp_path / "said")
    try:
        address = process.listening()
        port = urlsplit(address).port
        with ExitStack() as held:
            began, used = time.monotonic(), _processor_seconds(process.pid)
            for _ in range(200):
                caller = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
                with suppress(OSError):
                    caller.sendall(b"GET /healthcheck HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            time.sleep(3)  # measured over a span of time, there is nothing to wait for
            used, lasted = _processor_seconds(process.pid) - used, time.monotonic() - began
            log_bytes = sum(file.stat().st_size for file in (tmp_path / "data").rglob("*.log*"))
        answered = until(lambda: _health(address))
    finally:
        process.kill()

    assert used < 0.5 * lasted
    assert log_bytes < 100_000
    assert len(process.said) < 100_000
    assert answered == 200


def _health(address: str) -> int:
    with suppress(httpx.HTTPError):
        return httpx.get(f"{address}/healthcheck", timeout=5).status_code
    return 0


async def test_calls_that_wait_for_their_flow_leave_the_interface_and_other_webhooks_free(
    runtime, webhook_flow, monkeypatch
):
    limits = ConnectionLimits(connections=64)
    waiting, go_on = 0, asyncio.Event()
    deliver = runtime.engine.deliver

    async def held(*args: object, synchronous: bool, **named: Any) -> WebhookResponse:
        nonlocal waiting
        if not synchronous:
            return await deliver(*args, synchronous=synchronous, **named)
        waiting += 1
        await go_on.wait()
        return WebhookResponse(status=200, body="late")

    monkeypatch.setattr(runtime.engine, "deliver", held)
    other = await runtime.skipped(await runtime.flow(CATCH, PASS))
    await runtime.backend.publish_flow(other.id)
    addresses = [f"/webhooks/flows/{flow.id}" for flow in (webhook_flow, other)]
    many = httpx.Limits(max_connections=None)
    async with (
        served(runtime, limits=limits) as service,
        patient.AsyncClient(base_url=service.base_url, limits=many) as senders,
        patient.AsyncClient(base_url=service.base_url, headers={"x-api-token": service.key}) as person,
    ):
        # one flow gets only half of what may wait
        calls = [asyncio.create_task(senders.post(f"{addresses[n % 2]}/sync")) for n in range(100)]
        async with asyncio.timeout(PATIENCE):
            # the others are refused, or give way before they said what they want
            over, left = set[asyncio.Task[httpx.Response]](), set(calls)
            while len(left) > limits.max_webhooks:
                ended, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
                over |= ended
        early = [call.result() for call in over if call.exception() is None]
        flows = [(await person.get("/v1/flows")).status_code for _ in range(5)]
        started = (await person.post(addresses[0], json={})).status_code
        go_on.set()
        answers = await asyncio.gather(*calls, return_exceptions=True)

    assert waiting == limits.max_webhooks
    assert {(answer.status_code, answer.headers["retry-after"]) for answer in early} == {(503, "5")}
    assert flows == [200] * 5
    assert started == 204
    assert [getattr(answer, "text", "") for answer in answers].count("late") == limits.max_webhooks


async def test_callers_that_never_agree_on_the_encryption_give_way(runtime, tmp_path):
    write_certificates(tmp_path)
    tls = tls_context(tmp_path / "server.pem", tmp_path / "server.key")
    app = create_app(runtime.backend, None, runtime.backend.api_keys, version="1")
    limits = ConnectionLimits(connections=10, handshake_seconds=3600)  # nobody gives way because time is up
    listener = HttpListener(app, "127.0.0.1", 0, tls=tls, limits=limits)
    address = await listener.start()
    silent = [await asyncio.open_connection("127.0.0.1", urlsplit(address).port) for _ in range(30)]

    async with asyncio.timeout(PATIENCE):
        given_up = [await reader.read() for reader, _ in silent[:20]]
    trusted = ssl.create_default_context(cafile=tmp_path / "authority.pem")
    async with patient.AsyncClient(base_url=address, verify=trusted) as client:
        answer = await client.get("/healthcheck")
    for _, writer in silent:
        writer.close()
    await listener.stop(grace=1)

    assert given_up == [b""] * 20
    assert answer.status_code == 200
