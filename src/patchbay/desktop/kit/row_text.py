"""Texts of rows, painted in one line."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from patchbay.desktop.kit.theme import theme


def paint_text(
    painter: QPainter,
    rect: QRect | QRectF,
    text: str,
    role: str = "body",
    color: QColor | str = "text",
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> float:
    """Paint one line, vertically centred and elided at the end; returns its width."""
    area, font = QRectF(rect), row_font(text, role)
    painter.setFont(font)
    painter.setPen(theme().color(color) if isinstance(color, str) else color)
    shown = elided(text, font, area.width())
    painter.drawText(area, int(align | Qt.AlignmentFlag.AlignVCenter), shown)
    return QFontMetricsF(font).horizontalAdvance(shown)


def elided(
    text: str,
    font: QFont | str,
    width: float,
    mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> str:
    """`text` shortened with … to fit; `font` may be a font role."""
    metrics = QFontMetricsF(row_font(text, font) if isinstance(font, str) else font)
    return metrics.elidedText(text.replace("\n", " "), mode, width)


def row_font(text: str, role: str) -> QFont:
    """The font for a text in a row, with tabular figures unless they would widen a hyphen."""
    return theme().font(role, tabular="-" not in text)
