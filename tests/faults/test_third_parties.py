"""Services that hang, break off, dribble or never stop: runs end in words, and others are not held up."""

import asyncio
import re
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.engine_runtime import FLOW_1, FLOW_2, Clock, MemoryCredentials, Shelf
from tests.support.forms import long_form
from tests.support.patience import PATIENCE

from patchbay.domain.base import AppKey, StepId
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.domain.ports import WebhookRequest
from patchbay.domain.step_policy import StepPolicy
from patchbay.engine.engine import Engine
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import load_apps

TEN_GIGABYTES = 10 * 1024**3
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    opened = await Shelf.open(tmp_path / "apps.db")
    yield opened
    await opened.db.close()


@pytest.fixture
async def engine(shelf: Shelf) -> AsyncIterator[Engine]:
    http = HttpFactory(timeout=3)
    engine = Engine(shelf.store, load_apps(), MemoryCredentials(), Clock(), http=http, time_zone="UTC")
    await engine.start()
    yield engine
    await engine.stop()
    await http.aclose()


@asynccontextmanager
async def service(talk: Talk) -> AsyncIterator[str]:
    """A server on this computer that answers every caller like this; its address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    raw: socket.socket = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def dribble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A byte now and then, so that no single wait is ever long."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.1)


async def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Type: text/plain\r\n\r\nhalf")
    await writer.drain()


async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {TEN_GIGABYTES}\r\n\r\n"
    writer.write(head.encode())
    piece = b"x" * 1_000_000
    for _ in range(TEN_GIGABYTES // len(piece)):
        writer.write(piece)
        await writer.drain()


def asking(address: str, policy: StepPolicy | None = None) -> FlowVersion:
    """A webhook that makes the flow ask this address."""
    request: dict[str, Any] = {"method": "GET", "url": address, "headers": [], "data": ""}
    hook = Step(id=StepId("s1"), type=StepType.TRIGGER, app_key=AppKey("webhook"), key="catchRawWebhook")
    ask = Step(
        id=StepId("s2"),
        type=StepType.ACTION,
        app_key=AppKey("http-request"),
        key="customRequest",
        position=2,
        parameters=request,
        policy=policy or StepPolicy(attempts=1),
    )
    return FlowVersion(flow_id=FLOW_1, number=1, name="Asks", steps=(hook, ask))


async def asked(shelf: Shelf, engine: Engine, version: FlowVersion) -> str:
    """Run the flow once; how it failed."""
    await shelf.publish(version, 15, None)
    await engine.deliver(FLOW_1, WebhookRequest(method="POST", headers={}, query={}), synchronous=False)
    async with asyncio.timeout(PATIENCE):
        while not (seen := (await shelf.all())[0]).state.finished:  # noqa: ASYNC110  only the store knows
            await asyncio.sleep(0.05)
    assert seen.state is ExecutionState.FAILURE
    return str(seen.note)


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        (hang, "timed out"),
        (dribble, "timed out"),
        (reset, "Couldn.t reach|closed the connection"),
        (break_off, "closed the connection|Couldn.t reach|incomplete or malformed"),
        (flood, "sent more than 25 MB"),
    ],
)
async def test_a_misbehaving_service_fails_the_run_with_a_clear_error(
    shelf: Shelf, engine: Engine, talk: Talk, words: str
):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with service(talk) as address:
        note = await asked(shelf, engine, asking(address))

    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert pytest.approx(0, abs=150_000) == after - before, "kilobytes"
    assert re.search(words, note), note


async def test_the_steps_own_time_ends_what_the_client_would_wait_for(shelf: Shelf, engine: Engine):
    async with service(hang) as address:
        note = await asked(shelf, engine, asking(address, StepPolicy(timeout_seconds=1, attempts=1)))

    assert note.endswith("timed out after 1 second.")


@long_form
async def test_hanging_calls_leave_room_for_other_flows(shelf: Shelf, engine: Engine):
    async with service(hang) as address:
        await shelf.publish(asking(address, StepPolicy(timeout_seconds=5, attempts=1)), 15, None)
        hook = Step(id=StepId("o1"), type=StepType.TRIGGER, app_key=AppKey("webhook"), key="catchRawWebhook")
        text = Step(
            id=StepId("o2"),
            type=StepType.ACTION,
            app_key=AppKey("formatter"),
            key="text",
            position=2,
            parameters={"transform": "capitalize", "input": "ada"},
        )
        other = FlowVersion(flow_id=FLOW_2, number=1, name="Other", steps=(hook, text))
        await shelf.publish(other, 15, None)
        request = WebhookRequest(method="POST", headers={}, query={})
        for _ in range(30):
            await engine.deliver(FLOW_1, request, synchronous=False)

        began = asyncio.get_running_loop().time()
        await engine.deliver(FLOW_2, request, synchronous=True)

        assert asyncio.get_running_loop().time() - began < 4
