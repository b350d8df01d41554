"""A part of a form that is folded away under its title."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.theme import theme


class Section(QWidget):
    """A title with a chevron, a summary beside it while folded, and `body` below while open."""

    toggled = Signal(bool)

    def __init__(self, title: str) -> None:
        super().__init__()
        self.head = _Head(title)
        self.content = QWidget()
        self.body = QVBoxLayout(self.content)
        self.body.setContentsMargins(0, theme().px(10), 0, 0)
        self.body.setSpacing(theme().px(12))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.content)
        self.content.setVisible(False)
        self.head.toggled.connect(self._toggled)

    def set_summary(self, words: str) -> None:
        self.head.summary = words
        self.head.setAccessibleDescription(words)
        self.head.update()

    def set_open(self, on: bool) -> None:
        self.head.setChecked(on)

    @property
    def is_open(self) -> bool:
        return self.head.isChecked()

    def _toggled(self, on: bool) -> None:
        self.content.setVisible(on)
        self.toggled.emit(on)


class _Head(FocusRinged, QAbstractButton):
    """The title; Space and Enter open it, Left and Right fold and unfold it."""

    ring_radius = 6

    def __init__(self, title: str) -> None:
        super().__init__()
        self.summary = ""
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(200), theme().px(30))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.setChecked(event.key() == Qt.Key.Key_Right)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.toggle()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().tokens.border)
        painter.drawLine(0, 0, self.width(), 0)
        arrow = "chevron-down" if self.isChecked() else "chevron-right"
        paint_icon(painter, QRectF(0, px(2), px(14), self.height() - px(2)), arrow, "text_secondary", 14)
        area = QRectF(px(20), px(2), self.width() - px(20), self.height() - px(2))
        token = "text" if self.underMouse() else "text_secondary"
        taken = paint_text(painter, area, self.text(), "medium", token)
        if not self.isChecked():
            rest = area.adjusted(taken + px(10), 0, 0, 0)
            paint_text(painter, rest, self.summary, "caption", "text_tertiary")
