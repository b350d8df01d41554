"""The editor over a fake workspace, and over a real one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.flow_screens import around, backend, flows, light_theme, notices, page, tab
from tests.support.patience import PATIENCE
from tests.support.workspace import WorkspaceRuntime, open_runtime

from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.desktop.editor.view_models.step_test import StepTestModel
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.domain.base import FlowId, StepId

__all__ = ["around", "backend", "flows", "light_theme", "notices", "page", "tab"]


@pytest.fixture
def editor(qtbot: QtBot, around: Services) -> EditorViewModel:
    """The editor on the fourth step (Todoist) of a published flow."""
    made = EditorViewModel(around)
    made.open(FlowId("flow-issues"), StepId("flow-issues-4"))
    qtbot.waitUntil(lambda: made.flow is not None and set(made.flow.app_keys) <= made.apps.keys())
    return made


@pytest.fixture
def steps(editor: EditorViewModel) -> StepCommands:
    return StepCommands(editor, editor)


@pytest.fixture
def form(qtbot: QtBot, editor: EditorViewModel) -> StepFormModel:
    made = StepFormModel(editor, editor)
    editor.selected.emit()
    return made


@pytest.fixture
def tester(editor: EditorViewModel, form: StepFormModel) -> StepTestModel:
    made = StepTestModel(editor, form, editor)
    editor.opened.emit()
    return made


@pytest.fixture
def real_runtime(loop_thread: LoopThread, tmp_path: Path) -> Iterator[WorkspaceRuntime]:
    """A workspace with database, engine and apps, no fake."""
    made = loop_thread.submit(open_runtime(tmp_path)).result(PATIENCE)
    yield made
    loop_thread.submit(made.close()).result(PATIENCE)


@pytest.fixture
def real_editor(
    qtbot: QtBot, tasks: Tasks, real_runtime: WorkspaceRuntime, loop_thread: LoopThread
) -> EditorViewModel:
    """A new flow in the editor."""
    around = services(tasks, real_runtime.backend)
    qtbot.waitUntil(lambda: bool(around.apps.all))
    flow = loop_thread.submit(real_runtime.backend.create_flow("Built by hand")).result(PATIENCE)
    made = EditorViewModel(around)
    made.open(flow.id)
    qtbot.waitUntil(lambda: made.flow is not None)
    return made
