"""Attackers who aren't admins try to reach internal addresses with an approval that has ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.attacked_service import Scene, attacked
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, third_party

from patchbay.domain.access import Scope
from patchbay.domain.base import ExecutionId, FlowId
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import EDITOR

ATTACKERS = ("editor", "operate key of nobody")


@asynccontextmanager
async def attack_of(who: str, folder: Path) -> AsyncIterator[Scene]:
    """A service with an attacker who owns a flow, if it is a person."""
    async with attacked(folder) as scene:
        if who != "editor":
            yield scene
            return
        person = await scene.runtime.backend.create_user("Eve", "eve@example.org", EDITOR.id)
        key = (await scene.runtime.backend.create_api_key("Eve", Scope.ADMIN, person.id)).value
        address = str(scene.attacker.base_url)
        async with httpx.AsyncClient(base_url=address, headers={"x-api-token": key}) as editor:
            scene.attacker = editor
            yield scene


@pytest.fixture(params=ATTACKERS)
async def scene(tmp_path, request) -> AsyncIterator[Scene]:
    async with attack_of(request.param, tmp_path) as made:
        yield made


async def approved(scene: Scene, url: str) -> FlowId:
    """A flow of the attacker, which an admin published as it is."""
    flow_id = await scene.published(scene.attacker, url)
    await publish(scene, flow_id)
    return flow_id


async def publish(scene: Scene, flow_id: FlowId) -> None:
    live = await scene.admin.patch(f"/v1/flows/{flow_id}/status", json={"active": True})
    assert live.status_code == 200, live.text


async def end_approval(scene: Scene, flow_id: FlowId, way: str) -> None:
    """Unpublish the flow, or publish another version of it."""
    if way == "unpublished":
        off = await scene.admin.patch(f"/v1/flows/{flow_id}/status", json={"active": False})
        assert off.status_code == 200, off.text
        return
    await correct(scene, flow_id)
    await publish(scene, flow_id)


async def correct(scene: Scene, flow_id: FlowId) -> None:
    """Let the draft of the flow call an address outside."""
    step = (await scene.admin.get(f"/v1/flows/{flow_id}")).json()["data"]["steps"][1]
    changed = {"parameters": {"method": "GET", "url": f"{scene.outside.url}/other"}}
    assert (await scene.admin.patch(f"/v1/steps/{step['id']}", json=changed)).status_code == 200
    assert (await scene.admin.post(f"/v1/steps/{step['id']}/skip-test")).status_code == 200


async def again(
    scene: Scene, who: httpx.AsyncClient, execution_id: ExecutionId, how: str, **body: Any
) -> str:
    """Retry or replay an execution; returns the errors of the new one's steps."""
    started = await who.post(f"/v1/executions/{execution_id}/{how}", json=body)
    assert started.status_code < 300, started.text
    ended = await scene.ended(started)
    return str([step.error_details for step in await scene.runtime.backend.execution_steps(ended)])


@pytest.mark.parametrize("way", ["another version", "unpublished"])
async def test_a_replay_reaches_internal_addresses_only_while_the_approval_holds(scene: Scene, way: str):
    flow_id = await approved(scene, f"{scene.inside.url}/page")
    earlier = await scene.run(scene.attacker, flow_id)
    await again(scene, scene.attacker, earlier, "replay", on="original", item={"mine": 1})
    assert len(scene.inside.seen) == 2  # while it is published, it doesn't matter who starts it

    await end_approval(scene, flow_id, way)
    errors = await again(scene, scene.attacker, earlier, "replay", on="original", item={"mine": 1})

    assert "are blocked" in errors
    assert len(scene.inside.seen) == 2
    await again(scene, scene.admin, earlier, "replay", on="original")
    assert len(scene.inside.seen) == 3  # an admin approved it, and an admin starts it


@pytest.mark.parametrize("how", ["retry", "bulk retry"])
async def test_a_retry_reaches_internal_addresses_only_while_the_approval_holds(scene: Scene, how: str):
    async with third_party(Reply(status=500)) as inside:
        flow_id = await approved(scene, f"{inside.url}/page")
        failed = await scene.run(scene.attacker, flow_id)
        asked = len(inside.seen)
        assert asked > 0
        await end_approval(scene, flow_id, "another version")

        if how == "retry":
            assert "are blocked" in await again(scene, scene.attacker, failed, "retry")
        else:
            await bulk_retry(scene, flow_id)

        assert len(inside.seen) == asked


async def bulk_retry(scene: Scene, flow_id: FlowId) -> None:
    """Retry all failed executions of the flow, and wait until those have ended."""
    changes = scene.runtime.backend.changes()
    began = await scene.attacker.post("/v1/execution-retries", json={"flowId": flow_id})
    assert began.status_code < 300, began.text
    of_flow = ExecutionFilter(flow_id=flow_id)
    async with asyncio.timeout(PATIENCE):
        async for _ in changes:
            found = (await scene.runtime.backend.list_executions(of_flow, PageRequest())).items
            if len(found) == 2 and all(execution.state.finished for execution in found):
                return


async def test_a_retry_of_a_blocked_replay_stays_blocked(scene: Scene):
    flow_id = await approved(scene, f"{scene.inside.url}/page")
    earlier = await scene.run(scene.attacker, flow_id)
    await end_approval(scene, flow_id, "unpublished")
    replay = await scene.attacker.post(f"/v1/executions/{earlier}/replay", json={"on": "original"})
    blocked = await scene.ended(replay)
    assert (await scene.runtime.backend.get_execution(blocked)).state is ExecutionState.FAILURE

    assert "are blocked" in await again(scene, scene.attacker, blocked, "retry")

    assert len(scene.inside.seen) == 1


async def test_a_run_that_was_queued_while_the_approval_held_does_not_keep_it(scene: Scene):
    flow_id = await approved(scene, f"{scene.inside.url}/page")
    assert (await scene.attacker.post(f"/v1/flows/{flow_id}/pause")).status_code == 200
    queued = await scene.attacker.post(f"/v1/flows/{flow_id}/run", json={"item": {"a": 1}})
    await end_approval(scene, flow_id, "another version")

    assert (await scene.attacker.post(f"/v1/flows/{flow_id}/resume")).status_code == 200
    ended = await scene.ended(queued)

    assert (await scene.runtime.backend.get_execution(ended)).state is ExecutionState.FAILURE
    assert scene.inside.seen == []


async def test_a_run_that_an_admin_queued_while_the_approval_held_keeps_it(scene: Scene):
    flow_id = await approved(scene, f"{scene.inside.url}/page")
    assert (await scene.admin.post(f"/v1/flows/{flow_id}/pause")).status_code == 200
    queued = await scene.admin.post(f"/v1/flows/{flow_id}/run", json={"item": {"a": 1}})
    await end_approval(scene, flow_id, "another version")

    assert (await scene.admin.post(f"/v1/flows/{flow_id}/resume")).status_code == 200
    await scene.ended(queued)

    assert [seen.path for seen in scene.inside.seen] == ["/page"]
