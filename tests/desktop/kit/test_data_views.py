from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from patchbay.desktop.kit.buttons import IconButton
from patchbay.desktop.kit.charts import HistogramView, axis_marks, sparkline_text
from patchbay.desktop.kit.json_view import JsonModel, JsonView, short_text
from patchbay.domain.executions import ExecutionState, Histogram, RunMark
from patchbay.tour.component_gallery import SPAN, START, sample_histogram

ERROR: dict[str, Any] = {
    "kind": "AuthRequired",
    "status": 401,
    "response": {"error_tag": "UNAUTHORIZED", "tries": [1, 2, None]},
}


@pytest.fixture
def chart(qtbot: QtBot) -> HistogramView:
    made = HistogramView()
    made.set_histogram(sample_histogram())
    qtbot.addWidget(made)
    made.resize(720, 88)
    made.show()
    return made


def test_the_json_model_is_a_correct_model(qtmodeltester: ModelTester) -> None:
    model = JsonModel()
    model.set_value({**ERROR, "long": list(range(2500))}, "error")

    qtmodeltester.check(model, force_py=True)


def test_branches_are_built_when_opened() -> None:
    model = JsonModel()
    model.set_value({"big": {str(n): {"n": n} for n in range(900)}})
    big = model.index(0, 0)

    assert model.hasChildren(big)
    assert model.node(big)._children is None
    assert model.rowCount(big) == 900


def test_long_lists_come_in_parts_and_paths_still_reach_into_them() -> None:
    model = JsonModel()
    model.set_value({"items": [{"id": n} for n in range(2500)]})

    items = model.index(0, 0)
    assert [model.node(model.index(row, 0, items)).key for row in range(3)] == [
        "0 … 999",
        "1000 … 1999",
        "2000 … 2499",
    ]

    found = model.index_of("items.1234.id")
    assert (model.node(found).value, model.node(found).path()) == (1234, "items.1234.id")


def test_values_are_shown_as_json_and_long_ones_cut() -> None:
    model = JsonModel()
    model.set_value({"a": "x" * 500, "b": None, "c": [1]})

    words = [short_text(model.node(model.index(row, 0))) for row in range(3)]

    assert words[0].endswith('…"')
    assert words[1:] == ["null", "[1]"]


def test_search_opens_the_way_to_each_hit(qtbot: QtBot) -> None:
    view = JsonView()
    qtbot.addWidget(view)
    view.set_value(ERROR, "error", depth=1)

    view.show_search()
    with qtbot.waitSignal(view.search.text_changed):
        qtbot.keyClicks(view.search, "unauth")

    here = view.model.node(view.tree.currentIndex())
    assert here.path() == "error.response.error_tag"
    assert view.model.hits() == {"error.response.error_tag"}


@pytest.mark.parametrize(
    ("text", "tip"),
    [
        ("", "There is no hit."),
        ("unauth", "There is no other hit."),
        ("nowhere", "There is no hit."),
        ("e", "Next hit"),
    ],
)
def test_the_buttons_to_other_hits_need_two_of_them_and_say_so(qtbot: QtBot, text: str, tip: str) -> None:
    view = JsonView()
    qtbot.addWidget(view)
    view.set_value(ERROR, "error", depth=1)
    view.search.setText(text)
    view._find(text)

    previous, following = (
        button for button in view.findChildren(IconButton) if "hit" in button.accessibleName()
    )

    assert previous.isEnabled() == following.isEnabled() == (text == "e")
    assert following.toolTip() == tip


def test_what_was_open_stays_open_over_new_data(qtbot: QtBot) -> None:
    view = JsonView()
    qtbot.addWidget(view)
    view.set_value(ERROR, "error", depth=1)
    view.tree.open(["error.response"])

    view.set_value({**ERROR, "status": 403}, "error")

    assert "error.response" in view.tree.open_paths()


def test_the_menu_copies_value_path_and_json(qtbot: QtBot) -> None:
    view = JsonView(pickable=True)
    qtbot.addWidget(view)
    view.set_value(ERROR)
    value_picked: list[str] = []
    view.value_picked.connect(value_picked.append)
    entries = {
        action.text(): action
        for action in view.tree.menu_for(view.model.index_of("response.tries")).actions()
    }

    entries["Copy path"].trigger()
    assert QGuiApplication.clipboard().text() == "response.tries"
    entries["Copy as JSON"].trigger()
    assert QGuiApplication.clipboard().text() == "[\n  1,\n  2,\n  null\n]"
    entries["Use as value"].trigger()
    assert value_picked == ["response.tries"]


def test_arrows_move_the_brush_and_esc_clears_it(qtbot: QtBot, chart: HistogramView) -> None:
    told: list[object] = []
    chart.brush_changed.connect(told.append)

    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert chart.brush() == (START + 34 * SPAN, START + 36 * SPAN)

    qtbot.keyClick(chart, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert chart.brush() == (START + 30 * SPAN, START + 36 * SPAN)

    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert (chart.brush(), told[-1], len(told)) == (None, None, 3)


def test_dragging_chooses_a_span_and_moving_inside_shifts_it(qtbot: QtBot, chart: HistogramView) -> None:
    bar = 720 / 36
    press, move, release = (QPoint(int(bar * n + 5), 30) for n in (4, 7, 7))
    qtbot.mousePress(chart, Qt.MouseButton.LeftButton, pos=press)
    qtbot.mouseMove(chart, move)
    qtbot.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=release)
    assert chart.brush() == (START + 4 * SPAN, START + 8 * SPAN)

    qtbot.mousePress(chart, Qt.MouseButton.LeftButton, pos=QPoint(int(bar * 6), 30))
    qtbot.mouseMove(chart, QPoint(int(bar * 9), 30))
    qtbot.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=QPoint(int(bar * 9), 30))
    assert chart.brush() == (START + 7 * SPAN, START + 11 * SPAN)


def test_new_bars_keep_the_chosen_time(chart: HistogramView) -> None:
    chart.set_brush((START + 10 * SPAN, START + 20 * SPAN))
    later = tuple(bar.model_copy(update={"start": bar.start + SPAN}) for bar in sample_histogram().bars)

    chart.set_histogram(Histogram(span_ms=SPAN, bars=later))

    assert chart.brush() == (START + 10 * SPAN, START + 20 * SPAN)


def test_the_chart_tells_its_totals_and_its_bars(chart: HistogramView) -> None:
    assert "success" in chart.accessibleName()
    assert "6 failure" in chart.accessibleName()
    assert "2 failure" in chart.bar_text(4)


def test_axis_times_are_round_and_few() -> None:
    marks = axis_marks(START, START + 36 * SPAN)

    assert 3 <= len(marks) <= 9
    assert all(words.endswith(":00") or " " in words for _, words in marks)


def test_a_sparkline_says_how_many_runs_failed() -> None:
    marks = [RunMark(state=ExecutionState.SUCCESS), RunMark(state=ExecutionState.FAILURE)]

    assert (sparkline_text(marks), sparkline_text([])) == ("Last 2 runs: 1 failed", "No runs yet")
