"""A step that waits for a person doesn't delay the end of the program, and waits again after a restart."""

import asyncio

from tests.support.fake_desktop import FakeDesktop
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, WorkspaceRuntime, open_runtime

from patchbay.apps.desktop import app as desktop_app
from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.executions import ExecutionFilter, ExecutionState
from patchbay.domain.flows import StepChange
from patchbay.domain.paging import PageRequest

ASK = StepChange(
    app_key=AppKey("desktop"),
    key="askMe",
    parameters={"title": "Which?", "fields": [{"label": "Name", "type": "text"}]},
)


async def _published(runtime: WorkspaceRuntime) -> FlowId:
    flow = await runtime.backend.create_flow("Ask")
    while len(flow.steps) < 2:
        flow = await runtime.backend.add_step(flow.id)
    for step, change in zip(flow.steps, (CATCH, ASK), strict=True):
        await runtime.backend.update_step(step.id, change)
    for step in flow.steps:
        await runtime.backend.skip_step_test(step.id)
    token = current_actor.set(Actor(kind=ActorKind.COMMAND, name="This computer", scope=Scope.ADMIN))
    await runtime.backend.publish_flow(flow.id)
    current_actor.reset(token)
    return flow.id


async def _until_open(desktop: FakeDesktop) -> None:
    async with asyncio.timeout(PATIENCE):
        await desktop.is_waiting.wait()


async def test_a_question_appears_again_after_a_restart_and_its_response_continues_the_run(tmp_path):
    desktop = FakeDesktop()
    runtime = await open_runtime(tmp_path, more_apps=[desktop_app], desktop=desktop)
    await runtime.engine.start()
    flow_id = await _published(runtime)
    await runtime.backend.run_flow(flow_id, {})
    await _until_open(desktop)

    async with asyncio.timeout(PATIENCE):
        await runtime.engine.stop(grace=2 * PATIENCE)  # a person who closes the program doesn't wait
    assert desktop.open == 0
    await runtime.engine.start()
    await _until_open(desktop)
    desktop.responses.put_nowait({"name": "Ada"})

    async with asyncio.timeout(PATIENCE):
        while True:
            page = await runtime.backend.list_executions(ExecutionFilter(flow_id=flow_id), PageRequest())
            if page.items[0].state.finished:
                break
            await asyncio.sleep(0.01)
    assert [one.state for one in page.items] == [ExecutionState.SUCCESS]
    *_, step = await runtime.backend.execution_steps(page.items[0].id)
    assert step.data_out == {"status": "submitted", "values": {"name": "Ada"}}
    assert len(desktop.shown) == 2
    await runtime.close()
