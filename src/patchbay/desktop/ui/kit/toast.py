"""Toasts: one short message at the bottom of the page, with Undo or Show where there is one."""

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from patchbay.desktop.state.notices import Notice
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.surface import ResizeWatch
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme

PLAIN_SECONDS, UNDO_SECONDS = 6, 10


class ToastHost(QWidget):
    """Shows notices one at a time at the bottom centre of `page`; a new one replaces the old."""

    def __init__(self, page: QWidget, *, bottom: int = 44) -> None:
        super().__init__(page)
        self._page, self._bottom = page, bottom
        self.notice: Notice | None = None
        self._words = Label("", "body", "on_tooltip", wrap=False)
        self._action = _ToastButton("Undo", self)
        self._action.clicked.connect(self._act)
        self._close = _ToastButton("", self, icon="x")
        self._close.setAccessibleName("Dismiss")
        self._close.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme().px(14), theme().px(5), theme().px(6), theme().px(5))
        row.setSpacing(theme().px(12))
        row.addWidget(self._words, 1)
        row.addWidget(self._action)
        row.addWidget(self._close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.dismiss)
        self._watch = ResizeWatch(page, self, self._place)
        self.hide()

    def post(self, notice: Notice) -> None:
        """Show a notice now, in place of what was there."""
        self.notice = notice
        self._words.setWordWrap(False)
        self._words.setText(notice.text)
        room = self._page.width() - theme().px(160)
        self._words.setWordWrap(self._words.sizeHint().width() > min(room, theme().px(560)))
        self._words.setMaximumWidth(max(theme().px(120), min(room, theme().px(560))))
        acts = bool(notice.undo or notice.show)
        self._action.setText("Undo" if notice.undo else "Show")
        self._action.setVisible(acts)
        self._close.setVisible(not acts)
        self.setAccessibleName(notice.text)
        longer = acts or notice.severity == "error"
        self._timer.start(1000 * (UNDO_SECONDS if longer else PLAIN_SECONDS))
        self.show()
        self.raise_()
        self._place()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, notice.text))

    def dismiss(self) -> None:
        self._timer.stop()
        self.notice = None
        self.hide()

    def text(self) -> str:
        return self.notice.text if self.notice else ""

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        if self.notice:
            self._timer.start(PLAIN_SECONDS * 1000)
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_box(painter, QRectF(self.rect()), theme().tokens.tooltip, None, radius=8)

    def _place(self) -> None:
        self.adjustSize()
        x = (self._page.width() - self.width()) // 2
        self.move(x, self._page.height() - self.height() - theme().px(self._bottom))

    def _act(self) -> None:
        notice = self.notice
        self.dismiss()
        if notice and (act := notice.undo or notice.show):
            act()


class _ToastButton(FocusRinged, QPushButton):
    """A button on the dark (or, in dark, light) ground of a toast."""

    def __init__(self, text: str, parent: QWidget, icon: str | None = None) -> None:
        super().__init__(text, parent)
        self._icon = icon
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        width = 28 if icon else 50
        self.setFixedSize(theme().px(width), theme().px(26))

    def paintEvent(self, event: QPaintEvent) -> None:
        current = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words = current.tokens.on_tooltip
        line = current.tokens.text_tertiary
        if not self._icon or self.underMouse() or self.hasFocus():
            painter.setPen(QPen(words if self.underMouse() else line, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(box, current.px(5.5), current.px(5.5))
        if self._icon:
            paint_icon(painter, QRectF(self.rect()), self._icon, words, 14)
            return
        painter.setFont(current.font("semibold"))
        painter.setPen(words)
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.text())
