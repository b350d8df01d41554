"""Reading the history of a service that cannot filter it: the offer, the progress, and how it ends."""

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.times import ExecutionQuery
from patchbay.desktop.executions.tab import ExecutionsTab
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.changes import ResourceType
from patchbay.domain.errors import NotSupported
from patchbay.domain.executions import ExecutionState, HistoryCopy, HistoryCopyState


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


def opened(qtbot: QtBot, tasks: Tasks, backend: FakeBackend) -> ExecutionsTab:
    around = services(tasks, backend)
    around.feed.start()
    tab = ExecutionsTab(around)
    qtbot.addWidget(tab)
    tab.resize(1280, 724)
    tab.show()
    tab.activate()
    qtbot.waitUntil(
        lambda: any(name == "history_copy" for name, _ in backend.calls) and tab.runs.is_up_to_date
    )
    return tab


def test_a_workspace_that_answers_everything_itself_says_nothing(qtbot, tasks, backend):
    tab = opened(qtbot, tasks, backend)

    assert not tab.history.isVisible()


def test_the_offer_begins_the_reading_and_shows_how_far_it_is(qtbot, tasks, loop_thread: LoopThread, backend):
    backend.copy = HistoryCopy(state=HistoryCopyState.ABSENT)
    tab = opened(qtbot, tasks, backend)
    qtbot.waitUntil(tab.history.isVisible)
    assert "to use all filters" in tab.history.words.text()

    tab.history.download.click()
    qtbot.waitUntil(tab.history.cancel.isVisible)
    backend.copy = HistoryCopy(state=HistoryCopyState.READING, done=4_210, total=100_000)
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.HISTORY)

    qtbot.waitUntil(lambda: "4,210 of 100,000" in tab.history.words.text())
    assert tab.history.model.progress() == pytest.approx(0.0421)


def test_it_can_be_stopped_and_taken_up_again(qtbot, tasks, backend):
    backend.copy = HistoryCopy(state=HistoryCopyState.READING, done=50, total=1_000)
    tab = opened(qtbot, tasks, backend)
    qtbot.waitUntil(tab.history.cancel.isVisible)

    tab.history.cancel.click()
    qtbot.waitUntil(tab.history.download.isVisible)
    assert tab.history.download.text() == "Resume download"

    tab.history.download.click()
    qtbot.waitUntil(tab.history.cancel.isVisible)


def test_not_now_hides_the_offer(qtbot, tasks, backend):
    backend.copy = HistoryCopy(state=HistoryCopyState.ABSENT)
    tab = opened(qtbot, tasks, backend)
    qtbot.waitUntil(tab.history.isVisible)

    tab.history.dismiss.click()

    assert not tab.history.isVisible()


def test_why_it_stopped_is_reported(qtbot, tasks, backend):
    backend.copy = HistoryCopy(
        state=HistoryCopyState.STOPPED, done=50, total=1_000, problem="Too many requests to the server."
    )
    tab = opened(qtbot, tasks, backend)
    qtbot.waitUntil(tab.history.isVisible)

    assert "Too many requests to the server." in tab.history.words.text()


def test_a_filter_the_service_does_not_know_offers_the_history(qtbot, tasks, backend):
    backend.copy = HistoryCopy(state=HistoryCopyState.ABSENT)
    tab = opened(qtbot, tasks, backend)
    backend.failing["list_executions"] = NotSupported(
        "This service cannot filter executions like this.", todo="Remove the other filters."
    )
    tab.runs.status = ListStatus.LOADING
    tab.runs.set_query(ExecutionQuery(states=(ExecutionState.WAITING,)))
    qtbot.waitUntil(lambda: tab.runs.status is ListStatus.FAILED)

    offers = {button.text(): button for button in tab.rows.page.findChildren(type(tab.history.download))}
    offers["Download history"].click()

    qtbot.waitUntil(lambda: backend.copy.state is HistoryCopyState.READING)
    assert "Clear filters" in offers


def test_filters_the_service_does_not_know_are_not_offered_and_say_why(qtbot, tasks, backend):
    why = "This service filters by name, outcome and time only."
    backend.capabilities = Capabilities(unavailable={Feature.FILTERS: why})
    tab = opened(qtbot, tasks, backend)

    assert [chip.isEnabled() for chip in (tab.bar.flow, tab.bar.app, tab.bar.test)] == [False] * 3
    assert tab.bar.flow.toolTip() == why
    assert tab.bar.status.isEnabled()
    assert tab.bar.started.isEnabled()


def test_filters_open_as_soon_as_there_is_a_copy(qtbot, tasks, loop_thread: LoopThread, backend):
    backend.capabilities = Capabilities(unavailable={Feature.FILTERS: "By name, outcome and time only."})
    tab = opened(qtbot, tasks, backend)
    assert not tab.bar.flow.isEnabled()

    backend.capabilities = Capabilities()
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.WORKSPACE)

    qtbot.waitUntil(tab.bar.flow.isEnabled)
