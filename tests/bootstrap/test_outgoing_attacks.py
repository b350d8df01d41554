"""API keys of scope “operate” try to call internal addresses with the permissions of an admin."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.support.attacked_service import Scene, attacked, known
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.clock import now_ms
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.hosting import ServiceSettings
from patchbay.domain.outgoing import OutgoingMode
from patchbay.service.connections import ConnectionHealthMonitor


@pytest.fixture
async def scene(tmp_path) -> AsyncIterator[Scene]:
    async with attacked(tmp_path) as made:
        yield made


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
        return await scene.runtime.http.network.is_approved(copied.json()["data"]["id"])

    assert (await approved(scene.admin), await approved(scene.attacker)) == (True, False)


async def test_a_scheduled_connection_test_has_the_permissions_of_the_connections_owner(scene):
    redirects = False

    def answer(seen: Seen) -> Reply:
        if redirects:
            return Reply(status=302, headers={"Location": f"{scene.inside.url}/page"})
        return known(seen)

    async with third_party(answer) as server:
        allowed = (server.url.removeprefix("http://"),)
        settings = ServiceSettings(outgoing_addresses=OutgoingMode.MEMBERS, allowed_addresses=allowed)
        await scene.runtime.backend.change_service_settings(settings)
        scene.outside = server
        made, ours = await scene.connect(scene.attacker), await scene.connect(scene.admin)
        redirects = True
        later = ConnectionHealthMonitor(
            scene.runtime.backend, lambda: now_ms() + 7_200_000, lambda: 1.0, asyncio.sleep
        )
        await later._test(await scene.runtime.backend.get_connection(made))
        assert scene.inside.seen == []

        await later._test(await scene.runtime.backend.get_connection(ours))
        assert len(scene.inside.seen) == 1
        tested = await scene.admin.post(f"/v1/connections/{made}/test")
        assert tested.json()["data"]["health"] == ConnectionHealth.NEEDS_ATTENTION
        assert len(scene.inside.seen) == 1
