"""A choice of one among a few, each with an explanation below it."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme


class Radio(FocusRinged, QRadioButton):
    """A round mark of 16 px with its words."""

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
    """`value_changed` when the person chose another one. Options are (value, words, explanation)."""

    value_changed = Signal(object)

    def __init__(self, accessible_name: str, options: Sequence[tuple[Any, str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.buttons: dict[Any, Radio] = {}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(6))
        for value, words, explanation in options:
            button = Radio(words)
            button.setAccessibleDescription(explanation)
            self.buttons[value] = button
            self._group.addButton(button)
            column.addWidget(button)
            about = Label(explanation, "caption", "text_secondary", wrap=True)
            indented = QHBoxLayout()
            indented.setContentsMargins(theme().px(24), 0, 0, theme().px(2))
            indented.addWidget(about)
            column.addLayout(indented)
        self._group.buttonClicked.connect(lambda _: self.value_changed.emit(self.value()))
        for first in list(self.buttons.values())[:1]:
            self.setFocusProxy(first)

    def value(self) -> Any:
        return next((value for value, button in self.buttons.items() if button.isChecked()), None)

    def set_value(self, value: Any) -> None:
        if button := self.buttons.get(value):
            button.setChecked(True)
