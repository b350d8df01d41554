"""Toasts: short messages at the bottom of the page, with Undo or Show where there is one."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from patchbay.desktop.state.notices import Notice
from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.surface import ResizeWatch
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme

PASSING_SECONDS, LASTING_SECONDS = 6, 10
MAX_TOASTS = 5
GAP = 8
KEPT_CLEAR = "kept-clear"
"""Object name of bars at the bottom of a page that no toast covers."""


class ToastHost(QObject):
    """Shows notices at the bottom centre of `page`, the newest at the bottom.

    A passing message is replaced by the next one. An error, or a notice with Undo or Show, keeps its full
    time: later ones are stacked below it, unless they are about the same thing (`Notice.subject`).
    """

    def __init__(self, page: QWidget, *, bottom: int = 44) -> None:
        super().__init__(page)
        self._page, self._bottom = page, bottom
        self.toasts: list[Toast] = []
        self._watch = ResizeWatch(page, self, self._place)

    def post(self, notice: Notice) -> None:
        """Show a notice now, and remove those that it replaces."""
        for old in [toast for toast in self.toasts if _replaces(notice, toast.notice)]:
            self._remove(old)
        if len(self.toasts) >= MAX_TOASTS:
            self._remove(self.toasts[0])
        toast = Toast(notice, self._page)
        toast.closed.connect(self._remove)
        self.toasts.append(toast)
        toast.show()
        self._place()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(toast, notice.text))

    def text(self) -> str:
        """The newest message that is still shown."""
        return self.toasts[-1].notice.text if self.toasts else ""

    def _remove(self, toast: "Toast") -> None:
        if toast in self.toasts:
            self.toasts.remove(toast)
            toast.hide()
            toast.deleteLater()
            self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            QTimer.singleShot(0, self, self._place)
        return False

    def _floor(self) -> int:
        """Where the lowest toast ends: above the status bar, and above bars that people use meanwhile."""
        floor = self._page.height() - theme().px(self._bottom)
        for bar in self._page.findChildren(QWidget, KEPT_CLEAR):
            bar.installEventFilter(self)  # once, however often it is asked for
            top = bar.mapTo(self._page, QPoint(0, 0)).y()
            if bar.isVisible() and top > self._page.height() // 2:
                floor = min(floor, top - theme().px(GAP))
        return floor

    def _place(self) -> None:
        y = self._floor()
        for toast in reversed(self.toasts):
            toast.fit(self._page.width())
            y -= toast.height()
            toast.move((self._page.width() - toast.width()) // 2, y)
            toast.raise_()
            y -= theme().px(GAP)


def _replaces(new: Notice, old: Notice) -> bool:
    same = new.subject is not None and new.subject == old.subject
    return same or new.text == old.text or old.is_passing


class Toast(QWidget):
    """One message with its button; emits `closed` with itself when its time is over or it was used."""

    closed = Signal(object)

    def __init__(self, notice: Notice, page: QWidget) -> None:
        super().__init__(page)
        self.notice = notice
        self.setAccessibleName(notice.text)
        self._words = Label("", "body", "on_tooltip", wrap=False)
        self._words.setText(notice.text)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme().px(14), theme().px(5), theme().px(6), theme().px(5))
        row.setSpacing(theme().px(12))
        row.addWidget(self._words, 1)
        if notice.has_action:
            self.button = _ToastButton("Undo" if notice.undo else "Show", self)
            self.button.clicked.connect(self._act)
        else:
            self.button = _ToastButton("", self, icon="x")
            self.button.setAccessibleName("Dismiss")
            self.button.clicked.connect(self._close)
        row.addWidget(self.button)
        self.timer = QTimer(self, singleShot=True)
        self.timer.timeout.connect(self._close)
        self.timer.start(1000 * (PASSING_SECONDS if notice.is_passing else LASTING_SECONDS))

    def fit(self, page_width: int) -> None:
        """Take the size of the text, wrapped where the page is too narrow for one line."""
        widest = min(page_width - theme().px(160), theme().px(560))
        self._words.setWordWrap(False)
        self._words.setWordWrap(self._words.sizeHint().width() > widest)
        self._words.setMaximumWidth(max(theme().px(120), widest))
        self.adjustSize()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.timer.start(PASSING_SECONDS * 1000)
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_box(painter, QRectF(self.rect()), theme().tokens.tooltip, None, radius=8)

    def _close(self) -> None:
        self.timer.stop()
        self.closed.emit(self)

    def _act(self) -> None:
        self._close()
        if act := self.notice.undo or self.notice.show:
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
