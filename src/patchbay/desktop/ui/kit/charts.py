"""Small charts: the last runs of a flow, and executions over time with a brush."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.accessibility import Spoken
from patchbay.desktop.ui.kit.histogram import HistogramView, Range, axis_marks
from patchbay.desktop.ui.kit.text import count, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.executions import ExecutionState, RunMark

__all__ = ["Bars", "HistogramView", "Range", "Sparkline", "axis_marks", "paint_sparkline", "sparkline_words"]

RUNS = 20


def paint_sparkline(painter: QPainter, rect: QRectF, marks: Sequence[RunMark]) -> None:
    """The last 20 runs: up is success (height by duration), down is failure, a dash is no run."""
    px, tokens = theme().px, theme().tokens
    longest = max((mark.duration_ms or 0 for mark in marks), default=0) or 1
    pitch, width = px(6), px(4)
    base = round(rect.y() + rect.height() * 0.58)
    shown = [None] * (RUNS - len(marks)) + list(marks[-RUNS:])
    for place, mark in enumerate(shown):
        x = round(rect.x()) + place * pitch
        if mark is None:
            painter.fillRect(QRectF(x, base - 1, width, 1), tokens.neutral_graphic)
        elif mark.state is ExecutionState.FAILURE:
            painter.fillRect(QRectF(x, base + 1, width, px(9)), tokens.failure_graphic)
        else:
            share = (mark.duration_ms or 0) / longest
            height = px(6) + round((px(14) - px(6)) * share)
            good = mark.state is ExecutionState.SUCCESS
            painter.fillRect(
                QRectF(x, base - height, width, height),
                tokens.success_graphic if good else tokens.neutral_graphic,
            )


def sparkline_words(marks: Sequence[RunMark]) -> str:
    """What a sparkline says, for tooltips and screen readers."""
    failed = sum(mark.state is ExecutionState.FAILURE for mark in marks)
    return f"Last {count(len(marks), 'run')}: {failed} failed" if marks else "No runs yet"


class Sparkline(Spoken, QWidget):
    """The last runs as a widget."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks: tuple[RunMark, ...] = ()
        self.setFixedSize(theme().px(120), theme().px(28))

    def set_marks(self, marks: Sequence[RunMark]) -> None:
        self._marks = tuple(marks)
        self.setAccessibleName(sparkline_words(marks))
        self.setToolTip(plain_tip(sparkline_words(marks)))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_sparkline(QPainter(self), QRectF(self.rect()), self._marks)


Bars = HistogramView
