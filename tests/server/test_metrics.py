"""The numbers of the service, as Prometheus reads them, and the health check."""

import asyncio

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.support import patient
from tests.support.contract_workspaces import served
from tests.support.patience import PATIENCE
from tests.support.workspace import open_runtime

from patchbay.domain.access import Scope
from patchbay.domain.executions import ExecutionState


async def numbers(caller: httpx.AsyncClient) -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels."""
    answer = await caller.get("/metrics")
    assert answer.status_code == 200, answer.text
    families = list(text_string_to_metric_families(answer.text))
    assert all(family.documentation for family in families)
    return {(item.name, *item.labels.values()): item.value for family in families for item in family.samples}


async def finished(runtime, flow, count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while (await runtime.engine.health()).finished.get(ExecutionState.SUCCESS, 0) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_requests_are_counted_by_the_address_that_is_meant(caller, webhook_flow):
    for path in (f"/v1/flows/{webhook_flow.id}", "/v1/flows/nothing", "/v1/nowhere", "/nowhere"):
        await caller.get(path)
    await caller.request("BREW", "/v1/flows")

    seen = await numbers(caller)

    name = "patchbay_http_request_duration_seconds_count"
    assert seen[name, "GET", "/v1/flows/{flowId}", "200"] == 1
    assert seen[name, "GET", "/v1/flows/{flowId}", "400"] == 1
    assert seen[name, "GET", "(none)", "404"] == 2
    assert seen[name, "OTHER", "/v1/flows", "405"] == 1
    assert not any(webhook_flow.id in label for key in seen for label in key)
    buckets = [
        value for key, value in seen.items() if key[0].endswith("_bucket") and "/v1/flows/{flowId}" in key
    ]
    assert max(buckets) == 1


async def test_executions_and_deliveries_are_counted(runtime, caller, stranger, webhook_flow):
    address = f"/webhooks/flows/{webhook_flow.id}"
    for _ in range(3):
        await stranger.post(address, json={})
    await stranger.post("/webhooks/flows/nothing", json={})
    await stranger.head(address)
    await finished(runtime, webhook_flow, 3)

    seen = await numbers(caller)

    assert seen["patchbay_executions_finished_total", "success"] == 3
    assert seen["patchbay_executions_finished_total", "failure"] == 0
    assert seen["patchbay_webhook_deliveries_total", "accepted"] == 3
    assert seen["patchbay_webhook_deliveries_total", "refused"] == 1
    assert seen["patchbay_executions", "running"] == 0
    assert seen["patchbay_history_executions",] == 3


async def test_the_engine_the_database_and_the_program_tell_how_they_do(caller):
    async with caller.stream("GET", "/v1/events"):
        seen = await numbers(caller)

    assert seen["patchbay_engine_state", "running"] == 1
    assert seen["patchbay_engine_state", "paused"] == 0
    assert seen["patchbay_event_streams",] == 1
    assert seen["patchbay_database_bytes",] > 0
    assert seen["patchbay_engine_tick_age_seconds",] >= 0
    assert "1" in next(key for key in seen if key[0] == "patchbay_build_info")


@pytest.mark.parametrize("scope", list(Scope))
async def test_any_key_without_a_person_may_look_also_as_a_bearer(runtime, stranger, scope):
    key = (await runtime.backend.create_api_key("scraper", scope)).value

    by_header = await stranger.get("/metrics", headers={"x-api-token": key})
    by_bearer = await stranger.get("/metrics", headers={"authorization": f"Bearer {key}"})

    assert (by_header.status_code, by_bearer.status_code) == (200, 200)
    assert by_bearer.headers["content-type"].startswith("text/plain")


async def test_without_a_key_there_are_no_numbers(stranger):
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic d3Jvbmc="}):
        answer = await stranger.get("/metrics", headers=headers)

        assert (answer.status_code, answer.json()["meta"]["type"]) == (401, "AuthRequired")


async def test_the_health_check_says_when_the_engine_is_not_there(tmp_path):
    runtime = await open_runtime(tmp_path)
    async with served(runtime) as service, patient.AsyncClient(base_url=service.base_url) as client:
        before = await client.get("/healthcheck")

        assert (before.status_code, set(before.json())) == (503, {"errors", "meta"})
        assert "retry-after" in before.headers
    await runtime.close()
