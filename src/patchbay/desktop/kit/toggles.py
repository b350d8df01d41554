"""Switches, check boxes, and radio buttons with an explanation below each."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Property, QEasingCurve, QPoint, QPropertyAnimation, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QRadioButton,
    QWidget,
)

from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import mixed, theme


class Switch(FocusRinged, QAbstractButton):
    """A switch with immediate effect. With `text`, its label is at its right."""

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
        self.toggled.connect(self._on_toggled)
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

    def _on_toggled(self, on: bool) -> None:
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
    """Paint a switch between off (0) and on (1); for delegates."""
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
    """A check box of 16 px in a clickable area of 24."""

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


class CheckRow(QWidget):
    """A check box with its whole label beside it, in as many lines as it needs. A click on the label
    toggles it, too.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.box = CheckBox()
        self.label = Label(text, wrap=True)
        self.setFocusProxy(self.box)
        beside = hbox((self.label, 1), margins=(0, 2, 0, 2))
        row = hbox(parent=self, spacing=8)
        row.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(beside, 1)
        self.setAccessibleName(text)

    def setAccessibleName(self, name: str) -> None:
        self.box.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        self.box.setAccessibleDescription(description)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Accept the event, so that releasing the button arrives here."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.box.click()


def paint_check(
    painter: QPainter, rect: QRectF, state: Qt.CheckState, *, enabled: bool = True, hover: bool = False
) -> None:
    """Paint a check box; for delegates."""
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


class Radio(FocusRinged, QRadioButton):
    """A radio button of 16 px with its label."""

    ring_radius = 9

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme().changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(theme().font("medium")).horizontalAdvance(self.text())
        return QSize(theme().px(24) + round(words + 0.5), theme().px(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(60), self.sizeHint().height())

    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on, enabled = self.isChecked(), self.isEnabled()
        ring = QRectF(0.5, (self.height() - px(16)) / 2 + 0.5, px(16) - 1, px(16) - 1)
        line = tokens.accent if on else tokens.border_control
        painter.setPen(QPen(line if enabled else tokens.border_button, 1))
        painter.setBrush(tokens.hover if self.underMouse() and enabled and not on else tokens.surface)
        painter.drawEllipse(ring)
        if on:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tokens.accent if enabled else tokens.text_disabled)
            painter.drawEllipse(ring.center(), px(8) / 2, px(8) / 2)
        painter.setFont(theme().font("medium"))
        painter.setPen(tokens.text if enabled else tokens.text_disabled)
        words = QRectF(self.rect()).adjusted(px(24), 0, 0, 0)
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), self.text())


class RadioGroup(QWidget):
    """Radio buttons. `value_changed` is emitted when the user chooses another one. Options are (value, label,
    explanation).
    """

    value_changed = Signal(object)

    def __init__(self, accessible_name: str, options: Sequence[tuple[Any, str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.buttons: dict[Any, Radio] = {}
        self._group = QButtonGroup(self)
        column = vbox(parent=self, spacing=0)
        for value, words, explanation in options:
            button = Radio(words)
            button.setAccessibleDescription(explanation)
            self.buttons[value] = button
            self._group.addButton(button)
            column.addWidget(button)
            about = Label(explanation, "caption", "text_secondary", wrap=True)
            column.addLayout(hbox(about, margins=(24, 0, 0, 10)))
        self._group.buttonClicked.connect(lambda _: self.value_changed.emit(self.value()))
        for first in list(self.buttons.values())[:1]:
            self.setFocusProxy(first)

    def value(self) -> Any:
        """The chosen value; None without one."""
        return next((value for value, button in self.buttons.items() if button.isChecked()), None)

    def set_value(self, value: Any) -> None:
        if button := self.buttons.get(value):
            button.setChecked(True)
