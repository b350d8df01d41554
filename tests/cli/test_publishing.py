"""Publishing a flow that can't work on a server says so, on the command line and over HTTP."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.support.contract_workspaces import Served, served
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.apps.desktop import app as desktop_app
from patchbay.bootstrap.local import COMMAND
from patchbay.cli.main import run_in_workspace
from patchbay.cli.parser import parse
from patchbay.client.remote import RemoteBackend
from patchbay.domain.audit_log import current_actor
from patchbay.domain.base import AppKey
from patchbay.domain.flows import Flow, StepChange

ASK = StepChange(
    app_key=AppKey("desktop"),
    key="askMe",
    parameters={"title": "Who?", "fields": [{"label": "Name", "type": "text"}]},
)
CLIPBOARD = StepChange(app_key=AppKey("desktop"), key="clipboardChanged")
REASON = "Step 2 can't run: “patchbay serve” runs the flows, without a desktop"


@pytest.fixture
async def service(tmp_path) -> AsyncIterator[Served]:
    runtime = await open_runtime(tmp_path, more_apps=[desktop_app])
    await runtime.engine.start()
    async with served(runtime) as running:
        yield running
    await runtime.close()


@pytest.fixture
async def remote(service) -> AsyncIterator[RemoteBackend]:
    made = RemoteBackend(service.base_url, service.key)
    yield made
    await made.close()


async def draft(service: Served, *changes: StepChange) -> Flow:
    return await service.runtime.skipped(await service.runtime.flow(*changes))


@pytest.mark.parametrize(("step", "is_warned"), [(ASK, True), (PASS, False)])
async def test_the_command_warns_of_a_flow_that_needs_a_desktop(service, remote, capsys, step, is_warned):
    flow = await draft(service, CATCH, step)

    code = await run_in_workspace(remote, parse(["flow", "publish", flow.id]))

    printed = capsys.readouterr()
    assert (code, printed.out) == (0, f"{flow.name} is published as version 1.\n")
    assert (f"Warning: {REASON}. " in printed.err) is is_warned


async def test_a_server_publishes_a_flow_that_waits_for_the_desktop_and_the_command_warns(
    service, remote, capsys
):
    flow = await draft(service, CLIPBOARD, PASS)

    code = await run_in_workspace(remote, parse(["flow", "publish", flow.id]))

    printed = capsys.readouterr()
    assert (code, printed.out) == (0, f"{flow.name} is published as version 1.\n")
    assert "Warning: Doesn't start: “patchbay serve” runs the flows, without a desktop. " in printed.err


@pytest.mark.parametrize(
    ("steps", "is_warned"), [((CATCH, ASK), True), ((CLIPBOARD, PASS), True), ((CATCH, PASS), False)]
)
async def test_a_command_that_opens_the_workspace_itself_says_what_has_to_run_the_flow(
    tmp_path, capsys, steps, is_warned
):
    runtime = await open_runtime(tmp_path, more_apps=[desktop_app])
    flow = await runtime.skipped(await runtime.flow(*steps))

    token = current_actor.set(COMMAND)
    assert await run_in_workspace(runtime.backend, parse(["flow", "publish", flow.id])) == 0
    current_actor.reset(token)

    warning = "works only while the Patchbay window runs the flows, and not with “patchbay serve”"
    printed = capsys.readouterr().err
    assert warning in printed if is_warned else printed == ""
    await runtime.close()


async def test_an_import_that_publishes_warns_too(service, remote, capsys, tmp_path):
    exports = [
        (await service.runtime.backend.export_flow((await draft(service, CATCH, one)).id)).wire()
        for one in (ASK, PASS)
    ]
    path = tmp_path / "flows.json"
    path.write_text(json.dumps(exports), encoding="utf-8")

    code = await run_in_workspace(
        remote, parse(["flow", "import", str(path), "--publish", "--copy", "--json"])
    )

    asking, passing = json.loads(capsys.readouterr().out)
    assert (code, asking["published"], passing["published"]) == (0, True, True)
    assert asking["warning"].startswith(f"{REASON}. ")
    assert "warning" not in passing


@pytest.mark.parametrize(("step", "attention"), [(ASK, REASON), (PASS, None)])
async def test_the_response_to_publishing_says_why_the_flow_cannot_work(service, step, attention):
    flow = await draft(service, CATCH, step)

    async with httpx.AsyncClient(base_url=service.base_url, headers={"x-api-token": service.key}) as client:
        switched = await client.patch(f"/v1/flows/{flow.id}/status", json={"active": True})

    meta = switched.json()["meta"]
    assert (switched.status_code, meta["count"], meta.get("attention")) == (200, 1, attention)
    assert ("attentionTodo" in meta) is (attention is not None)
