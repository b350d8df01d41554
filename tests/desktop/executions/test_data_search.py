"""Searching the data of executions: stretch by stretch, with a way to stop, to go on and to leave."""

import re

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_history import STRETCH

from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.times import ExecutionQuery
from patchbay.desktop.executions.tab import ExecutionsTab
from patchbay.desktop.executions.view_models.execution_list import export
from patchbay.desktop.tasks import Tasks
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.errors import Unreachable
from patchbay.domain.executions import ExecutionState


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def tab(qtbot: QtBot, tasks: Tasks, backend: FakeBackend) -> ExecutionsTab:
    tab = ExecutionsTab(services(tasks, backend))
    qtbot.addWidget(tab)
    tab.resize(1280, 724)
    tab.show()
    tab.activate()
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.rows.is_showing_rows)
    return tab


def rested(tab: ExecutionsTab) -> bool:
    return tab.runs.is_up_to_date and bool(tab.runs.search.text) and not tab.runs.search.running


def search(qtbot: QtBot, tab: ExecutionsTab, text: str) -> None:
    tab.runs.search_data(text)
    qtbot.waitUntil(lambda: rested(tab))


def test_enter_in_the_filter_searches_the_data(qtbot, tab, backend):
    failed = [item.id for item in backend.executions if "refused" in (item.note or "")]

    qtbot.keyClicks(tab.bar.search, "refused the sign-in")
    qtbot.keyClick(tab.bar.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rested(tab))

    assert [item.id for item in tab.runs.window.inserted_rows()] == failed
    assert tab.bar.search.text() == ""
    assert tab.bar.data.isVisible()
    assert tab.search_bar.words.text().startswith("Searched all 366 executions for “refused the sign-in”")
    assert not tab.summary.isVisible()


def test_enter_in_the_filter_opens_the_only_execution_whose_flow_matches(qtbot, tab, backend):
    only, *others = backend.executions
    backend.executions[:] = [only, *(item for item in others if item.flow.name != only.flow.name)]

    tab.bar.search.setText(only.flow.name)
    qtbot.keyClick(tab.bar.search, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: tab.pane.execution is not None and tab.pane.execution.id == only.id)
    assert [item.id for item in tab.table.selected()] == [only.id]
    assert tab.detail.isVisible()
    assert not any(name == "search_executions" for name, _ in backend.calls)


def test_enter_opens_the_only_result_of_a_search_in_the_data(qtbot, tab, backend):
    backend.executions[:] = [backend.executions[0], backend.executions[3]]
    text = backend.executions[0].id[:8]
    backend.executions[0] = backend.executions[0].model_copy(update={"note": f"refused {text}"})
    search(qtbot, tab, f"refused {text}")
    assert tab.runs.window.total == 1

    qtbot.keyClick(tab.bar.search, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: tab.pane.execution is not None)
    assert tab.pane.execution.id == backend.executions[0].id


def test_nothing_in_the_names_offers_the_data(qtbot, tab):
    tab.runs.set_query(ExecutionQuery(text="refused the sign-in"))
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.runs.status is ListStatus.NO_MATCH)

    offers = {button.text(): button for button in tab.rows.page.findChildren(type(tab.bar.clear))}
    offers["Search the data instead"].click()
    qtbot.waitUntil(lambda: rested(tab))

    assert tab.runs.query == ExecutionQuery(data="refused the sign-in")
    assert tab.rows.is_showing_rows


def test_the_search_pauses_after_enough_matches_and_continues_on_request(qtbot, tab, monkeypatch):
    monkeypatch.setattr("patchbay.desktop.executions.view_models.execution_list.PAUSE_AFTER_FINDS", 10)
    search(qtbot, tab, "a")
    assert tab.runs.search.searched == STRETCH
    assert tab.search_bar.search_more.isVisible()

    tab.search_bar.search_more.click()
    qtbot.waitUntil(lambda: rested(tab) and tab.runs.search.searched == 2 * STRETCH)

    assert len(tab.runs.window.inserted_rows()) == tab.runs.search.found_count


def test_a_stopped_search_keeps_what_it_found(qtbot, tab, backend):
    backend.hold("search_executions", after=1)
    tab.runs.search_data("a")
    qtbot.waitUntil(lambda: tab.runs.search.found_count > 0)

    tab.search_bar.cancel.click()

    assert not tab.runs.search.running
    assert tab.rows.is_showing_rows
    assert re.match("Searched [0-9]+ of [0-9]+ executions for “a”", tab.search_bar.words.text())


def test_the_other_filters_bound_the_search(qtbot, tab):
    tab.runs.set_query(ExecutionQuery(states=(ExecutionState.FAILURE,), data="a"))
    qtbot.waitUntil(lambda: rested(tab))

    assert {item.state for item in tab.runs.window.inserted_rows()} == {ExecutionState.FAILURE}


def test_nothing_found_says_so_and_clearing_brings_the_list_back(qtbot, tab):
    search(qtbot, tab, "no data hold this")
    assert tab.runs.status is ListStatus.NO_MATCH

    tab.search_bar.clear.click()
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.rows.is_showing_rows)

    assert tab.runs.window.total == 366
    assert not tab.search_bar.isVisible()


def test_a_failed_stretch_is_reported_and_can_be_taken_up_again(qtbot, tab, backend):
    backend.failing["search_executions"] = Unreachable("Nobody answers.", todo="Try again.")
    search(qtbot, tab, "a")
    assert "Nobody answers." in tab.search_bar.words.text()

    backend.failing.clear()
    tab.search_bar.search_more.click()
    qtbot.waitUntil(lambda: rested(tab) and tab.runs.search.found_count > 0)


def test_where_it_cannot_be_searched_enter_filters_the_names_only(qtbot, tab, backend):
    backend.capabilities = Capabilities(unavailable={Feature.SEARCH: "This service cannot search data."})
    qtbot.keyClicks(tab.bar.search, "refused the sign-in")
    qtbot.keyClick(tab.bar.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.runs.status is ListStatus.NO_MATCH)

    assert tab.runs.query == ExecutionQuery(text="refused the sign-in")
    assert not any(name == "search_executions" for name, _ in backend.calls)


async def test_what_was_found_is_what_is_exported(tmp_path, backend):
    found = tuple(backend.executions[3:5])

    count = await export(backend, found, tmp_path / "found.csv", lambda done, total: None)

    assert count == 2
    assert found[0].id in (tmp_path / "found.csv").read_text()
    assert backend.executions[0].id not in (tmp_path / "found.csv").read_text()


def test_a_search_of_a_single_execution_does_not_speak_of_all(qtbot, tab, backend):
    backend.executions = backend.executions[:1]

    search(qtbot, tab, "nowhere to be found")

    assert tab.search_bar.words.text() == "Searched the only execution for “nowhere to be found”: no results"
