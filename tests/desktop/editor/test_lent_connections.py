"""A step that may use connections of another app, and need not."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.tab import FlowsTab
from patchbay.domain.base import AppKey, ConnectionId, FlowId, StepId
from patchbay.domain.blockers import CONNECTION_FIELD
from patchbay.domain.connections import Connection, ConnectionHealth

STEP = StepId("flow-uptime-4")


@pytest.fixture
def tab(qtbot: QtBot, around: Services, backend):
    """The editor on a step of HTTP Request, with one HTTP connection there."""
    info = backend.apps["http-request"]
    lent = info.actions[0].model_copy(update={"connection_app": "http", "connection_optional": True})
    backend.apps["http-request"] = info.model_copy(update={"actions": (lent,)})
    mine = Connection(
        id=ConnectionId("con-http"),
        app_key=AppKey("http"),
        screen_name="Warehouse",
        health=ConnectionHealth.VALID,
        verified=True,
    )
    backend.connections[mine.id] = mine
    tab = FlowsTab(around)
    qtbot.addWidget(tab)
    tab.resize(1280, 724)
    tab.show()
    tab.activate()
    tab.edit(FlowId("flow-uptime"), STEP)
    qtbot.waitUntil(lambda: "url" in tab.editor_page.form_pane.fields.editors)
    qtbot.waitUntil(lambda: tab.editor_page.form_pane.connection.isVisible())
    return tab


@pytest.fixture
def page(tab: FlowsTab):
    return tab.editor_page


def test_connections_of_the_lending_app_are_offered_and_none_is_fine(qtbot, page, backend):
    field = page.form_pane.connection
    field.open()
    choices = field.popup.list.model()
    offered = [choices.index(row, 0).data() for row in range(choices.rowCount())]
    field.popup.close()

    assert field.button.words() == "No connection"
    assert offered == ["No connection", "Warehouse", "Add connection…"]
    assert not any(item.field == CONNECTION_FIELD for item in page.editor.blockers if item.step_id == STEP)


def test_one_is_chosen_and_given_up_again(qtbot, page, backend):
    field = page.form_pane.connection
    field._choose("con-http")
    qtbot.waitUntil(lambda: backend._step(STEP)[1].connection_id == "con-http")
    qtbot.waitUntil(lambda: field.button.words() == "Warehouse")
    field._choose("")

    qtbot.waitUntil(lambda: backend._step(STEP)[1].connection_id is None)


def test_adding_one_leads_to_the_lending_app(qtbot, page, around):
    places: list[Any] = []
    around.navigator.requested.connect(places.append)
    page.form_pane.connection._choose("add a connection")

    assert places == [Place(Tab.MY_APPS, id="http", section="add")]
