"""The programs that an admin allows: checked when they are allowed, and offered in the step."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.workspace import CATCH, WorkspaceRuntime, open_runtime

from patchbay.apps.programs import app as programs_app
from patchbay.domain.base import AppKey
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flows import StepChange

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the paths are of Unix")


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[WorkspaceRuntime]:
    made = await open_runtime(tmp_path, more_apps=[programs_app])
    yield made
    await made.close()


async def test_a_step_offers_the_allowed_programs(runtime: WorkspaceRuntime) -> None:
    flow = await runtime.backend.create_flow("Touch")
    while len(flow.steps) < 2:
        flow = await runtime.backend.add_step(flow.id)
    running = StepChange(app_key=AppKey("programs"), key="runProgram")
    for step, change in zip(flow.steps, (CATCH, running), strict=True):
        await runtime.backend.update_step(step.id, change)
    step_id = flow.steps[1].id

    before = await runtime.backend.dynamic_options(step_id, "listPrograms", {})
    await runtime.backend.change_engine_settings(EngineSettings(allowed_programs=("/usr/bin/touch",)))

    assert list(before) == []
    offered = await runtime.backend.dynamic_options(step_id, "listPrograms", {})
    assert [option.value for option in offered] == ["/usr/bin/touch"]


@pytest.mark.parametrize("program", ["touch", "/bin/sh", "/usr/bin/../bin/touch", "/does/not/exist"])
async def test_other_programs_cannot_be_allowed(runtime: WorkspaceRuntime, program: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        await runtime.backend.change_engine_settings(EngineSettings(allowed_programs=(program,)))

    assert "allowedPrograms" in caught.value.fields()
    assert (await runtime.backend.engine_settings()).allowed_programs == ()


async def test_a_program_that_was_allowed_and_is_gone_does_not_hinder_other_settings(
    runtime: WorkspaceRuntime, tmp_path: Path
) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/usr/bin/env true\n", encoding="utf-8")
    tool.chmod(0o755)
    allowed = EngineSettings(allowed_programs=(str(tool),))
    await runtime.backend.change_engine_settings(allowed)
    tool.unlink()

    changed = allowed.model_copy(update={"max_concurrent": 5})

    assert (await runtime.backend.change_engine_settings(changed)).max_concurrent == 5
