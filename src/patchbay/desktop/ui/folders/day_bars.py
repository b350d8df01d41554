"""Runs per day as bars, failures at the base line."""

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from patchbay.desktop.state.executions_filter import local
from patchbay.desktop.ui.kit.accessibility import Spoken
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.text import count, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.calendar_words import MONTHS
from patchbay.domain.executions import Histogram, HistogramBar


class DayBars(Spoken, QWidget):
    """One bar for each day, with the first and last day named below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs = Histogram(span_ms=1, bars=())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(300), theme().px(80))

    def set_runs(self, runs: Histogram) -> None:
        self._runs = runs
        failed = sum(bar.failure for bar in runs.bars)
        words = f"{count(runs.total, 'run')} in {len(runs.bars)} days, {failed:,} failed"
        self.setAccessibleName(words)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._runs.bars:
            at = int(event.pos().x() * len(self._runs.bars) / max(1, self.width()))
            bar = self._runs.bars[min(at, len(self._runs.bars) - 1)]
            QToolTip.showText(event.globalPos(), plain_tip(bar_words(bar)), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        bars, px, tokens = self._runs.bars, theme().px, theme().tokens
        if not bars:
            return
        painter = QPainter(self)
        bottom = self.height() - px(22)
        most = max((_total(bar) for bar in bars), default=0) or 1
        pitch = (self.width() + px(8)) / len(bars)
        for place, bar in enumerate(bars):
            x, width = round(place * pitch), max(2, round(pitch) - px(8))
            failed = max(px(4), round(bottom * bar.failure / most)) if bar.failure else 0
            rest = round(bottom * (bar.success + bar.other) / most)
            if failed:
                painter.fillRect(QRectF(x, bottom - failed, width, failed), tokens.failure_graphic)
                failed += 1
            if rest:
                rest = max(2, min(rest, bottom - failed))
                painter.fillRect(QRectF(x, bottom - failed - rest, width, rest), tokens.success_graphic)
        painter.fillRect(QRectF(0, bottom, self.width(), 1), tokens.border)
        below = QRectF(0, bottom + px(2), self.width(), px(18))
        paint_text(painter, below, day_words(bars[0].start), "caption", "text_secondary")
        last = day_words(bars[-1].start)
        below.setLeft(self.width() - painter.fontMetrics().horizontalAdvance(last) - px(1))
        paint_text(painter, below, last, "caption", "text_secondary")


def bar_words(bar: HistogramBar) -> str:
    return f"{day_words(bar.start)}: {count(_total(bar), 'run')}, {bar.failure:,} failed"


def day_words(ms: EpochMs) -> str:
    """ "7 Nov"."""
    at = local(ms)
    return f"{at.day} {MONTHS[at.month - 1]}"


def _total(bar: HistogramBar) -> int:
    return bar.success + bar.failure + bar.other
