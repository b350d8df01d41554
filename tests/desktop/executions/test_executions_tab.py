"""The Executions tab by keyboard."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLineEdit
from pytestqt.qtbot import QtBot
from tests.support.choosing import choose
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.core.times import ExecutionQuery, QuickRange, StartedRange
from patchbay.desktop.executions.tab import ExecutionsTab
from patchbay.desktop.executions.view_models.detail import DataTab
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.domain.base import ExecutionId, FolderId
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import Unreachable
from patchbay.domain.executions import ExecutionFilter, ExecutionState

K = Qt.Key


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def around(tasks: Tasks, backend: FakeBackend) -> Services:
    return services(tasks, backend)


@pytest.fixture
def tab(qtbot: QtBot, around: Services) -> ExecutionsTab:
    tab = ExecutionsTab(around)
    qtbot.addWidget(tab)
    tab.resize(1280, 724)
    tab.show()
    tab.activate()
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.rows.is_showing_rows)
    return tab


def chosen(tab: ExecutionsTab) -> list[str]:
    return [item.id for item in tab.table.selected()]


def press(qtbot: QtBot, tab: ExecutionsTab, *keys: Qt.Key) -> None:
    for key in keys:
        qtbot.keyClick(tab.table, key)


def test_j_and_k_walk_the_list_and_fill_the_pane(qtbot, tab):
    press(qtbot, tab, K.Key_J, K.Key_J, K.Key_J, K.Key_K)

    assert chosen(tab) == ["exec-000001"]
    qtbot.waitUntil(lambda: not tab.pane.loading)
    assert tab.detail.head.status_sentence.text() == "Success, all 4 steps"


def test_the_first_and_the_last_execution_have_one_neighbour(qtbot, tab):
    head = tab.detail.head

    press(qtbot, tab, K.Key_J)
    first = head.previous.isEnabled(), head.previous.toolTip(), head.next.isEnabled()
    qtbot.mouseClick(head.next, Qt.MouseButton.LeftButton)
    second = head.previous.isEnabled(), head.previous.toolTip(), head.next.isEnabled()
    tab.table.select_row(tab.table.model().rowCount() - 1)

    assert first == (False, "This is the first execution in the list.", True)
    assert second == (True, "Previous execution (K)", True)
    assert (head.next.isEnabled(), head.next.toolTip()) == (False, "This is the last execution in the list.")


def test_a_failure_opens_with_its_error_in_words(qtbot, tab):
    tab.table.select_id("exec-000008")
    tab.table.select_id("exec-000002")
    qtbot.waitUntil(lambda: not tab.pane.loading)

    assert tab.detail.head.status_sentence.text() == "Failure at step 2 of 3"
    assert tab.pane.tab is DataTab.ERROR
    assert tab.detail.message.isVisible()
    assert "Todoist returned" in tab.detail.message.accessibleName()
    assert tab.detail.source.text().startswith("Response from")


def test_escape_clears_the_selection_and_new_rows_come_in_again(qtbot, tab):
    press(qtbot, tab, K.Key_J)
    reading = tab.runs.following
    press(qtbot, tab, K.Key_Escape)

    assert not reading
    assert tab.runs.following
    assert chosen(tab) == []


def test_new_rows_wait_behind_the_pill_and_keep_the_selection(qtbot, loop_thread: LoopThread, tab, backend):
    press(qtbot, tab, K.Key_J, K.Key_J)
    before = chosen(tab)
    made = backend.executions[0].model_copy(update={"id": "new", "created_at": NOW + 5})
    backend.executions.insert(0, made)
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.EXECUTION, "new")
    qtbot.waitUntil(lambda: tab.summary.new_button.isVisible())
    rows = tab.table.model().rowCount()

    tab.summary.new_button.click()

    assert rows == 366
    assert tab.table.model().rowCount() == 367
    assert chosen(tab) == before
    assert not tab.summary.new_button.isVisible()


def test_typing_in_the_filter_narrows_the_list(qtbot, tab):
    tab.focus_filter()
    qtbot.keyClicks(tab.bar.search, "inventory")
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.table.model().rowCount() < 366)

    assert {item.flow.name for item in tab.runs.window.loaded()} == {"Inventory check"}
    assert "of 366 executions" in tab.summary.counts.accessibleName()


def test_nothing_found_offers_to_clear_the_filters(qtbot, tab):
    tab.bar.search.setText("nothing is called this")
    qtbot.waitUntil(lambda: not tab.rows.is_showing_rows)
    kind = tab.rows.page.kind

    tab.bar.clear.click()
    qtbot.waitUntil(lambda: tab.rows.is_showing_rows)

    assert kind == "no_match"
    assert tab.bar.search.text() == ""
    assert tab.table.model().rowCount() == 366


def test_an_error_of_the_first_load_offers_to_try_again(qtbot, around, backend):
    backend.failing["list_executions"] = Unreachable("flows.example.org does not answer.")
    tab = ExecutionsTab(around)
    qtbot.addWidget(tab)
    tab.show()

    tab.activate()
    qtbot.waitUntil(lambda: tab.rows.page.kind == "error")

    assert tab.rows.page.title == "flows.example.org does not answer."


def test_a_workspace_without_runs_says_what_this_page_is(qtbot, tasks):
    tab = ExecutionsTab(services(tasks, FakeBackend(executions=0)))
    qtbot.addWidget(tab)
    tab.show()

    tab.activate()
    qtbot.waitUntil(lambda: tab.rows.page.kind == "empty")

    assert tab.rows.page.title == "No executions yet"


def test_the_started_chip_and_the_brush_say_the_same(qtbot, tab):
    choose(qtbot, tab.bar.started, "today")
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.summary.histogram.brush() is not None)
    brushed_range = tab.summary.histogram.brush()

    tab.summary.histogram.brush_changed.emit(None)

    assert brushed_range[0] == StartedRange(quick=QuickRange.TODAY).bounds(NOW)[0]
    assert not tab.bar.started.active


def test_several_rows_are_copied_as_json(qtbot, tab):
    tab.table.select_row(0)
    qtbot.keyClick(tab.table, K.Key_Down, Qt.KeyboardModifier.ShiftModifier)

    tab.table.copy_json()

    copied = json.loads(QGuiApplication.clipboard().text())
    assert [item["id"] for item in copied] == ["exec-000000", "exec-000001"]
    assert [action.text() for action in tab.table.menu().actions()] == [
        "Copy rows",
        "Copy as JSON",
        "Copy IDs",
    ]


def test_same_cause_filters_by_the_note_and_says_so_in_a_chip(qtbot, tab):
    tab.table.select_id("exec-000002")
    qtbot.waitUntil(lambda: tab.pane.same_cause > 1)

    tab.detail.same_cause_requested.emit(tab.pane.execution.note)
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date)

    assert tab.bar.cause.isVisible()
    assert {item.note for item in tab.runs.window.loaded()} == {"Todoist refused the sign-in (401)"}


def test_a_link_from_elsewhere_filters_and_opens(qtbot, tab):
    where = ExecutionFilter(states=(ExecutionState.FAILURE,), folder_id=FolderId("folder-ops"))

    tab.go(Place(Tab.EXECUTIONS, id="exec-000002", where=where))
    qtbot.waitUntil(
        lambda: tab.runs.is_up_to_date and not tab.pane.loading and chosen(tab) == ["exec-000002"]
    )

    assert tab.bar.folder.isVisible()
    assert tab.bar.folder.accessibleName() == "Folder: Operations"
    assert {item.flow.folder_id for item in tab.runs.window.loaded()} == {"folder-ops"}


def test_enter_leads_into_the_steps_and_tabs_follow_the_keys(qtbot, tab):
    press(qtbot, tab, K.Key_J, K.Key_J, K.Key_J, K.Key_Return)
    qtbot.waitUntil(lambda: not tab.pane.loading)

    qtbot.keyClick(tab.detail.timeline, K.Key_Up)

    assert tab.detail.timeline.hasFocus()
    assert tab.pane.step == 0
    assert tab.pane.tab is DataTab.OUT


def test_the_menu_of_a_row_opens_the_execution_or_its_flow(qtbot, tab, around):
    press(qtbot, tab, K.Key_J)
    [run] = tab.table.selected()
    entries = {action.text(): action for action in tab.table.menu().actions()}
    places: list[Place] = []
    around.navigator.requested.connect(places.append)

    entries["Open"].trigger()
    qtbot.waitUntil(lambda: tab.pane.execution is not None)
    assert places == []
    entries["Open the flow"].trigger()

    assert places == [Place(Tab.FLOWS, id=run.flow.id, section="editor")]


def test_closing_the_pane_gives_the_list_the_room(qtbot, tab):
    press(qtbot, tab, K.Key_J)

    tab.detail.head.close_button.click()

    assert not tab.detail.isVisible()
    assert chosen(tab) == []


def test_columns_can_be_left_out_and_narrow_windows_leave_them_out(tab, qtbot):
    tab.bar.columns_menu(frozenset()).actions()[1].trigger()
    hidden = tab.table.isColumnHidden(3)
    tab.bar.columns_menu(tab.bar.hidden).actions()[-1].trigger()
    tab.resize(1024, 640)

    qtbot.waitUntil(lambda: tab.table.isColumnHidden(5))
    assert hidden
    assert not tab.table.isColumnHidden(3)


def test_an_export_shows_its_progress_and_says_when_it_is_done(qtbot, tab, around, tmp_path):
    with qtbot.waitSignal(around.notices.posted) as posted:
        tab.export.start(ExecutionFilter(), tmp_path / "runs.csv")

    assert posted.args[0].text == "366 executions written to runs.csv."
    qtbot.waitUntil(lambda: not tab.export.isVisible())


def test_everything_that_takes_the_focus_has_a_name(tab, qtbot):
    press(qtbot, tab, K.Key_J, K.Key_J, K.Key_J)
    qtbot.waitUntil(lambda: not tab.pane.loading)

    kinds = (QAbstractButton, QAbstractItemView, QLineEdit)
    nameless = [
        widget
        for kind in kinds
        for widget in tab.findChildren(kind)
        if widget.isVisible()
        and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
    ]
    assert nameless == []


def test_the_end_of_the_list_is_requested_when_it_comes_into_sight(qtbot, tab):
    before = tab.runs.window.peek(365)

    tab.table.scrollToBottom()
    tab.table.grab()

    qtbot.waitUntil(lambda: tab.runs.window.peek(365) is not None)
    assert before is None


def test_a_filter_that_excludes_the_shown_execution_closes_its_pane(qtbot: QtBot, tab: ExecutionsTab) -> None:
    tab.table.select_id(ExecutionId("exec-000002"))
    qtbot.waitUntil(lambda: not tab.pane.loading)

    tab.runs.set_query(ExecutionQuery(states=(ExecutionState.FAILURE,)))
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and not tab._query_changed)
    assert tab.detail.isVisible()

    tab.bar.search.setFocus()
    tab.runs.set_query(ExecutionQuery(states=(ExecutionState.SUCCESS,)))
    qtbot.waitUntil(lambda: not tab.detail.isVisible())
    assert tab.pane.execution is None
    assert tab.bar.search.hasFocus()


def test_a_link_opens_an_execution_that_its_filter_excludes(qtbot: QtBot, tab: ExecutionsTab) -> None:
    only_successes = ExecutionFilter(states=(ExecutionState.SUCCESS,))
    tab.go(Place(Tab.EXECUTIONS, "exec-000002", where=only_successes))

    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and not tab._query_changed and not tab.pane.loading)
    assert tab.detail.isVisible()
    assert tab.pane.execution.id == "exec-000002"


def test_the_app_filter_offers_only_apps_of_flows_and_executions(qtbot, tab, around, monkeypatch):
    qtbot.waitUntil(lambda: bool(tab.runs.flows) and bool(around.apps.all))
    flow, run = tab.runs.flows[0], tab.runs.window.loaded()[0]
    monkeypatch.setattr(tab.runs, "flows", (flow,))
    monkeypatch.setattr(tab.runs.window, "loaded", lambda: (run,))

    offered = {key for key, _ in tab.bar._used_apps()}

    assert offered == {*flow.app_keys, *run.flow.app_keys}
    assert offered < {app.key for app in around.apps.all}
