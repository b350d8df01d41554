"""Tabs above a pane, and segmented controls."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QTabBar, QWidget

from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.theme import theme


class TabStrip(QTabBar):
    """Tabs measured with the bold font, so that choosing one never moves the others."""

    def __init__(self, names: Iterable[str], accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failed: set[int] = set()
        self.setAccessibleName(accessible_name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        for name in names:
            self.addTab(name)
        theme().changed.connect(self.updateGeometry)

    def set_failed(self, index: int, failed: bool) -> None:
        """Mark a tab that has an error."""
        (self._failed.add if failed else self._failed.discard)(index)
        self.updateGeometry()
        self.update()

    def tabSizeHint(self, index: int) -> QSize:
        words = QFontMetricsF(theme().font("semibold")).horizontalAdvance(self.tabText(index))
        mark = theme().px(19) if index in self._failed else 0
        return QSize(round(words) + mark + theme().px(20), theme().px(32))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in range(self.count()):
            if self.isTabVisible(index):
                self._paint_tab(painter, index)

    def _paint_tab(self, painter: QPainter, index: int) -> None:
        tokens, px = theme().tokens, theme().px
        chosen = index == self.currentIndex()
        area = QRectF(self.tabRect(index)).adjusted(0, 0, -px(20), 0)
        if chosen:
            colour = tokens.focus if self.hasFocus() else tokens.accent
            painter.fillRect(QRectF(area.x(), self.height() - 2, area.width(), 2), colour)
            if self.hasFocus():
                painter.fillRect(QRectF(area.x(), 0, area.width(), 2), colour)
        if index in self._failed:
            spot = QRectF(area.x(), 0, px(14), self.height())
            paint_mark(painter, spot, "circle-x", tokens.failure, tokens.surface, 14)
            area.setLeft(area.left() + px(19))
        role, token = ("semibold", "text") if chosen else ("body", "text_secondary")
        paint_text(painter, area.adjusted(0, 0, px(4), 0), self.tabText(index), role, token)


class SegmentedControl(AccessibleMixin, FocusRinged, QWidget):
    """A segmented control: Left and Right move the choice."""

    chosen = Signal(int)
    accessible_role = QAccessible.Role.ComboBox

    def __init__(self, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(accessible_name)
        self._labels: tuple[str, ...] = ()
        self.current = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_labels(self, label: Sequence[str]) -> None:
        """Set the labels of the segments."""
        self._labels = tuple(label)
        self.announce_value()
        self.updateGeometry()
        self.update()

    def choose(self, index: int) -> None:
        """Choose a segment as a click would."""
        if 0 <= index < len(self._labels) and index != self.current:
            self.set_current(index)
            self.chosen.emit(index)

    def set_current(self, index: int) -> None:
        """Choose a segment without emitting `chosen`."""
        self.current = index
        self.announce_value()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(sum(self._widths())), theme().px(30))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.choose(self.current + (1 if event.key() == Qt.Key.Key_Right else -1))
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = 0.0
        for index, width in enumerate(self._widths()):
            x += width
            if event.position().x() < x:
                self.choose(index)
                return

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        control_rect = QRectF(self.rect())
        paint_box(painter, control_rect, tokens.surface, tokens.border_button)
        x = 0.0
        for index, (label, width) in enumerate(zip(self._labels, self._widths(), strict=True)):
            part = QRectF(x, 0, width, self.height())
            if index == self.current:
                self._paint_chosen(painter, control_rect, part)
            role, token = ("semibold", "accent_text") if index == self.current else ("body", "text_secondary")
            paint_text(painter, part, label, role, token, Qt.AlignmentFlag.AlignHCenter)
            if index:
                painter.setPen(QPen(tokens.border_button, 1))
                painter.drawLine(QPointF(round(x) + 0.5, 1), QPointF(round(x) + 0.5, self.height() - 1))
            x += width

    @staticmethod
    def _paint_chosen(painter: QPainter, control_rect: QRectF, part: QRectF) -> None:
        shape = QPainterPath()
        corner = theme().px(5)
        shape.addRoundedRect(control_rect.adjusted(1, 1, -1, -1), corner, corner)
        painter.save()
        painter.setClipPath(shape)
        painter.fillRect(part, theme().tokens.accent_soft)
        painter.restore()

    def _widths(self) -> list[float]:
        metrics = QFontMetricsF(theme().font("semibold"))
        return [metrics.horizontalAdvance(label) + theme().px(26) for label in self._labels]

    def accessible_value(self) -> str:
        return self._labels[self.current] if self.current < len(self._labels) else ""
