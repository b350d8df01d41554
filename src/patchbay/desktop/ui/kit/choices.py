"""Things one switches: the switch and the check box."""

from PySide6.QtCore import Property, QEasingCurve, QPoint, QPropertyAnimation, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QWidget

from patchbay.desktop.ui.kit.colour import mixed
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.theme import theme


class Switch(FocusRinged, QAbstractButton):
    """On or off, effective at once. With `text` the word stands to its right."""

    ring_radius = 9

    def __init__(self, accessible_name: str = "", text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setText(text)
        self.setAccessibleName(accessible_name or text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._at = 0.0
        self._slide = QPropertyAnimation(self, b"at", self)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.toggled.connect(self._move)
        theme().changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        width, height = theme().px(32), theme().px(18)
        if self.text():
            width += theme().px(8) + round(QFontMetricsF(theme().font()).horizontalAdvance(self.text()) + 0.5)
        return QSize(width, max(height, theme().px(20 if self.text() else 18)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        height = theme().px(18)
        rect = QRectF(0, (self.height() - height) / 2, theme().px(32), height)
        paint_switch(painter, rect, self._at, enabled=self.isEnabled(), hover=self.underMouse())
        if self.text():
            painter.setFont(theme().font())
            painter.setPen(theme().tokens.text if self.isEnabled() else theme().tokens.text_disabled)
            words = QRectF(self.rect()).adjusted(theme().px(40), 0, 0, 0)
            painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), self.text())

    def _get_at(self) -> float:
        return self._at

    def _set_at(self, value: float) -> None:
        self._at = value
        self.update()

    at = Property(float, _get_at, _set_at)

    def _move(self, on: bool) -> None:
        self._slide.stop()
        length = theme().duration(120) if self.isVisible() else 0
        if length == 0:
            self._set_at(float(on))
            return
        self._slide.setDuration(length)
        self._slide.setEndValue(float(on))
        self._slide.start()


def paint_switch(
    painter: QPainter, rect: QRectF, at: float, *, enabled: bool = True, hover: bool = False
) -> None:
    """A switch between off (0) and on (1), for delegates as well."""
    tokens = theme().tokens
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    on_fill = tokens.accent_hover if hover else tokens.accent
    fill = mixed(on_fill, tokens.surface, at) if enabled else (tokens.pressed if at else tokens.window)
    line = mixed(on_fill, tokens.border_control, at) if enabled else tokens.border_button
    painter.setPen(QPen(line, 1))
    painter.setBrush(fill)
    radius = rect.height() / 2 - 0.5
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    off, on = theme().px(10), theme().px(12)
    side = off + (on - off) * at
    gap = (rect.height() - side) / 2
    x = rect.x() + gap + (rect.width() - side - 2 * gap) * at
    knob = mixed(tokens.on_accent, tokens.border_control, at) if enabled else tokens.text_disabled
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(knob)
    painter.drawEllipse(QRectF(x, rect.y() + gap, side, side))
    painter.restore()


class CheckBox(FocusRinged, QCheckBox):
    """A check box of 16 px in a hit area of 24."""

    ring_radius = 4

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme().changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(theme().font()).horizontalAdvance(self.text()) if self.text() else 0
        return QSize(theme().px(16) + (theme().px(8) + round(words + 0.5) if words else 0), theme().px(24))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = theme().px(16)
        rect = QRectF(0, (self.height() - side) / 2, side, side)
        paint_check(painter, rect, self.checkState(), enabled=self.isEnabled(), hover=self.underMouse())
        painter.setFont(theme().font())
        painter.setPen(theme().tokens.text if self.isEnabled() else theme().tokens.text_disabled)
        words = QRectF(self.rect()).adjusted(side + theme().px(8), 0, 0, 0)
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), self.text())


def paint_check(
    painter: QPainter, rect: QRectF, state: Qt.CheckState, *, enabled: bool = True, hover: bool = False
) -> None:
    """A check box, for delegates as well."""
    tokens = theme().tokens
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    marked = state is not Qt.CheckState.Unchecked
    fill: QColor = tokens.accent if marked else tokens.surface
    if hover and enabled:
        fill = tokens.accent_hover if marked else tokens.hover
    line: QColor = fill if marked else tokens.border_control
    if not enabled:
        fill, line = tokens.window, tokens.border_button
    painter.setPen(QPen(line, 1))
    painter.setBrush(fill)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), theme().px(3.5), theme().px(3.5))
    if marked:
        name = "check" if state is Qt.CheckState.Checked else "minus"
        paint_icon(painter, rect, name, tokens.on_accent if enabled else tokens.text_disabled, 12)
    painter.restore()
