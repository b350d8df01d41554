"""Flows that can't work where they are, and what to do about it: the desktop, and allowed programs."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.fake_desktop import FakeDesktop
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime, open_runtime

from patchbay.apps.desktop import app as desktop_app
from patchbay.apps.programs import app as programs_app
from patchbay.apps.scheduler import app as scheduler_app
from patchbay.domain.access import Scope
from patchbay.domain.apps import TriggerKind
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.engine import EngineSettings
from patchbay.domain.executions import FlowActivity
from patchbay.domain.flows import Flow, StepChange

APPS = (desktop_app, programs_app, scheduler_app)
CLIPBOARD = StepChange(app_key=AppKey("desktop"), key="clipboardChanged")
ASK = StepChange(
    app_key=AppKey("desktop"),
    key="askMe",
    parameters={"title": "Who?", "fields": [{"label": "Name", "type": "text"}]},
)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[WorkspaceRuntime]:
    """A workspace of a program without a window."""
    made = await open_runtime(tmp_path, more_apps=APPS)
    yield made
    await made.close()


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[WorkspaceRuntime]:
    made = await open_runtime(tmp_path, more_apps=APPS, desktop=FakeDesktop())
    yield made
    await made.close()


async def activity(runtime: WorkspaceRuntime, flow_id: FlowId) -> FlowActivity:
    return (await runtime.backend.flow_activity([flow_id]))[0]


async def published(runtime: WorkspaceRuntime, *changes: StepChange, name: str = "A flow") -> Flow:
    token = current_actor.set(Actor(kind=ActorKind.COMMAND, name="This computer", scope=Scope.ADMIN))
    flow = await runtime.skipped(await runtime.flow(*changes, name=name))
    await runtime.backend.publish_flow(flow.id)
    current_actor.reset(token)
    return flow


async def test_a_flow_for_the_clipboard_that_a_server_runs_needs_attention(server: WorkspaceRuntime) -> None:
    flow = await server.flow(CLIPBOARD, PASS)

    found = await activity(server, flow.id)

    assert found.attention == "Doesn't start: “patchbay serve” runs the flows, without a desktop"
    assert "Stop “patchbay serve”" in found.attention_todo
    assert "Patchbay window" in found.attention_todo


async def test_so_does_one_with_a_step_that_asks(server: WorkspaceRuntime) -> None:
    flow = await server.flow(CATCH, ASK)

    found = await activity(server, flow.id)

    assert found.attention == "Step 2 can't run: “patchbay serve” runs the flows, without a desktop"


async def test_the_window_can_run_both(window: WorkspaceRuntime) -> None:
    flow = await window.flow(CLIPBOARD, ASK)

    assert (await activity(window, flow.id)).attention is None


async def test_a_server_names_the_published_flows_that_need_a_window(server: WorkspaceRuntime) -> None:
    await published(server, CATCH, PASS, name="Plain")
    await published(server, CATCH, ASK, name="Asks")
    await server.flow(CATCH, ASK, name="Only a draft")

    assert await server.engine.flows_without_desktop() == ("Asks",)


async def test_a_window_names_none(window: WorkspaceRuntime) -> None:
    await published(window, CATCH, ASK)

    assert await window.engine.flows_without_desktop() == ()


async def test_a_flow_for_the_desktop_has_no_next_run(window: WorkspaceRuntime) -> None:
    flow = await published(window, CLIPBOARD, PASS)
    await window.engine.start()
    await window.engine.stop()

    found = await activity(window, flow.id)

    assert (found.next_run_at, found.starts_on_event) == (None, True)


async def test_the_next_run_of_the_engine_is_one_with_a_time(window: WorkspaceRuntime) -> None:
    await published(window, CLIPBOARD, PASS, name="On copying")
    await published(window, StepChange(app_key=AppKey("scheduler"), key="everyHour"), PASS, name="Every hour")
    await window.engine.start()

    async with asyncio.timeout(PATIENCE):
        while True:
            health = await window.backend.health()
            if health.next_flow is not None:
                break
            await asyncio.sleep(0.01)
    assert health.next_flow == "Every hour"


async def test_triggers_of_the_desktop_are_shown_as_instant(window: WorkspaceRuntime) -> None:
    app = await window.backend.get_app(AppKey("desktop"))

    assert {trigger.kind for trigger in app.triggers or ()} == {TriggerKind.EVENT}


@pytest.mark.skipif(sys.platform == "win32", reason="the paths are of Unix")
async def test_a_flow_whose_program_is_no_longer_allowed_needs_attention(server: WorkspaceRuntime) -> None:
    await server.backend.change_engine_settings(EngineSettings(allowed_programs=("/usr/bin/touch",)))
    runs = StepChange(app_key=AppKey("programs"), key="runProgram", parameters={"program": "/usr/bin/touch"})
    flow = await server.flow(CATCH, runs)

    before = await activity(server, flow.id)
    await server.backend.change_engine_settings(EngineSettings())
    after = await activity(server, flow.id)

    assert before.attention is None
    assert after.attention == "“/usr/bin/touch” isn't an allowed program"
    assert after.attention_todo == "Allow it in Settings → Engine, or choose another program in step 2."
