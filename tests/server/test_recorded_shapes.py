"""Our interface beside recordings of another service: whatever that one answers with is there."""

from uuid import uuid4

import pytest
from tests.support.recorded_state import rows

from patchbay.domain.people import VIEWER

FLOW_FIELDS = set(rows("flows")[0]) - {"userId", "folderId"}
STEP_FIELDS = set(rows("flows")[0]["steps"][0])


@pytest.fixture
async def invited(runtime):
    return await runtime.backend.invite("Noor Idris", "noor@harbour.example", VIEWER.id)


async def test_an_execution_shows_its_flow_and_steps_in_full(runtime, caller, webhook_flow):
    run = await runtime.backend.run_flow(webhook_flow.id, {"name": "Ada"})

    one = (await caller.get(f"/v1/executions/{run}")).json()["data"]
    [listed] = (await caller.get("/v1/executions")).json()["data"]

    for shown in (one, listed):
        assert shown.keys() >= set(rows("executions")[0]) - {"flowId"} | {"flow"}
        assert shown["flow"].keys() >= FLOW_FIELDS
        assert all(step.keys() >= STEP_FIELDS for step in shown["flow"]["steps"])
    assert one["flow"]["createdAt"] == webhook_flow.created_at
    assert [step["parameters"] for step in one["flow"]["steps"]] == [
        step.parameters for step in webhook_flow.steps
    ]
    assert one["flow"]["steps"][0]["webhookUrl"] == webhook_flow.steps[0].webhook_url


async def test_an_execution_of_a_deleted_flow_is_still_shown(runtime, caller, webhook_flow):
    run = await runtime.backend.run_flow(webhook_flow.id, {"name": "Ada"})
    await runtime.backend.delete_flow(webhook_flow.id)

    shown = (await caller.get(f"/v1/executions/{run}")).json()["data"]

    assert shown["flow"].keys() >= FLOW_FIELDS
    assert (shown["flow"]["status"], shown["flow"]["createdAt"]) == ("draft", None)


async def test_roles_templates_and_apps_have_all_fields(runtime, caller, webhook_flow):
    await runtime.backend.create_template("Start", webhook_flow.id)

    roles = (await caller.get("/v1/roles")).json()["data"]
    [template] = (await caller.get("/v1/templates")).json()["data"]
    apps = (await caller.get("/v1/apps")).json()["data"]

    assert all(role.keys() >= set(rows("users")[0]["role"]) for role in roles)
    recorded = rows("templates")[0]["flowData"]["steps"][0]
    assert all(step.keys() >= recorded.keys() for step in template["flowData"]["steps"])
    assert template["flowData"]["steps"][0]["iconUrl"].endswith("icon.svg")
    assert all(app.keys() >= set(rows("apps")[0]) for app in apps)


async def test_an_invitation_is_found_like_a_user_and_removed(caller, invited):
    address = f"/v1/users/{invited.id}"

    shown = await caller.get(address)
    folders = await caller.get(f"{address}/folders")
    removed = await caller.delete(address)

    assert (shown.status_code, shown.json()["data"]["status"]) == (200, "invited")
    assert (folders.status_code, folders.json()["data"]) == (200, [])
    assert removed.status_code == 204
    assert (await caller.get(address)).status_code == 404


async def test_an_invitation_without_a_body_names_every_missing_field(caller):
    refused = await caller.post("/v1/user-invitations")

    assert refused.status_code == 422
    assert refused.json()["errors"].keys() == {"fullName", "email", "roleId"}


@pytest.mark.parametrize("path", ["/v1/flows", "/v1/apps/tools", "/users"])
async def test_head_is_answered_like_get_without_the_body(caller, path):
    full, head = await caller.get(path), await caller.head(path)

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == full.headers["content-type"]


async def test_head_without_a_key_or_at_no_address_is_refused(caller, stranger):
    assert (await stranger.head("/v1/flows")).status_code == 401
    assert (await caller.head("/v1/nothing")).status_code == 404
    assert (await caller.head("/v1/flows/import")).status_code == 405


async def test_the_short_address_of_a_webhook_starts_the_flow(runtime, stranger, webhook_flow):
    started = await stranger.post(f"/webhooks/{webhook_flow.id}", json={"name": "Ada"})
    unknown = await stranger.post(f"/webhooks/{uuid4()}", json={})

    assert (started.status_code, unknown.status_code) == (204, 404)
