"""Flows that can't work where they are, and what to do about it: the desktop, and allowed programs."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.support.fake_desktop import FakeDesktop
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime, open_runtime

from patchbay.apps.code import app as code_app
from patchbay.apps.desktop import app as desktop_app
from patchbay.apps.files import app as files_app
from patchbay.apps.programs import app as programs_app
from patchbay.apps.scheduler import app as scheduler_app
from patchbay.domain.access import Scope
from patchbay.domain.apps import TriggerKind
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.changes import ResourceType
from patchbay.domain.desktop import DesktopEvent, DesktopEventKind
from patchbay.domain.engine import NOT_ISOLATED, EngineSettings, Isolation, IsolationKind
from patchbay.domain.errors import Conflict, FlowNotReady, Forbidden, NotSupported
from patchbay.domain.executions import FlowActivity
from patchbay.domain.flows import Flow, StepChange
from patchbay.engine.triggers import polling
from patchbay.integration.sandbox import Sandbox

APPS = (code_app, desktop_app, files_app, programs_app, scheduler_app)
CLIPBOARD = StepChange(app_key=AppKey("desktop"), key="clipboardChanged")
HOT_KEY = StepChange(app_key=AppKey("desktop"), key="hotKeyPressed", parameters={"keys": "Ctrl+Alt+P"})
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


class PretendedSandbox(Sandbox):
    """Says that programs are isolated until `lost` is set."""

    lost = False

    @property
    def isolation(self) -> Isolation:
        return NOT_ISOLATED if self.lost else Isolation(kind=IsolationKind.BUBBLEWRAP, detail="Isolated.")


async def activity(runtime: WorkspaceRuntime, flow_id: FlowId) -> FlowActivity:
    return (await runtime.backend.flow_activity([flow_id]))[0]


@contextlib.contextmanager
def acting_as(kind: ActorKind, scope: Scope = Scope.ADMIN) -> Iterator[None]:
    token = current_actor.set(Actor(kind=kind, name="This computer", scope=scope))
    yield
    current_actor.reset(token)


async def published(
    runtime: WorkspaceRuntime, *changes: StepChange, name: str = "A flow", scope: Scope = Scope.ADMIN
) -> Flow:
    with acting_as(ActorKind.COMMAND, scope):
        flow = await runtime.skipped(await runtime.flow(*changes, name=name))
        await runtime.backend.publish_flow(flow.id)
    return flow


async def test_a_flow_for_the_clipboard_that_a_server_runs_needs_attention(server: WorkspaceRuntime) -> None:
    flow = await server.flow(CLIPBOARD, PASS)

    found = await activity(server, flow.id)

    assert found.attention == "Doesn't start: “patchbay serve” runs the flows, without a desktop"
    assert "Stop “patchbay serve”" in found.attention_todo
    assert "Patchbay window" in found.attention_todo


async def test_a_flow_for_a_hot_key_can_be_published_where_only_a_window_can_run_it_later(
    server: WorkspaceRuntime,
) -> None:
    flow = await published(server, HOT_KEY, PASS)
    await server.engine.start()
    triggers = server.engine._components.triggers

    assert (await server.backend.get_flow(flow.id)).active
    assert (await activity(server, flow.id)).attention == (
        "Doesn't start: “patchbay serve” runs the flows, without a desktop"
    )
    assert await server.engine.flows_without_desktop() == (flow.name,)
    assert triggers.next_due() is None, "a poll could only fail"
    assert triggers._watches._watches == {}


async def test_the_first_start_of_the_window_after_publishing_starts_the_flow(tmp_path: Path) -> None:
    server = await open_runtime(tmp_path, more_apps=APPS)
    started = StepChange(app_key=AppKey("desktop"), key="patchbayStarted", parameters={"starts": "all"})
    flow = await published(server, started, PASS)
    await server.close()
    desktop = FakeDesktop()
    happened = DesktopEvent("started-1", 1, {"inBackground": False})
    desktop.happened[DesktopEventKind.STARTED].append(happened)
    window = await open_runtime(tmp_path, more_apps=APPS, desktop=desktop)
    await window.engine.start()

    async with asyncio.timeout(PATIENCE):
        while True:
            if (await activity(window, flow.id)).recent:
                break
            await asyncio.sleep(0.01)

    await window.close()


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


@pytest.mark.parametrize("kind", [Conflict, NotSupported])
async def test_a_flow_whose_hot_key_belongs_to_another_program_needs_attention_until_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Conflict | NotSupported]
) -> None:
    monkeypatch.setattr(polling, "FIRST_DELAY_SECONDS", 0.01)
    monkeypatch.setattr(polling, "MAX_DELAY_SECONDS", 0.01)
    desktop = FakeDesktop()
    desktop.listening_error = kind("Another program uses Ctrl+Alt+P.", todo="Choose other keys.")
    runtime = await open_runtime(tmp_path, more_apps=APPS, desktop=desktop)
    announced = asyncio.Event()

    async def follow() -> None:
        async for change in runtime.backend.changes():
            if change.noun is ResourceType.FLOW:
                announced.set()

    async def reason() -> str | None:
        """The reason after the next announcement."""
        async with asyncio.timeout(PATIENCE):
            await announced.wait()
        announced.clear()
        return (await activity(runtime, flow.id)).attention

    flow = await published(runtime, HOT_KEY, PASS)
    following = asyncio.create_task(follow())
    await asyncio.sleep(0)
    await runtime.engine.start()

    assert await reason() == "Doesn't start: another program uses Ctrl+Alt+P"
    assert (await activity(runtime, flow.id)).attention_todo == "Choose other keys."
    desktop.listening_error = None
    assert await reason() is None

    following.cancel()
    await runtime.close()


async def test_the_log_does_not_say_that_a_trigger_for_desktop_events_is_polled(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=polling.__name__)
    desktop = FakeDesktop()
    desktop.listening_error = NotSupported("There are no hot keys here.")
    runtime = await open_runtime(tmp_path, more_apps=APPS, desktop=desktop)
    await published(runtime, HOT_KEY, PASS)
    await runtime.engine.start()

    async with asyncio.timeout(PATIENCE):
        while True:
            if "There are no hot keys here." in caplog.text:
                break
            await asyncio.sleep(0.01)
    await runtime.close()

    assert "Hot key pressed can't notice events: There are no hot keys here." in caplog.text
    assert "polled" not in caplog.text


async def test_a_hot_key_that_the_person_declined_is_not_asked_for_again(tmp_path: Path) -> None:
    desktop = FakeDesktop()
    desktop.listening_error = Forbidden("The desktop didn't allow it.", todo="Pause and resume the flow.")
    runtime = await open_runtime(tmp_path, more_apps=APPS, desktop=desktop)
    flow = await published(runtime, HOT_KEY, PASS)
    await runtime.engine.start()

    async with asyncio.timeout(PATIENCE):
        while True:
            if watches := runtime.engine._components.triggers._watches._watches:
                break
            await asyncio.sleep(0.01)
        listening = watches[flow.id].task
        assert listening is not None
        await listening

    assert (await activity(runtime, flow.id)).attention == "Doesn't start: the desktop didn't allow it"
    await runtime.close()


@pytest.mark.parametrize("desktop", [FakeDesktop(), None], ids=["window", "server"])
async def test_keys_that_are_no_hot_key_are_a_blocker_of_their_field(
    tmp_path: Path, desktop: FakeDesktop | None
) -> None:
    runtime = await open_runtime(tmp_path, more_apps=APPS, desktop=desktop)
    with acting_as(ActorKind.COMMAND):
        wrong = HOT_KEY.model_copy(update={"parameters": {"keys": "Ctrl+Foo"}})
        flow = await runtime.skipped(await runtime.flow(wrong, PASS))
        with pytest.raises(FlowNotReady) as caught:
            await runtime.backend.publish_flow(flow.id)
    await runtime.close()

    [blocker] = caught.value.blockers
    assert (blocker.step_id, blocker.position, blocker.field) == (flow.steps[0].id, 1, "keys")
    assert blocker.reason.startswith("“Foo” isn't a key")


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


async def test_someone_who_uses_the_server_with_a_key_is_told_to_move_the_flow(
    server: WorkspaceRuntime,
) -> None:
    flow = await server.flow(CLIPBOARD, PASS)

    with acting_as(ActorKind.KEY):
        found = await activity(server, flow.id)

    assert "Stop “patchbay serve”" not in found.attention_todo
    assert found.attention_todo.startswith("Export the flow, and import it")


async def test_editing_the_draft_of_a_working_flow_marks_nothing(server: WorkspaceRuntime) -> None:
    flow = await published(server, CATCH, PASS)

    await server.backend.update_step(flow.steps[1].id, ASK)

    assert (await activity(server, flow.id)).attention is None


async def test_a_step_number_says_of_which_version_it_is(server: WorkspaceRuntime) -> None:
    flow = await published(server, CATCH, ASK)
    before = await activity(server, flow.id)

    await server.backend.update_step(flow.steps[1].id, PASS)
    after = await activity(server, flow.id)

    assert before.attention == "Step 2 can't run: “patchbay serve” runs the flows, without a desktop"
    assert after.attention == f"In the published version, s{before.attention[1:]}"
    assert after.attention_todo.endswith("If you have changed that already, publish the flow.")


async def test_a_flow_whose_folder_is_no_longer_allowed_needs_attention(
    server: WorkspaceRuntime, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    await server.engine.start()
    await server.backend.change_engine_settings(EngineSettings(allowed_folders=(str(folder),)))
    reads = StepChange(
        app_key=AppKey("files"),
        key="moveFile",
        parameters={"path": str(folder / "a"), "target": str(folder / "b")},
    )
    flow = await published(server, CATCH, reads)

    before = await activity(server, flow.id)
    await server.backend.change_engine_settings(EngineSettings())
    after = await activity(server, flow.id)

    assert before.attention is None
    assert (
        after.attention
        == "Step 2 (Files · Move or rename file) uses files on this computer, and no folder is allowed"
    )
    assert "Settings → Engine" in after.attention_todo


async def test_a_flow_that_lost_the_isolation_of_its_programs_needs_attention(tmp_path: Path) -> None:
    sandbox = PretendedSandbox()
    runtime = await open_runtime(tmp_path, more_apps=APPS, sandbox=sandbox)
    await runtime.engine.start()
    runs = StepChange(app_key=AppKey("code"), key="runPython", parameters={"codeSnippet": "return 1"})
    flow = await published(runtime, CATCH, runs, scope=Scope.OPERATE)

    before = await activity(runtime, flow.id)
    sandbox.lost = True
    after = await activity(runtime, flow.id)
    await runtime.close()

    assert before.attention is None
    assert after.attention == "Step 2 (Code · Run Python) runs a program, which needs an admin's approval"
    assert after.attention_todo.startswith("Ask an admin to test and publish this flow.")
    assert after.attention_sentence == f"{after.attention}."


async def test_flows_beyond_the_limit_for_desktop_events_say_so_until_another_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "MAX_WATCHES", 1)
    runtime = await open_runtime(tmp_path, more_apps=APPS, desktop=FakeDesktop())
    flows = [await published(runtime, HOT_KEY, PASS) for _ in range(2)]

    async def wait_for_reasons(number: int) -> dict[FlowId, str]:
        """The reasons, once this many flows have one."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = {flow.id: (await activity(runtime, flow.id)).attention for flow in flows}
                reasons = {flow_id: reason for flow_id, reason in found.items() if reason}
                if len(reasons) == number:
                    return reasons
                await asyncio.sleep(0.01)

    await runtime.engine.start()
    [(late, reason)] = (await wait_for_reasons(1)).items()
    [first] = [flow.id for flow in flows if flow.id != late]
    await runtime.backend.unpublish_flow(first)

    assert reason == "Doesn't start: the limit of 1 for flows that wait for events of the desktop is reached"
    assert await wait_for_reasons(0) == {}
    await runtime.close()
