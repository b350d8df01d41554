"""The marks of states. Failure and attention are filled; all others are outlines."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.theme import theme
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flows import FlowStatus, StructuralType

Tone = Literal["neutral", "accent", "success", "warning", "failure"]


@dataclass(frozen=True)
class Mark:
    """How a state is shown: its label, icon, and colours."""

    word: str
    icon: str
    token: str
    graphic: str = "neutral_graphic"
    tone: Tone = "neutral"


_FAILURE = Mark(tr("Failure", "state of an execution"), "circle-x", "failure", "failure_graphic", "failure")
_SUCCESS = Mark(
    tr("Success", "state of an execution"), "circle-check", "success", "success_graphic", "success"
)
_RUNNING = Mark(tr("Running", "state of an execution"), "spinner", "accent_text", "accent", "accent")
_FILTERED = Mark(tr("Filtered", "state of an execution"), "funnel", "text_secondary")
NOT_RUN = Mark(tr("Not run", "state of a step"), "circle-dashed", "text_tertiary")

_FLOWS: dict[FlowStatus, tuple[str, Tone]] = {
    FlowStatus.DRAFT: (tr("Draft", "state of a flow"), "neutral"),
    FlowStatus.PUBLISHED: (tr("Published", "state of a flow"), "success"),
    FlowStatus.PAUSED: (tr("Paused", "state of a flow"), "warning"),
}

STRUCTURE_ICONS = {
    StructuralType.PATHS: "split",
    StructuralType.EACH: "repeat",
    StructuralType.BRANCH: "corner-down-right",
}
"""The app icon of steps without an app."""

_MARKS: dict[object, Mark] = {
    ExecutionState.SUCCESS: _SUCCESS,
    ExecutionState.FAILURE: _FAILURE,
    ExecutionState.RUNNING: _RUNNING,
    ExecutionState.WAITING: Mark(tr("Waiting", "state of an execution"), "clock", "text_secondary"),
    ExecutionState.QUEUED: Mark(tr("Queued", "state of an execution"), "circle-dashed", "text_secondary"),
    ExecutionState.FILTERED: _FILTERED,
    ExecutionState.CANCELLED: Mark(
        tr("Cancelled", "state of an execution"), "circle-minus", "text_secondary"
    ),
    ConnectionHealth.VALID: Mark(
        tr("Valid", "state of a connection"), "circle-check", "success", "success_graphic", "success"
    ),
    ConnectionHealth.NEEDS_ATTENTION: Mark(
        tr("Needs attention", "state of a connection"),
        "triangle-alert",
        "warning",
        "warning_graphic",
        "warning",
    ),
    ConnectionHealth.EXPIRES_SOON: Mark(
        tr("Expires soon", "state of a connection"), "triangle-alert", "warning", "warning_graphic", "warning"
    ),
    ConnectionHealth.NEVER_TESTED: Mark(
        tr("Never tested", "state of a connection"), "circle-dashed", "text_secondary"
    ),
}


def flow_status_label(status: FlowStatus) -> tuple[str, Tone]:
    """The label for whether a flow is published, and its tone."""
    return _FLOWS[status]


def mark_of(state: ExecutionState | StepState | ConnectionHealth | None) -> Mark:
    """The mark of a state; None means a step that didn't run."""
    if state is None:
        return NOT_RUN
    return _MARKS.get(state) or _MARKS[ExecutionState(str(state))]


def paint_state_mark(
    painter: QPainter,
    rect: QRectF,
    state: ExecutionState | StepState | ConnectionHealth | None,
    size: int = 16,
) -> None:
    """Paint the mark of a state in the area."""
    mark = mark_of(state)
    paint_mark(painter, rect, mark.icon, theme().color(mark.token), theme().tokens.surface, size)


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
