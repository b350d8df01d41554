"""What the executions screen shows and may do, without a widget."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.page_window import ListStatus
from patchbay.desktop.core.times import ExecutionQuery, QuickRange, Span, StartedRange, span_for
from patchbay.desktop.executions.view_models.execution_list import ExecutionsViewModel
from patchbay.desktop.tasks import LoopThread, Tasks
from patchbay.domain.base import FolderId
from patchbay.domain.changes import ResourceType
from patchbay.domain.clock import HOUR_MS, MINUTE_MS, midnight
from patchbay.domain.errors import Unreachable
from patchbay.domain.executions import ExecutionFilter, ExecutionState


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def screen(qtbot: QtBot, tasks: Tasks, backend: FakeBackend) -> ExecutionsViewModel:
    screen = ExecutionsViewModel(services(tasks, backend))
    with qtbot.waitSignals([screen.window.reset, screen.counts_changed, screen.histogram_changed]):
        screen.load()
    return screen


def arrive(loop: LoopThread, backend: FakeBackend, count: int) -> None:
    """New executions, as the engine reports them."""
    newest = backend.executions[0]
    for number in range(count):
        made = newest.model_copy(
            update={"id": f"new-{number}", "created_at": NOW + number + 1, "state": ExecutionState.SUCCESS}
        )
        backend.executions.insert(0, made)
        announce(loop, backend, made.id)


def announce(loop: LoopThread, backend: FakeBackend, execution_id: str) -> None:
    loop.loop.call_soon_threadsafe(backend.announce, ResourceType.EXECUTION, execution_id)


def test_it_counts_by_outcome(screen, backend):
    failed = sum(run.state is ExecutionState.FAILURE for run in backend.executions)

    assert screen.status is ListStatus.READY
    assert (screen.counts.matching, screen.counts.all, screen.counts.failure) == (366, 366, failed)
    assert screen.counts.success + screen.counts.failure + screen.counts.other == 366


def test_a_refresh_calls_the_backend_once_for_rows_counts_and_histogram(qtbot, screen, backend):
    backend.calls.clear()

    with qtbot.waitSignals([screen.window.reset, screen.counts_changed, screen.histogram_changed]):
        screen.refresh()

    assert sorted(name for name, _ in backend.calls) == ["count_executions", "histogram", "list_executions"]


def test_a_filter_narrows_rows_and_counts(qtbot, screen):
    with qtbot.waitSignals([screen.window.reset, screen.counts_changed]):
        screen.set_query(ExecutionQuery(states=(ExecutionState.FAILURE,)))

    assert {run.state for run in screen.window.loaded()} == {ExecutionState.FAILURE}
    assert screen.counts.matching == screen.counts.failure == screen.window.total
    assert screen.counts.success == 0


def test_nothing_found_differs_from_nothing_there(qtbot, tasks, screen):
    with qtbot.waitSignal(screen.window.reset):
        screen.set_query(ExecutionQuery(text="no such flow"))
    empty = ExecutionsViewModel(services(tasks, FakeBackend(executions=0)))
    with qtbot.waitSignal(empty.window.reset):
        empty.load()

    assert screen.status is ListStatus.NO_MATCH
    assert empty.status is ListStatus.EMPTY


def test_a_first_load_that_fails_keeps_its_error_and_can_be_tried_again(qtbot, tasks, backend):
    backend.failing["list_executions"] = Unreachable("flows.example.org does not answer.")
    screen = ExecutionsViewModel(services(tasks, backend))
    with qtbot.waitSignal(screen.status_changed):
        screen.load()
    failed, error = screen.status, screen.error

    backend.failing.clear()
    screen.refresh()
    qtbot.waitUntil(lambda: screen.status is ListStatus.READY)

    assert failed is ListStatus.FAILED
    assert error.happened == "flows.example.org does not answer."


def test_new_rows_come_in_at_the_top_while_one_looks_there(qtbot, loop_thread, screen, backend):
    arrive(loop_thread, backend, 2)

    qtbot.waitUntil(lambda: screen.window.total == 368)
    assert screen.window.item(0).id == "new-1"
    assert screen.pending_rows == ()


def test_new_rows_wait_behind_the_pill_when_one_reads_further_down(qtbot, loop_thread, screen, backend):
    screen.set_following(False)

    arrive(loop_thread, backend, 3)
    qtbot.waitUntil(lambda: len(screen.pending_rows) == 3)
    before = screen.window.total
    screen.show_pending()

    assert before == 366
    assert screen.window.total == 369
    assert screen.pending_rows == ()


def test_more_new_rows_than_one_page_reload_the_list(qtbot, loop_thread, screen, backend):
    screen.set_following(False)
    arrive(loop_thread, backend, 70)
    qtbot.waitUntil(lambda: screen.has_more_pending)

    screen.show_pending()

    qtbot.waitUntil(lambda: screen.window.total == 436)


def test_a_running_row_changes_in_place_though_something_is_selected(qtbot, loop_thread, screen, backend):
    screen.set_following(False)
    running = backend.executions[0]
    done = running.model_copy(update={"state": ExecutionState.SUCCESS, "finished_at": NOW})
    backend.executions[0] = done

    announce(loop_thread, backend, done.id)

    qtbot.waitUntil(lambda: screen.window.item(0).state is ExecutionState.SUCCESS)
    assert screen.window.total == 366


def test_switched_off_live_updates_leave_the_list_alone(qtbot, loop_thread, screen, backend):
    screen.set_live(False)
    arrive(loop_thread, backend, 1)
    screen.set_live(True)

    qtbot.waitUntil(lambda: screen.window.total == 367)


def test_the_brush_writes_the_started_chip_and_keeps_the_picture(qtbot, screen):
    span = screen.span
    start = span.start + 20 * span.bar_ms

    with qtbot.waitSignals([screen.window.reset, screen.histogram_changed]):
        screen.brush(start, start + 4 * span.bar_ms)

    assert screen.query.started == StartedRange(start=start, end=start + 4 * span.bar_ms - 1)
    assert screen.span == span
    assert all(start <= run.created_at < start + 4 * span.bar_ms for run in screen.window.loaded())


def test_a_link_from_elsewhere_becomes_a_question():
    where = ExecutionFilter(
        folder_id=FolderId("folder-eng"), states=(ExecutionState.FAILURE,), note="refused"
    )

    assert ExecutionQuery.from_filter(where).to_filter(NOW) == where
    assert ExecutionQuery.from_filter(ExecutionFilter(started_after=NOW - HOUR_MS)).started == StartedRange(
        start=NOW - HOUR_MS
    )


def test_quick_ranges_move_with_the_clock():
    today = StartedRange(quick=QuickRange.TODAY)

    assert today.bounds(NOW) == (midnight(NOW), None)
    assert StartedRange(quick=QuickRange.HOUR).bounds(NOW + MINUTE_MS)[0] == NOW + MINUTE_MS - HOUR_MS
    assert today.text(NOW) == "today"


def test_a_brushed_range_has_a_label():
    start = midnight(NOW) + 8 * HOUR_MS

    assert StartedRange(start=start).text(NOW) == "today 08:00 – now"
    assert StartedRange(start=start, end=start + 90 * MINUTE_MS).text(NOW) == "today 08:00 – 09:30"


@pytest.mark.parametrize("quick", list(QuickRange))
def test_the_histogram_shows_a_quick_range_with_some_time_before(quick):
    span = span_for(StartedRange(quick=quick), NOW)

    assert isinstance(span, Span)
    assert span.start <= StartedRange(quick=quick).bounds(NOW)[0]
    assert span.end > NOW
    assert 30 <= span.bars <= 60


def test_clearing_asks_for_everything_again(qtbot, screen):
    with qtbot.waitSignal(screen.window.reset):
        screen.set_query(replace(screen.query, text="inventory", app_key="slack"))
    with qtbot.waitSignal(screen.window.reset):
        screen.clear()

    assert screen.window.total == 366
    assert not screen.query.active
