"""One client or flow gets only a share of the memory for bodies and of the requests that wait for flows."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.routing import Route
from tests.support import patient
from tests.support.contract_workspaces import served
from tests.support.mail_flows import eventually
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS

from patchbay.domain.errors import AppError
from patchbay.domain.ports import WebhookRequest, WebhookResponse
from patchbay.server.app import create_app
from patchbay.server.connection_limits import ConnectionLimits
from patchbay.server.webhook_limits import BodyMemory, ConcurrencyLimit
from patchbay.server.webhooks import BodyDecoder, CallPurpose, WebhookEndpoint

KB = 1024
FLOW, OTHER_FLOW = str(uuid4()), str(uuid4())
HOLDER, NEIGHBOUR, OTHER = "192.0.2.1", "198.51.100.1", "203.0.113.1"


class Intake:
    """Takes every request."""

    max_body_bytes = 10 * KB

    async def check_webhook(self, flow_id: str, *, test: bool) -> None:
        return None

    async def record_rejection(self, flow_id: str, error: AppError) -> None:
        return None

    async def deliver(self, flow_id: str, request: WebhookRequest, **_: Any) -> WebhookResponse:
        return WebhookResponse()


class Webhooks:
    """Webhooks whose bodies have 120 KB; one whose client stopped sending is dropped after some seconds."""

    def __init__(self, runtime, *, stalled_seconds: float = 3600.0) -> None:
        self.memory = BodyMemory(120 * KB, stalled_seconds=stalled_seconds)
        intake: Any = Intake()
        endpoint = WebhookEndpoint(
            intake, CallPurpose.START, ConcurrencyLimit(99), self.memory, BodyDecoder()
        )
        self._app = create_app(runtime.backend, None, runtime.backend.api_keys, version="1")
        self._app.router.routes.insert(0, Route("/webhooks/flows/{flowId}", endpoint))
        self.go_on = asyncio.Event()

    async def post(self, client: str, flow: str, length: int) -> int:
        """Send a complete body."""
        return await self._send(client, flow, b"x" * length)

    async def hold(self, clients: list[str], flow: str, length: int) -> list[asyncio.Task[int]]:
        """Send bodies without their last byte, from each client one, until all of them are counted."""

        async def body():
            yield b"x" * length
            await self.go_on.wait()
            yield b"x"

        used = self.memory.used + len(clients) * length
        calls = [asyncio.create_task(self._send(client, flow, body())) for client in clients]
        await eventually(lambda: self.memory.used == used)
        return calls

    async def _send(self, client: str, flow: str, content: Any) -> int:
        transport = httpx.ASGITransport(self._app, client=(client, 1))
        async with patient.AsyncClient(transport=transport, base_url="http://127.0.0.1") as sender:
            return (await sender.post(f"/webhooks/flows/{flow}", content=content)).status_code


async def test_unfinished_bodies_of_one_client_leave_memory_for_others(runtime):
    webhooks = Webhooks(runtime)
    held = await webhooks.hold([HOLDER] * 3, FLOW, 10 * KB - 1)

    own = await webhooks.post(HOLDER, OTHER_FLOW, KB)
    same_flow = await webhooks.post(OTHER, FLOW, KB)
    other_flow = await webhooks.post(OTHER, OTHER_FLOW, KB)
    webhooks.go_on.set()
    finished = await asyncio.gather(*held)

    assert (own, same_flow, other_flow) == (503, 204, 204)
    assert finished == [204] * 3
    assert webhooks.memory.used == 0


async def test_unfinished_bodies_of_many_clients_to_one_flow_leave_memory_for_other_flows(runtime):
    webhooks = Webhooks(runtime)
    held = await webhooks.hold([HOLDER, HOLDER, NEIGHBOUR, NEIGHBOUR, OTHER, OTHER], FLOW, 10 * KB - 1)

    same_flow = await webhooks.post(OTHER, FLOW, KB)
    other_flow = await webhooks.post(OTHER, OTHER_FLOW, KB)
    webhooks.go_on.set()

    assert (same_flow, other_flow) == (503, 204)
    assert await asyncio.gather(*held) == [204] * 6
    assert webhooks.memory.used == 0


async def test_a_body_that_no_longer_arrives_is_dropped_for_another_one(runtime):
    webhooks = Webhooks(runtime, stalled_seconds=0)
    first, second, third = await webhooks.hold([HOLDER] * 3, FLOW, 10 * KB - 1)

    newest = await webhooks.post(HOLDER, FLOW, KB)
    async with asyncio.timeout(PATIENCE):
        dropped = await first
    webhooks.go_on.set()

    assert (newest, dropped) == (204, 503)
    assert await asyncio.gather(second, third) == [204, 204]
    assert webhooks.memory.used == 0


async def test_one_body_of_the_maximum_length_always_fits_a_share(runtime, monkeypatch):
    webhooks = Webhooks(runtime)
    monkeypatch.setattr(Intake, "max_body_bytes", 100 * KB)

    assert await webhooks.post(HOLDER, FLOW, 100 * KB) == 204


async def test_callers_that_wait_for_one_flow_leave_room_for_callers_of_another_one(
    runtime, webhook_flow, monkeypatch
):
    limits = ConnectionLimits(connections=64)
    waiting, go_on = asyncio.Semaphore(0), asyncio.Event()
    other = await runtime.skipped(await runtime.flow(CATCH, PASS))
    await runtime.backend.publish_flow(other.id)

    async def held(flow_id: str, *_: object, **__: Any) -> WebhookResponse:
        if flow_id == webhook_flow.id:
            waiting.release()
            await go_on.wait()
        return WebhookResponse(status=200, body="done")

    monkeypatch.setattr(runtime.engine, "deliver", held)
    many = httpx.Limits(max_connections=None)
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(served(runtime, limits=limits))
        client = patient.AsyncClient(base_url=service.base_url, limits=many)
        senders = await stack.enter_async_context(client)
        address = f"/webhooks/flows/{webhook_flow.id}/sync"
        share = limits.max_webhooks // 2
        calls = [asyncio.create_task(senders.post(address)) for _ in range(share)]
        async with asyncio.timeout(PATIENCE):
            for _ in calls:
                await waiting.acquire()
        same = await senders.post(address)
        another = await senders.post(f"/webhooks/flows/{other.id}/sync")
        go_on.set()
        finished = await asyncio.gather(*calls)

    assert (same.status_code, same.headers["retry-after"]) == (503, "5")
    assert another.status_code == 200
    assert [call.status_code for call in finished] == [200] * share


@pytest.mark.parametrize("length", [KB, 200 * KB])
async def test_the_memory_of_an_aborted_body_is_given_back(runtime, length):
    webhooks = Webhooks(runtime)
    [held] = await webhooks.hold([HOLDER], FLOW, 10 * KB - 1)

    held.cancel()
    await asyncio.wait([held])
    await webhooks.post(OTHER, FLOW, length)

    assert webhooks.memory.used == 0
