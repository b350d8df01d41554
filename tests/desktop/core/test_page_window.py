"""A long list seen through a window of pages."""

import pytest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from tests.support.long_list import LongList, execution

from patchbay.desktop.core.page_window import MAX_CACHED_PAGES, PageWindow
from patchbay.desktop.kit.item_views import ITEM_ROLE
from patchbay.desktop.kit.windowed_model import Column, WindowedModel
from patchbay.desktop.tasks import Tasks
from patchbay.domain.errors import Unreachable
from patchbay.domain.executions import Execution, ExecutionState

Window = PageWindow[Execution]


@pytest.fixture
def source() -> LongList:
    return LongList(1_000_000)


@pytest.fixture
def window(qtbot: QtBot, tasks: Tasks, source: LongList) -> Window:
    window: Window = PageWindow(tasks)
    with qtbot.waitSignal(window.reset):
        window.open(source.fetch)
    return window


def look(qtbot: QtBot, window: Window, row: int) -> Execution:
    """Look at a row until it is there."""
    qtbot.waitUntil(lambda: window.item(row) is not None)
    found = window.item(row)
    assert found is not None
    return found


def test_a_million_rows_are_there_after_one_page(window, source):
    assert window.total == 1_000_000
    assert window.item(0).id == "exec-0"
    assert len(source.asked) == 1


def test_a_far_row_comes_when_it_is_looked_at(qtbot, window):
    assert window.item(777_777) is None

    assert look(qtbot, window, 777_777).id == "exec-777777"


def test_the_next_page_is_requested_by_cursor_and_a_far_one_by_number(qtbot, window, source):
    look(qtbot, window, 250)
    look(qtbot, window, 500_000)

    assert source.asked[1].cursor == "200"
    assert source.asked[2].cursor is None
    assert source.asked[2].page == 2501


def test_a_scroll_over_many_pages_asks_only_for_the_last_ones_newest_first(qtbot, window, source):
    for row in range(1_000, 200_000, 1_000):
        window.item(row)
    qtbot.waitUntil(lambda: window.peek(199_000) is not None)

    assert source.asked[1].page == 199_000 // 200 + 1
    assert len(source.asked) <= 8


def test_far_pages_are_forgotten(qtbot, window):
    for number in range(MAX_CACHED_PAGES + 5):
        look(qtbot, window, number * 200)

    assert window.peek(0) is None
    assert look(qtbot, window, 0).id == "exec-0"


def test_a_page_that_fails_is_not_requested_again_until_retry(qtbot, window, source):
    source.error = Unreachable("The service does not answer.")
    with qtbot.waitSignal(window.failed):
        window.item(5_000)
    source.error = None
    asked = len(source.asked)

    assert window.item(5_000) is None
    assert len(source.asked) == asked
    window.retry()
    assert look(qtbot, window, 5_000).id == "exec-5000"


def test_new_rows_on_top_move_the_others_down(qtbot, window):
    window.prepend([execution(-2), execution(-1)])

    assert [window.item(row).id for row in range(3)] == ["exec--2", "exec--1", "exec-0"]
    assert window.total == 1_000_002
    assert look(qtbot, window, 777_779).id == "exec-777777"


def test_a_row_changes_in_place(qtbot, window):
    with qtbot.waitSignal(window.rows_changed) as changed:
        window.update(execution(3, ExecutionState.FAILURE))

    assert changed.args == [3, 3]
    assert window.item(3).state is ExecutionState.FAILURE


def test_rows_deleted_at_the_far_end_disappear(qtbot, window, source):
    source.total = 999_990

    look(qtbot, window, 900_000)

    assert window.total == 999_990


def test_the_old_rows_stay_until_a_new_question_is_answered(qtbot, window):
    other = LongList(3)

    window.open(other.fetch)

    assert window.total == 1_000_000
    qtbot.waitUntil(lambda: window.total == 3)


COLUMNS = (
    Column("flow", "Flow", lambda item: item.flow.name),
    Column("state", "Status", lambda item: item.state.value, right=True),
)


def test_the_model_keeps_qts_rules_while_rows_come_and_go(
    qtbot: QtBot, window, source, qtmodeltester: ModelTester
):
    source.total = 450
    model = WindowedModel(window, COLUMNS)
    with qtbot.waitSignal(model.modelReset):
        window.open(source.fetch)

    qtmodeltester.check(model)
    window.prepend([execution(-1)])
    look(qtbot, window, 440)
    source.total = 440
    window.retry()
    qtmodeltester.check(model)


def test_a_row_on_its_way_says_so_and_announces_itself_when_here(qtbot: QtBot, window):
    model = WindowedModel(window, COLUMNS)
    far = model.index(123_456, 0)

    assert far.data(ITEM_ROLE) is None
    assert far.data() == "…"
    qtbot.waitSignal(model.dataChanged).wait()
    assert far.data() == "Flow 123456"
