"""Fixtures of the Flows tab and the editor over a fake workspace, for the conftest of both."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.light_theme import apply_light_theme

from patchbay.desktop.core.notices import Notice
from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel
from patchbay.desktop.tasks import Tasks
from patchbay.domain.base import FlowId, StepId

__all__ = ["around", "backend", "flows", "light_theme", "notices", "page", "tab"]


@pytest.fixture(autouse=True)
def light_theme(qapp: QApplication) -> None:
    apply_light_theme(qapp)


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
    tab.edit(FlowId("flow-issues"), StepId("flow-issues-4"))
    editor = tab.editor_page
    qtbot.waitUntil(lambda: "content" in editor.form_pane.fields.editors)
    return editor
