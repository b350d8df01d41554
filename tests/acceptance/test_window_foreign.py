"""The window on a service that is not ours, over its real bytes: all is there, nothing leads nowhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLineEdit
from pytestqt.qtbot import QtBot
from tests.support.foreign_window import (
    ForeignWindow,
    clickable,
    foreign_window,
    more_executions,
    name_of,
    offered,
    select_first,
    service_elsewhere,
)
from tests.support.forms import in_forms, long_form
from tests.support.recorded_service import RecordedService

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.core.times import ExecutionQuery
from patchbay.domain.base import FlowId
from patchbay.domain.executions import HistoryCopyState

HARBOUR, HOLIDAY = "Harbour news", "Holiday calendar"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedService]:
    with service_elsewhere(monkeypatch) as playing:
        yield playing


@pytest.fixture
def foreign(qtbot: QtBot, tmp_path: Path, service: RecordedService) -> Iterator[ForeignWindow]:
    with foreign_window(qtbot, tmp_path / "data", service) as opened:
        opened.window.wait(lambda: opened.window.rows("Flows"))
        yield opened


def flow_id(foreign: ForeignWindow, name: str) -> FlowId:
    return FlowId(next(row["id"] for row in foreign.service.state.flows if row["name"] == name))


def open_executions(foreign: ForeignWindow):
    tab = foreign.window.tab(Tab.EXECUTIONS)
    foreign.window.wait(lambda: foreign.window.rows("Executions"))
    foreign.window.wait(lambda: tab.runs.is_up_to_date)
    return tab


@long_form
def test_a_flow_is_published_and_unpublished_and_one_that_cannot_run_is_rejected_with_a_clear_error(foreign):
    window, state = foreign.window, foreign.service.state
    page = window.tab(Tab.FLOWS).list_page
    holiday, empty = (next(r for r in state.flows if r["name"] == n) for n in (HOLIDAY, "Name your flow"))

    page.view.publish_toggled.emit(holiday["id"])
    window.wait(lambda: holiday["active"] and page.flows.flow(holiday["id"]).active)
    page.view.publish_toggled.emit(holiday["id"])
    window.wait(lambda: not holiday["active"] and not page.flows.flow(holiday["id"]).active)
    page.view.publish_toggled.emit(empty["id"])
    window.wait(lambda: foreign.service.refused)
    window.wait(lambda: "Complete all steps before publishing" in foreign.texts())

    assert not empty["active"]
    assert not page.flows.flow(empty["id"]).active


@long_form
def test_a_template_becomes_a_flow_that_opens(foreign):
    window, state = foreign.window, foreign.service.state
    tab = window.tab(Tab.TEMPLATES)
    window.wait(lambda: tab.templates.shown)

    window.press("Use template")

    window.wait(lambda: len(state.flows) == 14)
    editor = window.tab(Tab.FLOWS).editor_page.editor
    window.wait(lambda: editor.flow and editor.flow.id == state.flows[-1]["id"])
    assert editor.flow.name == state.flows[-1]["name"] == "Catch parcels"
    assert foreign.errors == []


@long_form
def test_folders_are_made_renamed_and_deleted_where_they_belong(foreign):
    window, state = foreign.window, foreign.service.state
    tab = window.tab(Tab.FOLDERS)
    window.wait(lambda: tab.folders.rows)

    window.press("New folder")
    editor = window.see(QLineEdit, "Folder name")
    editor.clear()
    window.type(editor, "Cranes")
    window.key(editor, Qt.Key.Key_Return)
    window.wait(lambda: [row for row in state.folders if row["name"] == "Cranes"])
    made = next(row for row in state.folders if row["name"] == "Cranes")
    window.wait(lambda: tab.folders.row.name == "Cranes")
    window.press("Delete")
    window.wait(lambda: made not in state.folders)

    jonas = next(row for row in state.folders if row["userId"] == state.users[1]["id"])
    tab.folders.rename(jonas["id"], "Bills")
    window.wait(lambda: jonas["name"] == "Bills")
    tab.folders.select(jonas["id"])
    window.press("Delete")
    window.wait(lambda: "can't move them back" in foreign.texts())
    assert jonas in state.folders
    window.press("Delete folder")
    window.wait(lambda: jonas not in state.folders)
    window.wait(lambda: "Bills" not in [row.name for row in tab.folders.rows])

    assert foreign.errors == []
    assert not any("“Bills” deleted" in words for words in foreign.ways_back)


@long_form
@pytest.mark.parametrize(
    "tab", in_forms(list(Tab), short=[Tab.EXECUTIONS, Tab.FOLDERS]), ids=lambda tab: tab.value
)
def test_nothing_that_can_be_clicked_in_a_tab_ends_in_an_error(foreign, tab):
    window = foreign.window

    def shown() -> list[QAbstractButton]:
        view = window.tab(tab)
        select_first(view)
        foreign.rest()
        return clickable(view)

    window.tab(tab)
    foreign.rest()
    names = [name_of(button) for button in shown()]
    for name in names:
        button = next((item for item in shown() if name_of(item) == name), None)
        if button is not None:
            foreign.click(button)
            foreign.rest()
        foreign.close_all()

    assert names
    assert foreign.errors == []
    assert foreign.service.refused == []


def test_no_menu_offers_what_the_service_cannot_do(foreign):
    window = foreign.window
    page = window.tab(Tab.FLOWS).list_page
    place = page.rect().center()
    menus = {
        "flow": lambda: page.flow_actions.menu(
            (flow_id(foreign, HOLIDAY),), place, open_flow=page.opened.emit, rename=page.view.rename
        ),
        "flows": lambda: page.flow_actions.menu(
            (flow_id(foreign, HOLIDAY), flow_id(foreign, "Old invoices")),
            place,
            open_flow=page.opened.emit,
            rename=page.view.rename,
        ),
    }
    executions = open_executions(foreign)
    executions.table.select_row(1)
    window.wait(lambda: executions.pane.execution and not executions.pane.loading)
    menus["execution"] = executions.table.menu
    menus["pane"] = executions.detail.head.menu
    tried = []
    for name, make in menus.items():
        for words in [action.text() for action in offered(make())]:
            chosen = next((action for action in offered(make()) if action.text() == words), None)
            if chosen is None:
                continue  # what was chosen before took it away
            tried.append(f"{name}: {words}")
            chosen.trigger()
            foreign.rest()
            foreign.close_all()
            window.tab(Tab.FLOWS if name.startswith("flow") else Tab.EXECUTIONS)
            executions.runs.clear()

    assert len(tried) > 8
    assert foreign.errors == []
    assert foreign.service.refused == []


@long_form
def test_every_page_of_the_settings_says_what_is_missing_instead_of_asking_for_it(foreign):
    dialog = foreign.window.desk.window.open_settings()
    for row in range(dialog.list.count()):
        dialog.list.setCurrentRow(row)
        foreign.rest()
    dialog.close()

    assert foreign.errors == []
    assert foreign.service.refused == []


@long_form
def test_a_filter_that_needs_a_copy_leads_to_the_copy_and_not_to_an_error(foreign):
    tab = open_executions(foreign)

    tab.runs.set_query(ExecutionQuery(flow_id=flow_id(foreign, HARBOUR)))
    foreign.window.wait(lambda: "filters executions only by" in foreign.texts())
    foreign.click(foreign.window.see(QAbstractButton, "Clear filters"))
    foreign.window.wait(lambda: foreign.window.rows("Executions"))

    assert foreign.errors == []


@long_form
def test_a_deleted_flow_is_said_to_be_gone_for_good(foreign):
    window, state = foreign.window, foreign.service.state
    page = window.tab(Tab.FLOWS).list_page
    page.flow_actions.delete((flow_id(foreign, HOLIDAY),))
    window.wait(lambda: "can't restore it" in foreign.texts())
    assert not window.see(QAbstractButton, "Save an export first").isEnabled()

    window.press("Delete flow")

    window.wait(lambda: all(row["name"] != HOLIDAY for row in state.flows))
    window.wait(lambda: foreign.notices)
    assert foreign.ways_back == []
    assert foreign.errors == []


@long_form
def test_executions_of_many_pages_are_read_as_they_come_into_sight(foreign):
    newest_first = more_executions(foreign.service, 276)
    tab = open_executions(foreign)
    window = foreign.window
    window.wait(lambda: tab.runs.window.total == 300)

    tab.table.scrollToBottom()

    window.wait(lambda: (last := tab.runs.window.peek(299)) and last.id == newest_first[-1]["id"])
    window.wait(lambda: tab.runs.counts.matching == 300)
    assert foreign.errors == []


@long_form
def test_the_history_is_read_with_progress_stopped_and_finished_and_then_every_filter_works(foreign):
    more_executions(foreign.service, 126)
    tab = open_executions(foreign)
    window, bar = foreign.window, tab.history
    window.wait(bar.isVisible)
    assert not tab.bar.flow.isEnabled()
    assert "filters executions only by" in tab.bar.flow.toolTip()

    window.press("Download history")
    window.wait(lambda: "Downloading the history: " in bar.accessibleName())
    window.wait(lambda: bar.model.copy.done)
    window.press("Stop")
    window.wait(lambda: bar.model.copy.state is HistoryCopyState.STOPPED)
    done = bar.model.copy.done
    assert 0 < done < 150
    assert f"{done} of 150 executions downloaded" in bar.accessibleName()

    window.press("Resume download")
    window.wait(lambda: bar.model.copy.state is HistoryCopyState.COMPLETE)
    window.wait(tab.bar.flow.isEnabled)
    assert not bar.isVisible()
    tab.runs.set_query(ExecutionQuery(flow_id=flow_id(foreign, HARBOUR), test_run=True))
    window.wait(lambda: tab.runs.is_up_to_date and tab.runs.window.total)
    expected = [
        row
        for row in foreign.service.state.executions
        if row["testRun"] and row["flowId"] == flow_id(foreign, HARBOUR)
    ]
    assert tab.runs.window.total == len(expected)
    assert all(HARBOUR in row for row in window.rows("Executions")[: len(expected)])
    assert foreign.errors == []
