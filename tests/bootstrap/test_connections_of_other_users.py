"""A former admin tries to use connections of other users that are still in their flows."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from tests.support.attacked_service import Scene, attacked

from patchbay.domain.access import Scope
from patchbay.domain.base import FlowId, UserId
from patchbay.domain.people import ADMIN, EDITOR


@dataclass
class Lent:
    """A flow of an admin with a another person's connection."""

    scene: Scene
    person: UserId
    key: httpx.AsyncClient
    flow_id: str
    connection_id: str
    step: str

    @property
    def keys_sent(self) -> int:
        """How often the credentials of the connection were sent."""
        return sum("authorization" in seen.headers for seen in self.scene.outside.seen)

    async def publish(self, who: httpx.AsyncClient) -> httpx.Response:
        return await who.patch(f"/v1/flows/{self.flow_id}/status", json={"active": True})

    async def edit(self, who: httpx.AsyncClient) -> None:
        """Send the credentials somewhere else."""
        change = {"parameters": {"method": "POST", "url": "/delete-all"}}
        assert (await who.patch(self.step, json=change)).status_code == 200
        assert (await who.post(f"{self.step}/skip-test")).status_code == 200

    async def attention(self) -> str | None:
        (found,) = await self.scene.runtime.backend.flow_activity([FlowId(self.flow_id)])
        return found.attention

    async def demote(self) -> None:
        await self.scene.runtime.backend.update_user(self.person, role_id=EDITOR.id)


@pytest.fixture
async def scene(tmp_path) -> AsyncIterator[Scene]:
    async with attacked(tmp_path) as made:
        yield made


@pytest.fixture
async def lent(scene) -> AsyncIterator[Lent]:
    backend = scene.runtime.backend
    person = (await backend.create_user("Eve", "eve@example.org", ADMIN.id)).id
    value = (await backend.create_api_key("Eve", Scope.ADMIN, person)).value
    address, connection_id = str(scene.admin.base_url), await scene.connect(scene.admin)
    async with httpx.AsyncClient(base_url=address, headers={"x-api-token": value}) as key:
        flow_id = await scene.published(key, "/agreed", connection_id)
        flow = await backend.get_flow(flow_id)
        scene.outside.seen.clear()
        yield Lent(scene, person, key, flow_id, connection_id, f"/v1/steps/{flow.steps[1].id}")


@pytest.fixture
async def demoted(lent) -> Lent:
    await lent.demote()
    return lent


async def test_what_an_admin_published_keeps_its_connection(demoted):
    await demoted.scene.run(demoted.key, demoted.flow_id)
    assert demoted.keys_sent == 1


async def test_only_admins_test_steps_with_another_users_connection(demoted):
    await demoted.edit(demoted.key)

    refused = await demoted.key.post(f"{demoted.step}/test")

    assert refused.status_code == 403
    assert "another person's connection" in refused.text
    assert demoted.keys_sent == 0


async def test_publishing_it_takes_an_admin(demoted):
    await demoted.edit(demoted.key)

    refused = await demoted.publish(demoted.key)
    assert refused.status_code == 422
    assert "belongs to another user" in refused.text
    await demoted.scene.run(demoted.key, demoted.flow_id)
    assert [seen.path for seen in demoted.scene.outside.seen] == ["/agreed"]  # the approved version

    assert (await demoted.publish(demoted.scene.admin)).status_code == 200
    await demoted.scene.run(demoted.key, demoted.flow_id)
    assert demoted.scene.outside.seen[-1].path == "/delete-all"


async def test_a_version_that_no_admin_published_is_not_run(lent):
    await lent.edit(lent.scene.attacker)
    assert (await lent.publish(lent.scene.attacker)).status_code == 200
    assert await lent.attention() is None
    await lent.demote()

    attention = await lent.attention()
    assert attention is not None
    assert attention.startswith("Step 2 (HTTP Request) uses another person's connection")
    for start in (lent.key, lent.scene.admin):
        refused = await start.post(f"/v1/flows/{lent.flow_id}/run", json={"item": {"a": 1}})
        assert refused.status_code == 403
        assert "Step 2" in refused.text
    changes = lent.scene.runtime.backend.changes()
    await lent.key.post(f"/webhooks/flows/{lent.flow_id}", json={"a": 1})
    async with asyncio.timeout(30):
        async for _ in changes:
            newest = (await lent.key.get("/v1/executions")).json()["data"][:1]
            if newest and newest[0]["finishedAt"]:
                break
    assert newest[0]["status"] == "failure"
    assert lent.keys_sent == 0


async def test_an_approved_version_loses_it_when_another_one_is_published(demoted):
    await demoted.scene.run(demoted.key, demoted.flow_id)
    earlier = (await demoted.key.get("/v1/executions")).json()["data"][0]["id"]
    await demoted.edit(demoted.scene.admin)
    assert (await demoted.publish(demoted.scene.admin)).status_code == 200

    refused = await demoted.key.post(f"/v1/executions/{earlier}/replay", json={"on": "original"})

    assert refused.status_code == 403
    assert "another person's connection" in refused.text
    assert demoted.keys_sent == 1


async def test_a_copy_comes_without_it(demoted):
    copied = await demoted.key.post(f"/v1/flows/{demoted.flow_id}/duplicate")

    steps: list[dict[str, Any]] = copied.json()["data"]["steps"]
    assert [step["connectionId"] for step in steps] == [None, None]

    ours = await demoted.scene.admin.post(f"/v1/flows/{demoted.flow_id}/duplicate")
    assert ours.json()["data"]["steps"][1]["connectionId"] == demoted.connection_id
