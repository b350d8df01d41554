"""Webhooks in front of FastAPI: which requests take that path, and what happens to errors on it."""

import re
from typing import Any

import httpx
import pytest
from tests.support import patient

from patchbay.domain.errors import ServerFault
from patchbay.domain.ports import WebhookResponse
from patchbay.server.app import create_app

ID = "7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11"


class Intake:
    """Notes what it gets; `fails` is raised instead."""

    max_body_bytes = 1000

    def __init__(self) -> None:
        self.fails: Exception | None = None
        self.flows: list[str] = []
        self.rejected: list[str] = []

    async def check_webhook(self, flow_id: str, *, test: bool = False) -> None:
        if self.fails is not None:
            raise self.fails

    async def deliver(self, flow_id: str, request: Any, **options: Any) -> WebhookResponse:
        self.flows.append(f"{flow_id} {'waits' if options['synchronous'] else 'starts'}")
        return WebhookResponse()

    async def deliver_test(self, flow_id: str, request: Any, **options: Any) -> WebhookResponse:
        self.flows.append(f"{flow_id} tests")
        return WebhookResponse()

    async def record_rejection(self, flow_id: str, error: Exception) -> None:
        self.rejected.append(flow_id)


@pytest.fixture
def intake() -> Intake:
    return Intake()


@pytest.fixture
def app(runtime, intake):
    return create_app(runtime.backend, intake, runtime.backend.api_keys, version="1")


@pytest.fixture
async def caller(app):
    transport = httpx.ASGITransport(app, raise_app_exceptions=True)
    async with patient.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        (f"/webhooks/flows/{ID}", f"{ID} starts"),
        (f"/webhooks/flows/{ID}/sync", f"{ID} waits"),
        (f"/webhooks/flows/{ID}/test", f"{ID} tests"),
        (f"/webhooks/{ID}", f"{ID} starts"),
    ],
)
async def test_each_purpose_has_its_path(caller, intake, path, seen):
    assert (await caller.post(path)).status_code == 204
    assert intake.flows == [seen]


@pytest.mark.parametrize(
    "path",
    [
        "/webhooks/",
        "/webhooks/flows/",
        f"/webhooks/flows/{ID}/",
        f"/webhooks/flows/{ID}/other",
        f"/webhooks/flows/{ID}/sync/",
        f"/webhooks//{ID}",
        f"/webhooks/{ID}/sync",
    ],
)
async def test_other_paths_below_webhooks_are_unknown(caller, intake, path):
    answer = await caller.post(path)

    assert (answer.status_code, answer.json()["meta"]["type"], intake.flows) == (404, "NotFound", [])


async def test_webhooks_are_served_without_fastapi(app, caller, intake):
    app.router.routes.clear()

    assert (await caller.post(f"/webhooks/flows/{ID}")).status_code == 204
    assert (await caller.get("/healthcheck")).status_code == 404


async def test_a_bug_becomes_an_error_with_the_id_under_which_the_log_has_it(caller, intake, caplog):
    intake.fails = ZeroDivisionError("secret detail")

    answer = await caller.post(f"/webhooks/flows/{ID}")

    assert (answer.status_code, answer.json()["meta"]["type"]) == (500, "ServerFault")
    assert "secret detail" not in answer.text
    found = re.search(r"request ([0-9a-f]{12})", answer.text)
    assert found is not None
    assert found[1] in caplog.text


async def test_a_fault_of_the_server_is_logged(caller, intake, caplog):
    intake.fails = ServerFault("The disk is full.", request_id="1")

    assert (await caller.post(f"/webhooks/flows/{ID}")).status_code == 500
    assert "The disk is full." in caplog.text


async def test_a_body_over_the_limit_is_rejected_and_recorded(caller, intake):
    answer = await caller.post(f"/webhooks/flows/{ID}", content=b"x" * 1001)

    assert (answer.status_code, answer.headers["connection"]) == (413, "close")
    assert (intake.flows, intake.rejected) == ([], [ID])


async def test_every_response_is_counted_once(app, caller, intake):
    await caller.post(f"/webhooks/flows/{ID}")
    intake.fails = ZeroDivisionError()
    await caller.post(f"/webhooks/flows/{ID}")

    counted = {tuple(labels): sum(found.counts) for labels, found in app.state.metrics.requests.items()}
    assert counted == {
        ("POST", "/webhooks/flows/{flowId}", "204"): 1,
        ("POST", "/webhooks/flows/{flowId}", "500"): 1,
    }
