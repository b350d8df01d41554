"""Attackers who aren't admins try to run a program: by every way to start a flow, and by racing the check."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from tests.support.contract_workspaces import Served, served
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime, open_runtime

from patchbay.apps.code import app as code
from patchbay.apps.patchbay import app as patchbay
from patchbay.client.remote import RemoteBackend
from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey, ExecutionId, FlowId, JsonObject
from patchbay.domain.engine import NOT_ISOLATED, Isolation, IsolationKind
from patchbay.domain.errors import AppError, Forbidden
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ReplayOn
from patchbay.domain.flow_calls import (
    ANY_FLOW,
    CALL_FLOW_ACTION,
    CALLED_TRIGGER,
    FLOW_FAILED_TRIGGER,
    PATCHBAY_APP,
)
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.domain.people import EDITOR
from patchbay.domain.ports import WebhookRequest
from patchbay.integration.sandbox import Sandbox

ADMIN_ACTOR = Actor(kind=ActorKind.COMMAND, name="This computer", scope=Scope.ADMIN)
ISOLATED = Isolation(kind=IsolationKind.BUBBLEWRAP, detail="Programs run under bubblewrap.")
RACES = 8


class PretendedSandbox(Sandbox):
    """Runs programs without isolation, whatever this computer offers, and says what it is told to say."""

    def __init__(self) -> None:
        super().__init__(search="")
        self.pretended = NOT_ISOLATED

    @property
    def isolation(self) -> Isolation:
        return self.pretended


@dataclass
class Scene:
    """A service whose programs aren't isolated, and an attacker with a key of it."""

    service: Served
    marker: Path
    sandbox: PretendedSandbox
    key: str = ""
    remotes: list[RemoteBackend] = field(default_factory=list)

    @property
    def runtime(self) -> WorkspaceRuntime:
        return self.service.runtime

    @property
    def attacker(self) -> Backend:
        return self.remotes[0]

    async def enter(self, who: str) -> None:
        """Make the attacker's key."""
        keys = self.runtime.backend
        person = None
        if who == "editor":
            person = (await keys.create_user("Eve", "eve@example.org", EDITOR.id)).id
        elif who == "operate key of an admin":
            person = next(user.id for user in await keys.list_users() if user.role and user.role.is_admin)
        scope = Scope.ADMIN if who == "editor" else Scope.OPERATE
        self.key = (await keys.create_api_key(who, scope, person)).value
        self.remotes.append(RemoteBackend(self.service.base_url, self.key))

    @property
    def program(self) -> StepChange:
        """A step that writes the marker."""
        snippet = f"open({str(self.marker)!r}, 'w').close()\nreturn {{}}"
        given: JsonObject = {"inputs": [], "codeSnippet": snippet}
        return StepChange(app_key=AppKey("code"), key="runPython", parameters=given)

    async def flow(self, *changes: StepChange) -> Flow:
        """A draft of the attacker with these steps, ready to be published."""
        flow = await self.attacker.create_flow("Attack")
        while len(flow.steps) < len(changes):
            flow = await self.attacker.add_step(flow.id)
        for step, change in zip(flow.steps, changes, strict=True):
            await self.attacker.update_step(step.id, change)
        for step in flow.steps:
            flow = await self.attacker.skip_step_test(step.id)
        return flow

    async def unapproved(self, *changes: StepChange) -> Flow:
        """A flow the attacker published while programs were isolated, which they no longer are."""
        flow = await self.flow(*changes)
        self.sandbox.pretended = ISOLATED
        flow = await self.attacker.publish_flow(flow.id)
        self.sandbox.pretended = NOT_ISOLATED
        return flow

    async def ended(self, flow_id: FlowId) -> ExecutionId:
        """The newest execution of a flow, once it has ended."""
        async with asyncio.timeout(PATIENCE):
            while True:
                page = await self.runtime.backend.list_executions(
                    ExecutionFilter(flow_id=flow_id), PageRequest()
                )
                if page.items and page.items[0].state.finished:
                    return page.items[0].id
                await asyncio.sleep(0.02)

    async def refused_run(self, flow_id: FlowId) -> ExecutionId:
        """The run is recorded as failed with the reason, where the attacker sees it; nothing ran."""
        execution_id = await self.ended(flow_id)
        execution = await self.attacker.get_execution(execution_id)
        *_, last = await self.attacker.execution_steps(execution_id)
        assert execution.state is ExecutionState.FAILURE
        assert "needs an admin's approval" in str(last.error_details)
        assert not self.marker.exists()
        return execution_id


@contextlib.contextmanager
def as_admin():
    token = current_actor.set(ADMIN_ACTOR)
    yield
    current_actor.reset(token)


@pytest.fixture
async def scene(tmp_path) -> AsyncIterator[Scene]:
    sandbox = PretendedSandbox()
    runtime = await open_runtime(tmp_path, more_apps=[code, patchbay], sandbox=sandbox)
    await runtime.engine.start()
    async with served(runtime) as service:
        made = Scene(service, tmp_path / "marker", sandbox)
        yield made
        for remote in made.remotes:
            await remote.close()
    await runtime.close()


ATTACKERS = ("editor", "operate key of nobody", "operate key of an admin")


@pytest.fixture(params=ATTACKERS)
async def attack(scene: Scene, request) -> Scene:
    await scene.enter(request.param)
    return scene


@pytest.fixture
async def editor(scene: Scene) -> Scene:
    await scene.enter("editor")
    return scene


async def _forbidden(asked: Awaitable[object]) -> None:
    with pytest.raises(Forbidden, match="needs an admin's approval"):
        await asked


async def test_replaying_the_test_of_a_harmless_draft_runs_no_program(attack: Scene):
    flow = await attack.flow(CATCH, PASS)
    trial = await attack.attacker.run_flow(flow.id, {"a": 1})
    await attack.attacker.update_step(flow.steps[1].id, attack.program)

    for on in ReplayOn:
        await _forbidden(attack.attacker.replay_execution(trial, on=on))

    assert not attack.marker.exists()


async def test_a_draft_with_a_program_is_neither_tested_run_nor_published(attack: Scene):
    flow = await attack.flow(CATCH, attack.program)

    await _forbidden(attack.attacker.test_step(flow.steps[1].id))
    await _forbidden(attack.attacker.run_flow(flow.id, {}))
    await _forbidden(attack.attacker.publish_flow(flow.id))

    assert not (await attack.attacker.get_flow(flow.id)).active
    assert not attack.marker.exists()


async def test_copies_of_a_flow_are_no_way_around(editor: Scene):
    flow = await editor.flow(CATCH, editor.program)
    imported = await editor.attacker.import_flow(await editor.attacker.export_flow(flow.id))
    copied = await editor.attacker.duplicate_flow(flow.id)
    template = await editor.attacker.create_template("Attack", flow.id)
    used = await editor.attacker.use_template(template.id)
    await editor.attacker.delete_flow(flow.id)
    restored = await editor.attacker.restore_flow(flow.id)

    for made in (imported, copied, used, restored):
        for step in made.steps:
            with contextlib.suppress(AppError):
                await editor.attacker.skip_step_test(step.id)
        await _forbidden(editor.attacker.run_flow(made.id, {}))
        await _forbidden(editor.attacker.publish_flow(made.id))

    assert not editor.marker.exists()


async def test_a_webhook_records_why_its_run_was_refused(editor: Scene):
    flow = await editor.unapproved(CATCH, editor.program)

    async with httpx.AsyncClient(base_url=editor.service.base_url, timeout=30) as stranger:
        accepted = await stranger.post(f"/webhooks/flows/{flow.id}", json={})
        answered = await stranger.post(f"/webhooks/flows/{flow.id}/sync", json={"again": 1})

    assert accepted.status_code == 204
    assert answered.status_code == 502
    await editor.refused_run(flow.id)


async def test_unapproved_programs_are_not_started_by_run_retry_replay_or_bulk_retry(editor: Scene):
    flow = await editor.unapproved(CATCH, editor.program)
    request = WebhookRequest(method="POST", headers={}, query={}, body={})
    await editor.runtime.engine.deliver(flow.id, request, synchronous=False)
    failed = await editor.refused_run(flow.id)

    await _forbidden(editor.attacker.run_flow(flow.id, {}))
    await _forbidden(editor.attacker.retry_execution(failed))
    for on in ReplayOn:
        await _forbidden(editor.attacker.replay_execution(failed, on=on))
    job = await editor.attacker.retry_executions(ExecutionFilter(flow_id=flow.id))
    async with asyncio.timeout(PATIENCE):
        while not job.finished:
            await asyncio.sleep(0.02)
            job = await editor.attacker.bulk_retry(job.id)

    assert (job.done, job.refused) == (0, 1)
    assert not editor.marker.exists()


async def test_a_paused_flow_that_is_resumed_runs_no_program(editor: Scene):
    flow = await editor.unapproved(CATCH, editor.program)
    await editor.attacker.pause_flow(flow.id)
    request = WebhookRequest(method="POST", headers={}, query={}, body={})
    await editor.runtime.engine.deliver(flow.id, request, synchronous=False)

    await editor.attacker.resume_flow(flow.id)

    await editor.refused_run(flow.id)


async def test_an_approval_that_ended_does_not_return_when_the_queued_run_begins(editor: Scene):
    """Programs were isolated when the earlier version was replayed, and aren't when its run begins."""
    flow = await editor.flow(CATCH, editor.program)
    with as_admin():
        await editor.runtime.backend.publish_flow(flow.id)
    earlier = await editor.attacker.run_flow(flow.id, {})
    await editor.ended(flow.id)
    editor.marker.unlink()
    with as_admin():
        await editor.runtime.backend.update_step(flow.steps[1].id, PASS)
        await editor.runtime.backend.skip_step_test(flow.steps[1].id)
        await editor.runtime.backend.publish_flow(flow.id)
    await editor.attacker.pause_flow(flow.id)
    editor.sandbox.pretended = ISOLATED
    await editor.attacker.replay_execution(earlier, on=ReplayOn.ORIGINAL)
    editor.sandbox.pretended = NOT_ISOLATED

    await editor.attacker.resume_flow(flow.id)

    await editor.refused_run(flow.id)


async def test_an_approved_version_that_was_replaced_while_its_runs_were_queued_runs_no_program(
    attack: Scene,
):
    flow = await attack.flow(CATCH, attack.program)
    with as_admin():
        await attack.runtime.backend.publish_flow(flow.id)
    await attack.attacker.pause_flow(flow.id)
    request = WebhookRequest(method="POST", headers={}, query={}, body={"command": "mine"})
    await attack.runtime.engine.deliver(flow.id, request, synchronous=False)
    with as_admin():
        await attack.runtime.backend.update_step(flow.steps[1].id, PASS)
        await attack.runtime.backend.skip_step_test(flow.steps[1].id)
        await attack.runtime.backend.publish_flow(flow.id)

    await attack.attacker.resume_flow(flow.id)

    refused = await attack.refused_run(flow.id)
    *_, last = await attack.attacker.execution_steps(refused)
    assert "isn't the published one any more" in str(last.error_details)


async def test_a_called_flow_runs_no_program(editor: Scene):
    called = await editor.unapproved(StepChange(app_key=PATCHBAY_APP, key=CALLED_TRIGGER), editor.program)
    call = StepChange(
        app_key=PATCHBAY_APP, key=CALL_FLOW_ACTION, parameters={"flow": called.id, "wait": True}
    )
    caller = await editor.flow(CATCH, call)
    await editor.attacker.publish_flow(caller.id)

    await editor.attacker.run_flow(caller.id, {})

    await editor.refused_run(called.id)
    ended = await editor.attacker.get_execution(await editor.ended(caller.id))
    assert ended.state is ExecutionState.FAILURE


async def test_a_flow_that_hears_of_failures_runs_no_program(editor: Scene):
    hears = StepChange(app_key=PATCHBAY_APP, key=FLOW_FAILED_TRIGGER, parameters={"flow": ANY_FLOW})
    listener = await editor.unapproved(hears, editor.program)
    failing = await editor.unapproved(CATCH, editor.program)
    request = WebhookRequest(method="POST", headers={}, query={}, body={})

    await editor.runtime.engine.deliver(failing.id, request, synchronous=False)

    await editor.refused_run(failing.id)
    await editor.refused_run(listener.id)


async def _swap(scene: Scene, flow: Flow) -> None:
    """Change the harmless step to a program and back."""
    with contextlib.suppress(AppError):
        await scene.attacker.update_step(flow.steps[1].id, scene.program)
        await scene.attacker.skip_step_test(flow.steps[1].id)
        await scene.attacker.update_step(flow.steps[1].id, PASS)
        await scene.attacker.skip_step_test(flow.steps[1].id)


@pytest.mark.parametrize("way", ["test", "run", "publish"])
async def test_swapping_the_step_while_it_is_started_runs_no_program(scene: Scene, way: str):
    await scene.enter("editor")
    flow = await scene.flow(CATCH, PASS)
    asked: dict[str, Callable[[], Awaitable[object]]] = {
        "test": lambda: scene.attacker.test_step(flow.steps[1].id),
        "run": lambda: scene.attacker.run_flow(flow.id, {}),
        "publish": lambda: scene.attacker.publish_flow(flow.id),
    }

    for _ in range(RACES):
        starts = (asked[way]() for _ in range(3))
        await asyncio.gather(_swap(scene, flow), *starts, return_exceptions=True)
    with contextlib.suppress(AppError):
        await scene.attacker.run_flow(flow.id, {})
        await scene.ended(flow.id)

    assert not scene.marker.exists()


async def test_what_an_admin_published_runs_also_when_its_editor_starts_it(editor: Scene):
    flow = await editor.flow(CATCH, editor.program)
    with as_admin():
        await editor.runtime.backend.publish_flow(flow.id)

    execution_id = await editor.attacker.run_flow(flow.id, {})

    assert await editor.ended(flow.id) == execution_id
    assert (await editor.attacker.get_execution(execution_id)).state is ExecutionState.SUCCESS
    assert editor.marker.exists()


async def test_an_admin_runs_unapproved_programs_and_approves_them_by_publishing(editor: Scene):
    flow = await editor.unapproved(CATCH, editor.program)
    with as_admin():
        await editor.runtime.backend.run_flow(flow.id, {})
    await editor.ended(flow.id)
    assert editor.marker.exists()
    await _forbidden(editor.attacker.run_flow(flow.id, {}))

    with as_admin():
        await editor.runtime.backend.publish_flow(flow.id)

    assert await editor.attacker.run_flow(flow.id, {})


async def test_a_refused_run_can_be_run_again_on_the_version_that_an_admin_published_since(editor: Scene):
    flow = await editor.unapproved(CATCH, editor.program)
    request = WebhookRequest(method="POST", headers={}, query={}, body={})
    await editor.runtime.engine.deliver(flow.id, request, synchronous=False)
    refused = await editor.refused_run(flow.id)
    *_, last = await editor.attacker.execution_steps(refused)
    assert "Then run failed executions again on the newest version." in str(last.error_details)
    with as_admin():
        await editor.runtime.backend.publish_flow(flow.id)

    with pytest.raises(Forbidden, match="needs an admin's approval") as retried:
        await editor.attacker.retry_execution(refused)
    assert retried.value.meaning.startswith("No admin approved this version")
    assert retried.value.todo.startswith("Run it again on the newest version.")
    assert not editor.marker.exists()

    again = await editor.attacker.replay_execution(refused, on=ReplayOn.NEWEST)

    assert await editor.ended(flow.id) == again
    assert (await editor.attacker.get_execution(again)).state is ExecutionState.SUCCESS
    assert editor.marker.exists()


async def test_isolated_programs_run_for_everyone_who_can_run_flows(editor: Scene):
    editor.sandbox.pretended = ISOLATED
    flow = await editor.flow(CATCH, editor.program)
    await editor.attacker.publish_flow(flow.id)

    await editor.attacker.run_flow(flow.id, {})
    await editor.ended(flow.id)

    assert editor.marker.exists()
