"""Attackers who aren't admins try to use the desktop of the person at the computer."""

from collections.abc import AsyncIterator

import pytest
from tests.server.attacks.test_attacks_programs import (
    ATTACKERS,
    ISOLATED,
    PretendedSandbox,
    Scene,
    _forbidden,
    as_admin,
)
from tests.support.contract_workspaces import served
from tests.support.fake_desktop import FakeDesktop
from tests.support.workspace import CATCH, PASS, open_runtime

from patchbay.apps.desktop import app as desktop_app
from patchbay.domain.base import AppKey
from patchbay.domain.desktop import ClipboardText
from patchbay.domain.executions import ExecutionState, ReplayOn
from patchbay.domain.flows import StepChange

SECRET = "a text that someone copied"
READ = StepChange(app_key=AppKey("desktop"), key="readClipboard")


@pytest.fixture
async def scene(tmp_path) -> AsyncIterator[Scene]:
    sandbox, desktop = PretendedSandbox(), FakeDesktop()
    sandbox.pretended, desktop.clipboard = ISOLATED, ClipboardText(SECRET)
    runtime = await open_runtime(tmp_path, more_apps=[desktop_app], sandbox=sandbox, desktop=desktop)
    await runtime.engine.start()
    async with served(runtime) as service:
        made = Scene(service, tmp_path / "marker", sandbox)
        yield made
        for remote in made.remotes:
            await remote.close()
    await runtime.close()


@pytest.fixture(params=ATTACKERS)
async def attack(scene: Scene, request) -> Scene:
    await scene.enter(request.param)
    return scene


async def test_a_draft_that_reads_the_clipboard_is_neither_tested_run_nor_published(attack: Scene):
    flow = await attack.flow(CATCH, READ)

    await _forbidden(attack.attacker.test_step(flow.steps[1].id))
    await _forbidden(attack.attacker.test_step(flow.steps[0].id))
    await _forbidden(attack.attacker.run_flow(flow.id, {}))
    await _forbidden(attack.attacker.publish_flow(flow.id))


async def test_replaying_a_test_does_not_read_the_clipboard(attack: Scene):
    """Neither that of a harmless draft, which is changed then, nor that of an admin."""
    flow = await attack.flow(CATCH, PASS)
    trial = await attack.attacker.run_flow(flow.id, {"a": 1})
    await attack.attacker.update_step(flow.steps[1].id, READ)
    with as_admin():
        by_admin = await attack.runtime.backend.run_flow(flow.id, {})

    for execution_id in (trial, by_admin):
        for on in ReplayOn:
            await _forbidden(attack.attacker.replay_execution(execution_id, on=on))


async def test_what_an_admin_published_runs_also_when_an_editor_starts_it(scene: Scene):
    await scene.enter("editor")
    flow = await scene.flow(CATCH, READ)
    with as_admin():
        await scene.runtime.backend.publish_flow(flow.id)

    execution_id = await scene.attacker.run_flow(flow.id, {})

    assert await scene.ended(flow.id) == execution_id
    assert (await scene.attacker.get_execution(execution_id)).state is ExecutionState.SUCCESS
