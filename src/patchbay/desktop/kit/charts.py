"""Charts: executions over time with a brush to choose a range, and sparklines of the last runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from patchbay.desktop.core.language import date_text, time_text, tr, tr_count, weekday_text
from patchbay.desktop.kit.accessibility import AccessibleMixin, AccessibleText
from patchbay.desktop.kit.text import clock_time, plain_tip
from patchbay.desktop.kit.theme import faded, theme
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import HOUR_MS, local_datetime, midnight
from patchbay.domain.executions import ExecutionState, Histogram, HistogramBar, RunMark

Range = tuple[EpochMs, EpochMs]
MAX_RUNS = 20


def paint_time_axis(painter: QPainter, plot: QRectF, start: EpochMs, end: EpochMs) -> None:
    """Paint round times below `plot`, without overlaps."""
    current = theme()
    painter.setFont(current.font("caption"))
    painter.setPen(current.tokens.text_secondary)
    metrics, next_free_x = painter.fontMetrics(), 0.0
    for at, words in axis_marks(start, end):
        width = metrics.horizontalAdvance(words)
        x = (at - start) / (end - start) * plot.width() - width / 2
        if x >= next_free_x and x + width <= plot.width():
            rect = QRectF(x, plot.bottom() + 3, width + 2, current.px(18))
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), words)
            next_free_x = x + width + current.px(18)


def axis_marks(start: EpochMs, end: EpochMs) -> list[tuple[EpochMs, str]]:
    """Round local times between start and end with their labels; midnight is labelled with the day."""
    hours = next(
        (step for step in (1, 2, 4, 6, 12, 24, 48, 168, 336) if (end - start) / HOUR_MS / step <= 9), 720
    )
    at = local_datetime(midnight(start))
    marks: list[tuple[EpochMs, str]] = []
    while (ms := int(at.timestamp() * 1000)) < end:
        if ms >= start:
            marks.append((ms, f"{weekday_text(at)} {date_text(at)}" if at.hour == 0 else time_text(at)))
        at += timedelta(hours=hours)
    return marks


@dataclass(frozen=True)
class _Drag:
    """What the mouse drags: a handle, the whole brush, or a new one from where it was pressed."""

    part: str
    origin: int
    low: int
    high: int


class HistogramView(AccessibleMixin, QWidget):
    """Bars over time with a brush to choose a range: drag to choose, drag its handles or middle, or use the
    arrow keys.

    `brush_changed` carries (start, end) in milliseconds, or None if no range is chosen.
    """

    brush_changed = Signal(object)
    accessible_role = QAccessible.Role.Chart

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data = Histogram(span_ms=1, bars=())
        self._brush: tuple[int, int] | None = None
        """The chosen bars, as a half-open range."""
        self._drag: _Drag | None = None
        self._handle = "high"
        self._hover = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(480), theme().px(88))

    def set_histogram(self, data: Histogram) -> None:
        """Show other bars; the chosen range stays."""
        chosen = self.brush()
        self._data = data
        self._brush = self._bars_of(chosen) if chosen else None
        self._describe()
        self.update()

    def brush(self) -> Range | None:
        """The chosen range in milliseconds; None without one."""
        if self._brush is None or not self._data.bars:
            return None
        start = self._data.bars[0].start
        return start + self._brush[0] * self._data.span_ms, start + self._brush[1] * self._data.span_ms

    def set_brush(self, chosen: Range | None) -> None:
        """Choose a range without emitting `brush_changed`."""
        self._brush = self._bars_of(chosen) if chosen and self._data.bars else None
        self._describe()
        self.update()

    def _bars_of(self, chosen: Range) -> tuple[int, int] | None:
        if not self._data.bars:
            return None
        start = self._data.bars[0].start
        span = self._data.span_ms
        number = len(self._data.bars)
        low = max(0, min(number - 1, (chosen[0] - start) // span))
        high = max(low + 1, min(number, -((start - chosen[1]) // span)))
        return int(low), int(high)

    def _choose(self, bars: tuple[int, int] | None, *, announce: bool = True) -> None:
        changed = bars != self._brush
        self._brush = bars
        self._describe()
        self.update()
        if changed and announce:
            self.brush_changed.emit(self.brush())

    # keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = 4 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        number = len(self._data.bars)
        if event.key() == Qt.Key.Key_Escape and self._brush:
            self._choose(None)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right) and number:
            self._move_handle(-step if event.key() == Qt.Key.Key_Left else step)
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return) and self._brush:
            self._handle = "low" if self._handle == "high" else "high"
            self.update()
        else:
            super().keyPressEvent(event)

    def _move_handle(self, step: int) -> None:
        number = len(self._data.bars)
        low, high = self._brush or (number - 1, number)
        if self._brush is None:
            self._handle = "low"
        if self._handle == "low":
            low = max(0, min(high - 1, low + step))
        else:
            high = max(low + 1, min(number, high + step))
        self._choose((low, high))

    # mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or not self._data.bars:
            return
        x = event.position().x()
        bar = self._bar_at(x)
        part = self._part_at(x)
        low, high = self._brush or (bar, bar + 1)
        self._drag = _Drag(part, bar, low, high)
        if part in ("low", "high"):
            self._handle = part

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        bar = self._bar_at(x)
        drag, number = self._drag, len(self._data.bars)
        if drag is None:
            if bar != self._hover:
                self._hover = bar
                self.update()
                if 0 <= bar < len(self._data.bars):
                    QToolTip.showText(event.globalPosition().toPoint(), plain_tip(self.bar_text(bar)), self)
            self.setCursor(_CURSORS[self._part_at(x)])
            return
        if drag.part == "new":
            if bar != drag.origin or self._brush:
                self._choose((min(bar, drag.origin), max(bar, drag.origin) + 1), announce=False)
        elif drag.part == "inside":
            shift = max(-drag.low, min(number - drag.high, bar - drag.origin))
            self._choose((drag.low + shift, drag.high + shift), announce=False)
        elif drag.part == "low":
            self._choose((min(bar, drag.high - 1), drag.high), announce=False)
        else:
            self._choose((drag.low, max(bar + 1, drag.low + 1)), announce=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            return
        drag, self._drag = self._drag, None
        clicked = self._bar_at(event.position().x()) == drag.origin and drag.part == "new"
        if clicked and self._brush is None:
            self._choose((drag.origin, drag.origin + 1), announce=False)
        self.brush_changed.emit(self.brush())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._drag = None
        self._choose(None)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = -1
        self.update()

    def bar_text(self, number: int) -> str:
        """The text of a bar: "11:00 to 11:30: 13 success, 1 failure"."""
        bar = self._data.bars[number]
        start, end = clock_time(bar.start), clock_time(bar.start + self._data.span_ms)
        return tr("{start} to {end}: {counts}", start=start, end=end, counts=_counts(bar))

    def _part_at(self, x: float) -> str:
        if self._brush is None:
            return "new"
        low, high = (self._x(edge) for edge in self._brush)
        reach = theme().px(6)
        if abs(x - low) <= reach:
            return "low"
        if abs(x - high) <= reach:
            return "high"
        return "inside" if low < x < high else "new"

    # geometry and painting

    def _plot(self) -> QRectF:
        return QRectF(0, theme().px(2), self.width(), self.height() - theme().px(24))

    def _x(self, edge: int) -> float:
        return edge * self._plot().width() / max(1, len(self._data.bars))

    def _bar_at(self, x: float) -> int:
        number = max(1, len(self._data.bars))
        return max(0, min(number - 1, int(x * number / max(1.0, self._plot().width()))))

    def paintEvent(self, event: QPaintEvent) -> None:
        current, plot = theme(), self._plot()
        painter = QPainter(self)
        if self._brush:
            low, high = (round(self._x(edge)) for edge in self._brush)
            painter.fillRect(QRectF(low, plot.y(), high - low, plot.height()), current.tokens.accent_soft)
        tallest = max((bar.success + bar.failure + bar.other for bar in self._data.bars), default=0)
        for place, bar in enumerate(self._data.bars):
            self._paint_bar(painter, plot, place, bar, tallest)
        painter.fillRect(QRectF(0, plot.bottom(), plot.width(), 1), current.tokens.border)
        if self._data.bars:
            start = self._data.bars[0].start
            paint_time_axis(painter, plot, start, start + len(self._data.bars) * self._data.span_ms)
        if self._brush:
            self._paint_handles(painter, plot)
        if self.hasFocus() and not self._brush:
            painter.setPen(QPen(current.tokens.focus, 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def _paint_bar(
        self, painter: QPainter, plot: QRectF, place: int, bar: HistogramBar, tallest: int
    ) -> None:
        tokens, px = theme().tokens, theme().px
        left, right = round(self._x(place)), round(self._x(place + 1))
        gap = px(2) if right - left > px(10) else 1
        x, width = left + gap, max(1, right - left - 2 * gap)
        dim = self._brush is not None and not self._brush[0] <= place < self._brush[1]
        room, bottom = plot.height() - px(6), plot.bottom()
        failure = max(px(4), round(room * bar.failure / tallest)) if bar.failure else 0
        for amount, height, colour in (
            (bar.failure, failure, tokens.failure_graphic),
            (bar.success, round(room * bar.success / max(1, tallest)), tokens.success_graphic),
            (bar.other, round(room * bar.other / max(1, tallest)), faded(tokens.neutral_graphic, 0.6)),
        ):
            if amount:
                height = max(2, height)
                fill = faded(colour, 0.38) if dim else colour
                painter.fillRect(QRectF(x, bottom - height, width, height), fill)
                bottom -= height + 1
        if place == self._hover and self._drag is None:
            painter.fillRect(QRectF(left, plot.y(), right - left, plot.height()), faded(tokens.text, 0.05))

    def _paint_handles(self, painter: QPainter, plot: QRectF) -> None:
        current = theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name, edge in zip(("low", "high"), self._brush or (0, 0), strict=True):
            x = min(max(round(self._x(edge)), 4), self.width() - 5)
            painter.setPen(QPen(current.tokens.accent, 2))
            painter.drawLine(QPointF(x, plot.y()), QPointF(x, plot.bottom()))
            focused = self.hasFocus() and self._handle == name
            painter.setPen(
                QPen(current.tokens.focus if focused else current.tokens.accent, 3 if focused else 1.5)
            )
            painter.setBrush(current.tokens.surface)
            grip = QRectF(0, 0, current.px(8), current.px(20))
            grip.moveCenter(QPointF(x, plot.center().y()))
            painter.drawRoundedRect(grip, current.px(4), current.px(4))

    def _describe(self) -> None:
        bars = self._data.bars
        total = HistogramBar(
            start=0,
            success=sum(bar.success for bar in bars),
            failure=sum(bar.failure for bar in bars),
            other=sum(bar.other for bar in bars),
        )
        chosen = self.brush()
        words = tr("Executions over time: {counts}", counts=_counts(total))
        if chosen:
            words = tr(
                "Executions over time: {counts}. Chosen: {start} to {end}",
                counts=_counts(total),
                start=clock_time(chosen[0]),
                end=clock_time(chosen[1]),
            )
        self.setAccessibleName(words)
        self.setAccessibleDescription(
            tr("Left and right move a handle, space changes the handle, Esc clears.")
        )


def _counts(bar: HistogramBar) -> str:
    parts = []
    if bar.success:
        parts.append(tr_count(bar.success, "{n} success", "{n} success", "of executions"))
    if bar.failure:
        parts.append(tr_count(bar.failure, "{n} failure", "{n} failure", "of executions"))
    if bar.other:
        parts.append(tr_count(bar.other, "{n} other", "{n} other", "executions"))
    return ", ".join(parts) or tr("none", "no executions")


_CURSORS = {
    "new": Qt.CursorShape.CrossCursor,
    "inside": Qt.CursorShape.OpenHandCursor,
    "low": Qt.CursorShape.SizeHorCursor,
    "high": Qt.CursorShape.SizeHorCursor,
}


def paint_sparkline(painter: QPainter, rect: QRectF, marks: Sequence[RunMark]) -> None:
    """Paint the last 20 runs: up is success (height by duration), down is failure, a dash is no run."""
    px, tokens = theme().px, theme().tokens
    longest = max((mark.duration_ms or 0 for mark in marks), default=0) or 1
    pitch, width = px(6), px(4)
    base = round(rect.y() + rect.height() * 0.58)
    shown = [None] * (MAX_RUNS - len(marks)) + list(marks[-MAX_RUNS:])
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


def sparkline_text(marks: Sequence[RunMark]) -> str:
    """The text of a sparkline, for tooltips and screen readers."""
    failed = sum(mark.state is ExecutionState.FAILURE for mark in marks)
    if not marks:
        return tr("No runs yet")
    return tr_count(
        len(marks), "Last {n} run: {failed} failed", "Last {n} runs: {failed} failed", failed=failed
    )


class Sparkline(AccessibleText, QWidget):
    """A sparkline as a widget."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks: tuple[RunMark, ...] = ()
        self.setFixedSize(theme().px(120), theme().px(28))

    def set_marks(self, marks: Sequence[RunMark]) -> None:
        """Show the newest runs."""
        self._marks = tuple(marks)
        self.setAccessibleName(sparkline_text(marks))
        self.setToolTip(plain_tip(sparkline_text(marks)))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_sparkline(QPainter(self), QRectF(self.rect()), self._marks)
