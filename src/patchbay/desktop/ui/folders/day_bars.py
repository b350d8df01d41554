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


class DailyRunsChart(Spoken, QWidget):
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
        text = f"{count(runs.total, 'run')} in {len(runs.bars)} days, {failed:,} failed"
        self.setAccessibleName(text)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._runs.bars:
            index_hit = int(event.pos().x() * len(self._runs.bars) / max(1, self.width()))
            bar = self._runs.bars[min(index_hit, len(self._runs.bars) - 1)]
            QToolTip.showText(event.globalPos(), plain_tip(bar_text(bar)), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        bars, px, tokens = self._runs.bars, theme().px, theme().tokens
        if not bars:
            return
        painter = QPainter(self)
        bottom = self.height() - px(22)
        max_total = max((_total(bar) for bar in bars), default=0) or 1
        bar_pitch = (self.width() + px(8)) / len(bars)
        for index, bar in enumerate(bars):
            x, width = round(index * bar_pitch), max(2, round(bar_pitch) - px(8))
            failed = max(px(4), round(bottom * bar.failure / max_total)) if bar.failure else 0
            success_height = round(bottom * (bar.success + bar.other) / max_total)
            if failed:
                painter.fillRect(QRectF(x, bottom - failed, width, failed), tokens.failure_graphic)
                failed += 1
            if success_height:
                success_height = max(2, min(success_height, bottom - failed))
                painter.fillRect(
                    QRectF(x, bottom - failed - success_height, width, success_height), tokens.success_graphic
                )
        painter.fillRect(QRectF(0, bottom, self.width(), 1), tokens.border)
        labels_rect = QRectF(0, bottom + px(2), self.width(), px(18))
        paint_text(painter, labels_rect, day_text(bars[0].start), "caption", "text_secondary")
        last = day_text(bars[-1].start)
        labels_rect.setLeft(self.width() - painter.fontMetrics().horizontalAdvance(last) - px(1))
        paint_text(painter, labels_rect, last, "caption", "text_secondary")


def bar_text(bar: HistogramBar) -> str:
    return f"{day_text(bar.start)}: {count(_total(bar), 'run')}, {bar.failure:,} failed"


def day_text(ms: EpochMs) -> str:
    """ "7 Nov"."""
    index_hit = local(ms)
    return f"{index_hit.day} {MONTHS[index_hit.month - 1]}"


def _total(bar: HistogramBar) -> int:
    return bar.success + bar.failure + bar.other
