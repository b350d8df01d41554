"""The window with a third-party server: everything can be viewed, unsupported requests are never sent."""

import pytest
from PySide6.QtWidgets import QLabel
from tests.support.forms import long_form
from tests.support.recorded_service import KEY, RecordedService
from tests.support.tiny_service import Elsewhere
from tests.support.window import open_window

from patchbay.bootstrap import window_controller
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.service.key_stores import MemoryKeyStore


@pytest.fixture
def service():
    playing = RecordedService()
    with Elsewhere() as loop:
        loop.start(playing)
        yield playing


@pytest.fixture
def window(qtbot, tmp_path, service, monkeypatch):
    monkeypatch.setattr(window_controller, "SystemKeyring", MemoryKeyStore)
    with open_window(qtbot, tmp_path / "data", service.address + "/api/v1/", api_key=KEY) as opened:
        yield opened


def _texts(window) -> str:
    return "\n".join(label.text() for label in window.desk.window.findChildren(QLabel) if label.isVisible())


@long_form
def test_every_tab_opens_without_a_refusal_and_without_a_complaint(window, service):
    said: list[str] = []
    window.wait(lambda: window.services)
    window.services.notices.posted.connect(lambda notice: said.append(notice.text))

    flows = window.tab(Tab.FLOWS).list_page.flows
    window.wait(lambda: flows.total == 13)
    window.wait(lambda: len(flows.folders) == 3)
    assert flows.count("b1000001-0b1c-4d2e-8f30-000000000001") == 3
    executions = window.tab(Tab.EXECUTIONS)
    window.wait(lambda: any("Parcels to the stock sheet" in row for row in window.rows("Executions")))
    window.tab(Tab.FOLDERS)
    window.wait(lambda: any("Warehouse" in row for row in window.rows("Folders")))
    window.tab(Tab.TEMPLATES)
    window.wait(lambda: any("Feed to phone" in row for row in window.rows("Templates")))
    window.tab(Tab.MY_APPS)
    window.wait(lambda: "API has no connections" in _texts(window))

    assert executions is not None
    assert said == []
    assert service.refused == []


@long_form
def test_a_flow_and_an_execution_are_looked_at_without_a_question_in_vain(window, service):
    said: list[str] = []
    window.wait(lambda: window.services)
    window.services.notices.posted.connect(lambda notice: said.append(notice.text))
    flow = service.state.flows[2]
    run = service.state.executions[3]
    failed = service.state.executions[4]

    tab = window.tab(Tab.FLOWS)
    window.wait(lambda: window.rows("Flows"))  # a flow is opened from the list
    tab.edit(flow["id"])
    window.wait(lambda: tab.editor_page.editor.flow)
    assert tab.editor_page.editor.flow.name == flow["name"]
    executions = window.tab(Tab.EXECUTIONS)
    window.services.navigator.go(Place(Tab.EXECUTIONS, id=run["id"]))
    window.wait(lambda: service.times(f"GET /api/v1/executions/{run['id']}"))
    window.wait(lambda: "API has no step results" in _texts(window))
    window.services.navigator.go(Place(Tab.EXECUTIONS, id=failed["id"]))
    window.wait(lambda: "This execution failed." in _texts(window))

    assert executions is not None
    assert said == []
    assert service.refused == []
