"""Attackers who aren't admins try to use the desktop of the person at the computer, and its programs."""

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
from patchbay.apps.programs import app as programs_app
from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.desktop import ClipboardText
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import AppError
from patchbay.domain.executions import ExecutionState, ReplayOn
from patchbay.domain.flows import StepChange

SECRET = "a text that someone copied"
PROGRAM = "/usr/bin/touch"
READ = StepChange(app_key=AppKey("desktop"), key="readClipboard")


@pytest.fixture
async def scene(tmp_path) -> AsyncIterator[Scene]:
    sandbox, desktop = PretendedSandbox(), FakeDesktop()
    sandbox.pretended, desktop.clipboard = ISOLATED, ClipboardText(SECRET)
    apps = [desktop_app, programs_app]
    runtime = await open_runtime(tmp_path, more_apps=apps, sandbox=sandbox, desktop=desktop)
    await runtime.engine.start()
    (tmp_path / "files").mkdir()
    settings = EngineSettings(allowed_folders=(str(tmp_path / "files"),), allowed_programs=(PROGRAM,))
    await runtime.backend.change_engine_settings(settings)
    async with served(runtime) as service:
        made = Scene(service, tmp_path / "marker", sandbox)
        yield made
        for remote in made.remotes:
            await remote.close()
    await runtime.close()


@pytest.fixture(params=["clipboard", "program"])
def step(scene: Scene, request) -> StepChange:
    """A step that reads the clipboard, or makes the marker with an allowed program."""
    if request.param == "clipboard":
        return READ
    given: JsonObject = {
        "program": PROGRAM,
        "arguments": [{"value": str(scene.marker)}],
        "folder": str(scene.marker.parent / "files"),
    }
    return StepChange(app_key=AppKey("programs"), key="runProgram", parameters=given)


@pytest.fixture(params=ATTACKERS)
async def attack(scene: Scene, request) -> Scene:
    await scene.enter(request.param)
    return scene


async def test_a_draft_is_neither_tested_run_nor_published(attack: Scene, step: StepChange):
    flow = await attack.flow(CATCH, step)

    await _forbidden(attack.attacker.test_step(flow.steps[1].id))
    await _forbidden(attack.attacker.test_step(flow.steps[0].id))
    await _forbidden(attack.attacker.run_flow(flow.id, {}))
    await _forbidden(attack.attacker.publish_flow(flow.id))
    assert not attack.marker.exists()


async def test_replaying_a_test_gives_no_power(attack: Scene, step: StepChange):
    """Neither that of a harmless draft, which is changed then, nor that of an admin."""
    flow = await attack.flow(CATCH, PASS)
    trial = await attack.attacker.run_flow(flow.id, {"a": 1})
    await attack.attacker.update_step(flow.steps[1].id, step)
    with as_admin():
        by_admin = await attack.runtime.backend.run_flow(flow.id, {})
    attack.marker.unlink(missing_ok=True)

    for execution_id in (trial, by_admin):
        for on in ReplayOn:
            await _forbidden(attack.attacker.replay_execution(execution_id, on=on))
    assert not attack.marker.exists()


async def test_what_an_admin_published_runs_also_when_an_editor_starts_it(scene: Scene, step: StepChange):
    await scene.enter("editor")
    flow = await scene.flow(CATCH, step)
    with as_admin():
        await scene.runtime.backend.publish_flow(flow.id)

    execution_id = await scene.attacker.run_flow(flow.id, {})

    assert await scene.ended(flow.id) == execution_id
    assert (await scene.attacker.get_execution(execution_id)).state is ExecutionState.SUCCESS
    assert scene.marker.exists() is (step.key == "runProgram")


async def test_an_editor_allows_no_program(attack: Scene):
    settings = await attack.runtime.backend.engine_settings()
    more = settings.model_copy(update={"allowed_programs": (PROGRAM, "/usr/bin/id")})

    with pytest.raises(AppError):
        await attack.attacker.change_engine_settings(more)

    assert (await attack.runtime.backend.engine_settings()).allowed_programs == (PROGRAM,)


@pytest.mark.parametrize("end", ["corrected", "unpublished"])
async def test_an_approval_ends_with_the_publication(attack: Scene, step: StepChange, end: str):
    flow = await attack.flow(CATCH, step)
    with as_admin():
        await attack.runtime.backend.publish_flow(flow.id)
    earlier = await attack.attacker.run_flow(flow.id, {})
    assert await attack.ended(flow.id) == earlier
    attack.marker.unlink(missing_ok=True)
    with as_admin():
        if end == "corrected":
            await attack.runtime.backend.update_step(flow.steps[1].id, PASS)
            await attack.runtime.backend.skip_step_test(flow.steps[1].id)
            await attack.runtime.backend.publish_flow(flow.id)
        else:
            await attack.runtime.backend.unpublish_flow(flow.id)

    await _forbidden(attack.attacker.replay_execution(earlier, item={"given": 1}))
    assert not attack.marker.exists()

    with as_admin():
        again = await attack.runtime.backend.replay_execution(earlier, on=ReplayOn.ORIGINAL)
    assert await attack.ended(flow.id) == again
    assert attack.marker.exists() is (step.key == "runProgram")


async def test_a_failed_run_of_an_earlier_approved_version_is_not_retried(attack: Scene, step: StepChange):
    given: JsonObject = {"program": PROGRAM, "folder": str(attack.marker.parent / "files")}
    fails = StepChange(app_key=AppKey("programs"), key="runProgram", parameters=given)
    flow = await attack.flow(CATCH, step, fails)
    with as_admin():
        await attack.runtime.backend.publish_flow(flow.id)
    failed = await attack.attacker.run_flow(flow.id, {})
    assert await attack.ended(flow.id) == failed
    assert await attack.attacker.retry_execution(failed)
    with as_admin():
        await attack.runtime.backend.unpublish_flow(flow.id)

    await _forbidden(attack.attacker.retry_execution(failed))
