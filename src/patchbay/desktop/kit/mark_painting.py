"""Paints marks, whatever they stand for; `marks` has those of states."""

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.theme import theme

Tone = Literal["neutral", "accent", "success", "warning", "failure"]


def paint_mark(
    painter: QPainter, rect: QRectF, name: str, colour: QColor, on: QColor, size: int = 16
) -> None:
    """Paint a mark centred in a rectangle; `on` is the background, used for the sign in filled marks."""
    if name == "circle-x":
        _filled_circle(painter, rect, colour, on, theme().px(size))
    elif name == "triangle-alert":
        _filled_triangle(painter, rect, colour, on, theme().px(size))
    elif name == "spinner":
        paint_spinner(painter, rect, colour)
    else:
        paint_icon(painter, rect, name, colour, size)


def paint_spinner(painter: QPainter, rect: QRectF, colour: QColor, angle: int = 0) -> None:
    """Paint a ring with a stronger arc, 12 px of a 16 px icon."""
    side = min(rect.width(), rect.height(), theme().px(12))
    ring = QRectF(0, 0, side, side)
    ring.moveCenter(rect.center())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    soft = QColor(colour)
    soft.setAlphaF(0.28)
    width = theme().px(16) * 0.1
    painter.setPen(QPen(soft, width))
    painter.drawEllipse(ring)
    painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawArc(ring, (90 + angle) * 16, -110 * 16)
    painter.restore()


def _filled_circle(painter: QPainter, rect: QRectF, colour: QColor, on: QColor, side: float) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    centre, radius = _snapped_center(rect), side * 0.44
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(centre, radius, radius)
    arm = side * 0.15
    painter.setPen(QPen(on, side * 0.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(centre + QPointF(-arm, -arm), centre + QPointF(arm, arm))
    painter.drawLine(centre + QPointF(-arm, arm), centre + QPointF(arm, -arm))
    painter.restore()


def _filled_triangle(painter: QPainter, rect: QRectF, colour: QColor, on: QColor, side: float) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    centre = _snapped_center(rect)
    half = side * 0.38
    top = side * 0.34
    bottom = side * 0.32
    shape = QPolygonF(
        [
            centre + QPointF(0, -top),
            centre + QPointF(half, bottom),
            centre + QPointF(-half, bottom),
        ]
    )
    painter.setPen(
        QPen(colour, side * 0.16, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    )
    painter.setBrush(colour)
    painter.drawPolygon(shape)
    painter.setPen(QPen(on, side * 0.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(centre + QPointF(0, -side * 0.1), centre + QPointF(0, side * 0.08))
    painter.drawPoint(centre + QPointF(0, side * 0.25))
    painter.restore()


def _snapped_center(rect: QRectF) -> QPointF:
    return QPointF(round(rect.center().x()), round(rect.center().y()))
