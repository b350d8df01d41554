"""The focus ring: 2 px, 2 px away from the control, shown after keyboard use."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.theme import theme

if TYPE_CHECKING:
    _Mixed = QWidget
else:
    _Mixed = object

QUIET_REASONS = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)


class FocusRing(QWidget):
    """An overlay around the control that has the focus. One per control, made when first needed."""

    def __init__(self, control: QWidget, *, radius: int, halo: bool = False) -> None:
        super().__init__(control.parentWidget())
        self._control, self._radius, self._halo = control, radius, halo
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        control.installEventFilter(self)
        control.destroyed.connect(self.deleteLater)
        self.hide()

    def follow(self) -> None:
        """Take the place around the control, on the closest ancestor with enough room."""
        reach = theme().px(2) if self._halo else theme().px(4)
        host = self._control.parentWidget()
        if host is None:
            return
        for _ in range(3):
            host.installEventFilter(self)  # whatever holds the control may move with it
            rect = _placed(self._control, host, reach)
            above = host.parentWidget()
            if host.rect().contains(rect) or host.isWindow() or above is None:
                break
            host = above
        if self.parentWidget() is not host:
            self.setParent(host)
        self.setGeometry(_placed(self._control, host, reach))
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize) and self.isVisible():
            self.follow()
        elif watched is self._control and event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide):
            self.hide()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = theme().tokens.focus_halo if self._halo else theme().tokens.focus
        painter.setPen(QPen(colour, theme().px(2)))
        radius = theme().px(self._radius) + theme().px(1 if self._halo else 3)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)


class FocusRinged(_Mixed):
    """Mixin for kit controls: shows the ring when the focus arrives by keyboard or by the program."""

    ring_radius = 6
    ring_halo = False
    _ring: FocusRing | None = None

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.ring_halo or event.reason() not in QUIET_REASONS:
            self.show_ring()

    def show_ring(self) -> None:
        if self._ring is None and self.parentWidget() is not None:
            self._ring = FocusRing(self, radius=self.ring_radius, halo=self.ring_halo)
        if self._ring is not None:
            self._ring.follow()


def _placed(control: QWidget, host: QWidget, reach: int) -> QRect:
    origin = control.mapTo(host, QPoint(0, 0))
    return QRect(origin, control.size()).adjusted(-reach, -reach, reach, reach)
