"""A whole service, keys of an admin and of an attacker, and servers that its flows may and may not call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from tests.support.third_party import Reply, Seen, ThirdParty, third_party

from patchbay.bootstrap.listen_options import ListenOptions
from patchbay.bootstrap.local import COMMAND
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime, open_runtime
from patchbay.domain.access import Scope
from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.clock import now_ms
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.outgoing import OutgoingMode
from patchbay.integration.registry import load_apps
from patchbay.service.key_stores import MemoryKeyStore

PAGE = "a page inside the network"


@dataclass
class Scene:
    """A service whose flows may call `outside`, and not `inside`, to which `outside` redirects `/own`."""

    runtime: WorkspaceRuntime
    admin: httpx.AsyncClient
    attacker: httpx.AsyncClient
    outside: ThirdParty
    inside: ThirdParty

    async def connect(self, who: httpx.AsyncClient) -> str:
        values = {
            "screenName": "C",
            "kind": "bearer",
            "token": "t",
            "baseUrl": self.outside.url,
            "checkUrl": "/me",
        }
        made = await who.post("/v1/connections", json={"key": "http", "formattedData": values})
        assert made.status_code == 201, made.text
        return str(made.json()["data"]["id"])

    async def published(self, who: httpx.AsyncClient, url: str, connection_id: str | None = None) -> FlowId:
        """A published flow that calls this address."""
        request: dict[str, Any] = {
            "id": str(uuid4()),
            "type": "action",
            "position": 2,
            "appKey": "http-request",
            "key": "customRequest",
            "parameters": {"method": "GET", "url": url},
        }
        trigger = {
            "id": str(uuid4()),
            "type": "trigger",
            "position": 1,
            "appKey": "webhook",
            "key": "catchRawWebhook",
            "parameters": {"workSynchronously": False},
        }
        body = {"id": str(uuid4()), "name": "Calls", "steps": [trigger, request]}
        flow = (await who.post("/v1/flows/import", json=body)).json()["data"]
        if connection_id:
            step = f"/v1/steps/{flow['steps'][1]['id']}"
            assert (await who.patch(step, json={"connectionId": connection_id})).status_code == 200
        for step in flow["steps"]:
            assert (await who.post(f"/v1/steps/{step['id']}/skip-test")).status_code == 200
        live = await who.patch(f"/v1/flows/{flow['id']}/status", json={"active": True})
        assert live.status_code == 200, live.text
        return FlowId(flow["id"])

    async def ended(self, started: httpx.Response) -> ExecutionId:
        """The execution that this answer is about, once it has ended."""
        execution_id = ExecutionId(started.json()["data"]["id"])
        changes = self.runtime.backend.changes()
        async with asyncio.timeout(30):
            if (await self.runtime.backend.get_execution(execution_id)).finished_at is None:
                async for _ in changes:
                    if (await self.runtime.backend.get_execution(execution_id)).finished_at is not None:
                        break
        return execution_id

    async def run(self, who: httpx.AsyncClient, flow_id: FlowId) -> ExecutionId:
        return await self.ended(await who.post(f"/v1/flows/{flow_id}/run", json={"item": {"a": 1}}))


def known(seen: Seen) -> Reply:
    """What a service answers that wants credentials."""
    return Reply(body={"ok": True}) if "authorization" in seen.headers else Reply(status=401)


@asynccontextmanager
async def client(runtime: WorkspaceRuntime, address: str, scope: Scope) -> AsyncIterator[httpx.AsyncClient]:
    key = (await runtime.backend.create_api_key(scope.value, scope, None)).value
    async with httpx.AsyncClient(base_url=address, headers={"x-api-token": key}) as http:
        yield http


@asynccontextmanager
async def attacked(folder: Path) -> AsyncIterator[Scene]:
    """A running service with addresses inside the network blocked for everyone but admins."""
    runtime = await open_runtime(folder / "patchbay.db", load_apps(), MemoryKeyStore(), now_ms, actor=COMMAND)
    http_listeners = await runtime.listen(ListenOptions(port=0))
    await runtime.engine.start()
    async with third_party(Reply(body={"page": PAGE})) as inside:

        def answer(seen: Seen) -> Reply:
            if seen.path.startswith("/own"):
                return Reply(status=302, headers={"Location": f"{inside.url}/page"})
            return known(seen)

        async with (
            third_party(answer) as outside,
            client(runtime, http_listeners.address, Scope.ADMIN) as admin,
            client(runtime, http_listeners.address, Scope.OPERATE) as attacker,
        ):
            allowed = outside.url.removeprefix("http://")
            settings = ServiceSettings(outgoing_addresses=OutgoingMode.MEMBERS, allowed_addresses=(allowed,))
            await runtime.backend.change_service_settings(settings)
            yield Scene(runtime, admin, attacker, outside, inside)
    await runtime.close(grace=0)
