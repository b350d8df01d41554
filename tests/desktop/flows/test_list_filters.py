"""What the list of flows can be filtered and sorted by."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.flows.view_models.flow_list import FlowSort
from patchbay.domain.base import ConnectionId
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import FlowFilter

K = Qt.Key


def test_the_flows_of_a_connection_say_so_and_can_be_left(qtbot, tab):
    bar, flows = tab.list_page.toolbar, tab.list_page.flows
    everything = [row.id for row in flows.rows]
    assert not bar.connection.isVisible()

    tab.go(Place(Tab.FLOWS, where=FlowFilter(connection_id=ConnectionId("con-gh"))))
    qtbot.waitUntil(lambda: bar.connection.accessibleName() == "Connection: anna-lindqvist")
    assert bar.connection.isVisible()
    assert bar.clear.isVisible()
    assert len(flows.rows) < len(everything)

    qtbot.keyClick(bar.connection, K.Key_Delete)
    assert not bar.connection.isVisible()
    assert [row.id for row in flows.rows] == everything


@pytest.mark.parametrize("key", [K.Key_Return, K.Key_Space])
def test_a_column_sorts_by_the_keyboard(qtbot, tab, key):
    flows, header = tab.list_page.flows, tab.list_page.header
    name = next(each for each in header.findChildren(QAbstractButton) if each.accessibleName() == "Flow")
    name.setFocus(Qt.FocusReason.TabFocusReason)
    assert name.hasFocus()

    for descending in (False, True):
        qtbot.keyClick(name, key)
        assert (flows.sort, flows.descending) == (FlowSort.NAME, descending)


def test_every_state_a_run_can_be_in_is_offered_as_the_last_result(tab):
    assert [value for value, _ in tab.list_page.toolbar.result._options] == list(ExecutionState)
