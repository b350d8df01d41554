"""The light of a state: green, hollow grey, red or amber."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from patchbay.desktop.state.workspace_view_model import Light
from patchbay.desktop.ui.kit.theme import theme

_LIGHTS: dict[Light, str] = {
    "good": "success_graphic",
    "idle": "neutral_graphic",
    "bad": "failure_graphic",
    "wait": "warning_graphic",
}


def paint_light(painter: QPainter, rect: QRectF, light: Light) -> None:
    """A dot that fills the rectangle; a ring where nothing is going on."""
    colour, hollow = theme().color(_LIGHTS[light]), light == "idle"
    painter.setPen(QPen(colour, 1.5) if hollow else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else colour)
    painter.drawEllipse(rect.adjusted(1, 1, -1, -1) if hollow else rect)
