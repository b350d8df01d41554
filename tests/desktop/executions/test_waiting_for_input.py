"""An execution whose form or notification is open says that it waits for the person, not that it runs."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.fake_desktop import FakeDesktop
from tests.support.fake_workspace import NOW, execution, flows
from tests.support.patience import PATIENCE
from tests.support.workspace import CATCH, PASS, WorkspaceRuntime, open_runtime

from patchbay.apps.desktop import app as desktop_app
from patchbay.cli.executions import list_executions
from patchbay.cli.parser import parse
from patchbay.desktop.core.execution_labels import (
    TimelineRow,
    execution_label,
    shown_state,
    status_sentence,
)
from patchbay.desktop.executions import columns
from patchbay.desktop.flows.flow_rows import last_run
from patchbay.desktop.flows.view_models.flow_list import FlowRow
from patchbay.domain.access import Scope
from patchbay.domain.audit_log import Actor, ActorKind, current_actor
from patchbay.domain.base import AppKey
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState, StepState
from patchbay.domain.flows import StepChange, StructuralType
from patchbay.domain.paging import PageRequest

ASK = StepChange(
    app_key=AppKey("desktop"),
    key="askMe",
    parameters={"title": "Who?", "fields": [{"label": "Name", "type": "text"}]},
)


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[WorkspaceRuntime]:
    desktop = FakeDesktop()
    made = await open_runtime(tmp_path, more_apps=[desktop_app], desktop=desktop)
    await made.engine.start()
    token = current_actor.set(Actor(kind=ActorKind.COMMAND, name="This computer", scope=Scope.ADMIN))
    flow = await made.skipped(await made.flow(CATCH, ASK, PASS))
    await made.backend.publish_flow(flow.id)
    await made.backend.run_flow(flow.id, {})
    current_actor.reset(token)
    async with asyncio.timeout(PATIENCE):
        await desktop.is_waiting.wait()
    yield made
    await made.close()


async def test_lists_show_that_a_form_is_open(
    runtime: WorkspaceRuntime, capsys: pytest.CaptureFixture[str]
) -> None:
    [run] = (await runtime.backend.list_executions(ExecutionFilter(), PageRequest())).items
    [activity] = await runtime.backend.flow_activity([run.flow.id])
    flow = await runtime.backend.get_flow(run.flow.id)

    status = next(column for column in columns.columns(lambda: NOW) if column.key == "status")
    assert run.state is ExecutionState.RUNNING
    assert status.text(run) == "Waiting for input"
    assert shown_state(run) is ExecutionState.WAITING
    assert last_run(FlowRow(flow, activity), NOW) == ("Waiting for input", "step 2 of 3")
    assert status_sentence(run, None) == "Waiting for input at step 2 of 3"
    await list_executions(runtime.backend, parse(["execution", "list"]))
    assert "waiting for input" in capsys.readouterr().out


def running(*steps: tuple[str, str], kind: StructuralType = StructuralType.SINGLE) -> Execution:
    run = execution(1, flows())
    refs = tuple(
        ref.model_copy(update={"app_key": app, "key": key, "structural_type": kind})
        for ref, (app, key) in zip(run.flow.steps, steps, strict=False)
    )
    flow = run.flow.model_copy(update={"steps": refs})
    return run.model_copy(update={"flow": flow, "state": ExecutionState.RUNNING, "steps_done": 1})


def test_other_running_steps_are_running() -> None:
    assert execution_label(running(("desktop", "askMe"), ("http-request", "customRequest"))) == "Running"


def test_in_a_branch_the_row_says_which_step_runs() -> None:
    run = running(("webhook", "catch"), ("desktop", "askMe"), kind=StructuralType.PATHS)
    row = TimelineRow(run.flow.steps[1], state=StepState.RUNNING)

    assert execution_label(run) == "Running"
    assert execution_label(run, row) == "Waiting for input"
