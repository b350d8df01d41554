"""What is painted is a text to screen readers, which pass over plain widgets."""

import pytest
from PySide6.QtGui import QAccessible

from patchbay.desktop.folders.detail import DailyRunsChart
from patchbay.desktop.kit import accessibility
from patchbay.desktop.kit.actions import KeyCaps
from patchbay.desktop.kit.badges import Badge, Tag
from patchbay.desktop.kit.charts import Sparkline
from patchbay.desktop.kit.layout import ListArea
from patchbay.domain.executions import ExecutionState, RunMark


@pytest.fixture(scope="module", autouse=True)
def _installed():
    accessibility.install()


@pytest.mark.parametrize(
    ("painted", "words"),
    [
        (lambda: Tag("Valid", "success"), "Valid"),
        (lambda: Badge(7), "7"),
        (lambda: KeyCaps(["Ctrl", "K"]), "Ctrl+K"),
    ],
)
def test_a_painted_word_is_a_text(qtbot, painted, words):
    widget = painted()
    qtbot.addWidget(widget)

    assert _spoken(widget) == (QAccessible.Role.StaticText, words)


def test_a_painted_figure_says_what_it_shows(qtbot):
    last, days = Sparkline(), DailyRunsChart()
    for widget in (last, days):
        qtbot.addWidget(widget)

    last.set_marks([RunMark(state=ExecutionState.FAILURE, duration_ms=10)])

    assert _spoken(last) == (QAccessible.Role.StaticText, "Last 1 run: 1 failed")
    assert _spoken(days)[0] is QAccessible.Role.StaticText


def test_rows_that_scroll_are_a_list(qtbot):
    area = ListArea("Flows that would break")
    qtbot.addWidget(area)

    assert _spoken(area) == (QAccessible.Role.List, "Flows that would break")


def _spoken(widget):
    told = QAccessible.queryAccessibleInterface(widget)
    return told.role(), told.text(QAccessible.Text.Name)
