"""Keys that only operate try to reach addresses inside the network with the rights of an admin."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest
from tests.support.third_party import Reply, Seen, ThirdParty, third_party

from patchbay.bootstrap.house import House, open_house
from patchbay.bootstrap.local import COMMAND
from patchbay.bootstrap.reach import Reach
from patchbay.domain.access import Scope
from patchbay.domain.connections import Health
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.outgoing import OutgoingMode
from patchbay.integration.registry import load_apps
from patchbay.platform.clock import now_ms
from patchbay.service.health_watch import HealthWatch
from patchbay.service.key_homes import MemoryKeyHome

PAGE = "a page inside the network"


@dataclass
class Scene:
    """A service whose flows may call `outside`, and not `inside`, to which `outside` redirects `/own`."""

    house: House
    admin: httpx.AsyncClient
    attacker: httpx.AsyncClient
    outside: ThirdParty
    inside: ThirdParty

    async def connect(self, who: httpx.AsyncClient) -> str:
        values = {
            "screenName": "C", "kind": "bearer", "token": "t", "baseUrl": self.outside.url, "checkUrl": "/me"
        }  # fmt: skip
        made = await who.post("/v1/connections", json={"key": "http", "formattedData": values})
        assert made.status_code == 201, made.text
        return str(made.json()["data"]["id"])

    async def published(self, who: httpx.AsyncClient, url: str, connection_id: str | None = None) -> str:
        """A published flow that calls this address."""
        request: dict[str, Any] = {
            "id": str(uuid4()), "type": "action", "position": 2, "appKey": "http-request",
            "key": "customRequest", "parameters": {"method": "GET", "url": url},
        }  # fmt: skip
        trigger = {
            "id": str(uuid4()), "type": "trigger", "position": 1, "appKey": "webhook",
            "key": "catchRawWebhook", "parameters": {"workSynchronously": False},
        }  # fmt: skip
        body = {"id": str(uuid4()), "name": "Calls", "steps": [trigger, request]}
        flow = (await who.post("/v1/flows/import", json=body)).json()["data"]
        if connection_id:
            step = f"/v1/steps/{flow['steps'][1]['id']}"
            assert (await who.patch(step, json={"connectionId": connection_id})).status_code == 200
        for step in flow["steps"]:
            assert (await who.post(f"/v1/steps/{step['id']}/skip-test")).status_code == 200
        live = await who.patch(f"/v1/flows/{flow['id']}/status", json={"active": True})
        assert live.status_code == 200, live.text
        return str(flow["id"])

    async def ended(self, started: httpx.Response) -> str:
        """The execution that this answer is about, once it has ended."""
        execution_id = str(started.json()["data"]["id"])
        changes = self.house.backend.changes()
        async with asyncio.timeout(30):
            if (await self.house.backend.get_execution(execution_id)).finished_at is None:
                async for _ in changes:
                    if (await self.house.backend.get_execution(execution_id)).finished_at is not None:
                        break
        return execution_id

    async def run(self, who: httpx.AsyncClient, flow_id: str) -> str:
        return await self.ended(await who.post(f"/v1/flows/{flow_id}/run", json={"item": {"a": 1}}))


def known(seen: Seen) -> Reply:
    """What a service answers that wants credentials."""
    return Reply(body={"ok": True}) if "authorization" in seen.headers else Reply(status=401)


@asynccontextmanager
async def client(house: House, address: str, scope: Scope) -> AsyncIterator[httpx.AsyncClient]:
    key = (await house.backend.create_api_key(scope.value, scope, None)).value
    async with httpx.AsyncClient(base_url=address, headers={"x-api-token": key}) as http:
        yield http


@pytest.fixture
async def scene(tmp_path) -> AsyncIterator[Scene]:
    house = await open_house(tmp_path / "patchbay.db", load_apps(), MemoryKeyHome(), now_ms, actor=COMMAND)
    front = await house.listen(Reach(port=0))
    await house.engine.start()
    async with third_party(Reply(body={"page": PAGE})) as inside:

        def answer(seen: Seen) -> Reply:
            if seen.path.startswith("/own"):
                return Reply(status=302, headers={"Location": f"{inside.url}/page"})
            return known(seen)

        async with (
            third_party(answer) as outside,
            client(house, front.address, Scope.ADMIN) as admin,
            client(house, front.address, Scope.OPERATE) as attacker,
        ):
            allowed = outside.url.removeprefix("http://")
            settings = ServiceSettings(outgoing_addresses=OutgoingMode.MEMBERS, allowed_addresses=(allowed,))
            await house.backend.change_service_settings(settings)
            yield Scene(house, admin, attacker, outside, inside)
    await house.close(grace=0)


async def test_an_admin_who_retries_or_runs_a_flow_lends_it_no_rights(scene):
    flow_id = await scene.published(scene.attacker, f"{scene.inside.url}/page")

    failed = await scene.run(scene.attacker, flow_id)
    await scene.ended(await scene.admin.post(f"/v1/executions/{failed}/retry"))
    await scene.ended(await scene.admin.post(f"/v1/executions/{failed}/replay", json={}))
    await scene.run(scene.admin, flow_id)

    assert scene.inside.seen == []


async def test_an_approved_flow_is_bounded_once_its_connection_was_redirected(scene):
    connection_id = await scene.connect(scene.admin)
    flow_id = await scene.published(scene.admin, "/page", connection_id)
    mine = {
        "formattedData": {
            "baseUrl": f"{scene.outside.url}/own",
            "token": "mine",
            "checkUrl": f"{scene.outside.url}/me",
        }
    }
    moved = await scene.attacker.post(
        f"/v1/connections/{connection_id}/verify", json={**mine, "acceptOtherAccount": True}
    )
    assert moved.status_code == 200, moved.text

    await scene.run(scene.attacker, flow_id)
    assert scene.outside.seen[-1].path == "/own/page"
    assert scene.inside.seen == []

    again = await scene.admin.post(
        f"/v1/connections/{connection_id}/verify", json={**mine, "acceptOtherAccount": True}
    )
    assert again.status_code == 200, again.text
    await scene.run(scene.attacker, flow_id)
    assert [seen.path for seen in scene.inside.seen] == ["/page"]  # now an admin answers for both


async def test_an_approved_connection_stays_approved_only_in_copies_of_admins(scene):
    connection_id = await scene.connect(scene.admin)

    async def approved(who: httpx.AsyncClient) -> bool:
        copied = await who.post(f"/v1/connections/{connection_id}/duplicate", json={"screenName": "Copy"})
        return await scene.house.http.network.is_approved(copied.json()["data"]["id"])

    assert (await approved(scene.admin), await approved(scene.attacker)) == (True, False)


async def test_a_test_that_nobody_asked_for_is_bounded_by_who_made_the_connection(scene):
    redirects = False

    def answer(seen: Seen) -> Reply:
        if redirects:
            return Reply(status=302, headers={"Location": f"{scene.inside.url}/page"})
        return known(seen)

    async with third_party(answer) as server:
        allowed = (server.url.removeprefix("http://"),)
        settings = ServiceSettings(outgoing_addresses=OutgoingMode.MEMBERS, allowed_addresses=allowed)
        await scene.house.backend.change_service_settings(settings)
        scene.outside = server
        made, ours = await scene.connect(scene.attacker), await scene.connect(scene.admin)
        redirects = True
        later = HealthWatch(scene.house.backend, lambda: now_ms() + 7_200_000, lambda: 1.0, asyncio.sleep)
        await later._check(await scene.house.backend.get_connection(made))
        assert scene.inside.seen == []

        await later._check(await scene.house.backend.get_connection(ours))
        assert len(scene.inside.seen) == 1
        tested = await scene.admin.post(f"/v1/connections/{made}/test")
        assert tested.json()["data"]["health"] == Health.NEEDS_ATTENTION
        assert len(scene.inside.seen) == 1
