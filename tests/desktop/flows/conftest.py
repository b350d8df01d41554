"""The Flows tab over a fake workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.patience import PATIENCE
from tests.support.workspace import WorkspaceRuntime, open_runtime

from patchbay.desktop.core.notices import Notice
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import FormModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.desktop.editor.view_models.step_test import TestModel
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.desktop.flows.view_models.commands import FlowCommands
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel
from patchbay.desktop.kit import theme
from patchbay.desktop.tasks import LoopThread, Tasks


@pytest.fixture(autouse=True)
def _light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def around(qtbot: QtBot, tasks: Tasks, backend: FakeBackend) -> Services:
    made = services(tasks, backend)
    qtbot.waitUntil(lambda: bool(made.apps.all))
    return made


@pytest.fixture
def notices(around: Services) -> list[Notice]:
    got: list[Notice] = []
    around.notices.posted.connect(got.append)
    return got


@pytest.fixture
def flows(qtbot: QtBot, around: Services) -> FlowsViewModel:
    """The list, loaded with activity."""
    made = FlowsViewModel(around)
    made.load()
    qtbot.waitUntil(lambda: any(row.activity for row in made.rows))
    return made


@pytest.fixture
def commands(around: Services, flows: FlowsViewModel) -> FlowCommands:
    return FlowCommands(around, flows, flows)


@pytest.fixture
def editor(qtbot: QtBot, around: Services) -> EditorViewModel:
    """The editor on the fourth step (Todoist) of a published flow."""
    made = EditorViewModel(around)
    made.open("flow-issues", "flow-issues-4")
    qtbot.waitUntil(lambda: made.flow is not None and set(made.flow.app_keys) <= made.apps.keys())
    return made


@pytest.fixture
def steps(editor: EditorViewModel) -> StepCommands:
    return StepCommands(editor, editor)


@pytest.fixture
def form(qtbot: QtBot, editor: EditorViewModel) -> FormModel:
    made = FormModel(editor, editor)
    editor.selected.emit()
    return made


@pytest.fixture
def tester(editor: EditorViewModel, form: FormModel) -> TestModel:
    made = TestModel(editor, form, editor)
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


@pytest.fixture
def tab(qtbot: QtBot, around: Services) -> FlowsTab:
    made = FlowsTab(around)
    qtbot.addWidget(made)
    made.resize(1280, 724)
    made.show()
    made.activate()
    qtbot.waitUntil(lambda: any(row.activity for row in made.list_page.flows.rows))
    return made


@pytest.fixture
def page(qtbot: QtBot, tab: FlowsTab):
    """The editor on the Todoist step."""
    tab.edit("flow-issues", "flow-issues-4")
    editor = tab.editor_page
    qtbot.waitUntil(lambda: "content" in editor.form_pane.fields.editors)
    return editor
