"""The line of times under a chart."""

from datetime import datetime, timedelta

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.calendar_words import DAYS, MONTHS


def paint_time_axis(painter: QPainter, plot: QRectF, start: EpochMs, end: EpochMs) -> None:
    """Round times below `plot`, each under its place, none touching another."""
    current = theme()
    painter.setFont(current.font("caption"))
    painter.setPen(current.tokens.text_secondary)
    metrics, free = painter.fontMetrics(), 0.0
    for at, words in axis_marks(start, end):
        width = metrics.horizontalAdvance(words)
        x = (at - start) / (end - start) * plot.width() - width / 2
        if x >= free and x + width <= plot.width():
            rect = QRectF(x, plot.bottom() + 3, width + 2, current.px(18))
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), words)
            free = x + width + current.px(18)


def axis_marks(start: EpochMs, end: EpochMs) -> list[tuple[EpochMs, str]]:
    """Round local times between start and end with their words; a midnight shows the day."""
    hours = next(
        (step for step in (1, 2, 4, 6, 12, 24, 48, 168, 336) if (end - start) / 3_600_000 / step <= 9), 720
    )
    first = datetime.fromtimestamp(start / 1000).astimezone()
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    marks: list[tuple[EpochMs, str]] = []
    while (ms := int(at.timestamp() * 1000)) < end:
        if ms >= start:
            midnight = at.hour == 0
            words = (
                f"{DAYS[at.weekday()]} {at.day} {MONTHS[at.month - 1]}" if midnight else at.strftime("%H:%M")
            )
            marks.append((ms, words))
        at += timedelta(hours=hours)
    return marks
