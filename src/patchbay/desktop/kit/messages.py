"""Messages: a tinted box inside a page, and notices at the bottom with Undo or Show."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QEnterEvent,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.notices import Notice
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.badges import tone_colours
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, ButtonKind, paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.layout import ResizeWatcher, scroll_into_view
from patchbay.desktop.kit.mark_painting import Tone, paint_mark
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.errors import AppError

MessageAction = tuple[str, Callable[[], object]]

_ICONS: dict[Tone, str] = {
    "neutral": "info",
    "accent": "info",
    "success": "circle-check",
    "warning": "triangle-alert",
    "failure": "circle-x",
}
TRANSIENT_SECONDS, PERSISTENT_SECONDS = 6, 10
MAX_TOASTS = 5
GAP = 8
AVOIDED_BY_TOASTS = "kept-clear"
"""Object name of bars at the bottom of a page that no notice covers."""


class MessageBox(AccessibleMixin, FocusRinged, QWidget):
    """A title with what happened, a text with what it means, and buttons below. The first may be primary."""

    accessible_role = QAccessible.Role.AlertMessage
    ring_radius = 8

    def __init__(
        self,
        tone: Tone = "neutral",
        title: str = "",
        text: str = "",
        actions: Sequence[MessageAction] = (),
        parent: QWidget | None = None,
        *,
        first_kind: ButtonKind = "default",
        mark: bool = True,
    ) -> None:
        super().__init__(parent)
        self._tone: Tone = tone
        self._mark = mark
        self._error: AppError | None = None
        self._first_kind: ButtonKind = first_kind
        self._title = Label("", "semibold", wrap=True)
        self._text = Label("", "body", "text_secondary", wrap=True)
        self._buttons = hbox(spacing=12)
        self._words = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._words.setSpacing(theme().px(2))
        self._words.addWidget(self._title)
        self._words.addWidget(self._text, 1)
        self._column = vbox(self._words, self._buttons, parent=self, spacing=3)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.set(tone, title, text, actions)

    def set(self, tone: Tone, title: str, text: str = "", actions: Sequence[MessageAction] = ()) -> None:
        self._tone = tone
        self._title.setText(without_full_stop(title))
        self._title.setVisible(bool(title))
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.setAccessibleName(" ".join(filter(None, (title, text))))
        left = theme().px(38 if self._mark else 13)
        self._column.setContentsMargins(left, theme().px(10), theme().px(13), theme().px(10))
        self._short = bool(title and text and not actions)
        self._set_actions(actions)
        self._arrange()
        self.update()

    def show_error(
        self, error: AppError, actions: Sequence[MessageAction] = (), *, takes_focus: bool = True
    ) -> None:
        """Show why something failed; a new error is announced, and focused if `takes_focus`."""
        self.set("failure", error.happened, " ".join(filter(None, (error.meaning, error.todo))), actions)
        self.show()
        if error is not self._error:
            self._error = error
            self.draw_attention() if takes_focus else self._announce()

    def draw_attention(self) -> None:
        """Move the focus to the message, scroll to it, and announce it."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._announce()
        QTimer.singleShot(0, self, lambda: scroll_into_view(self))  # once it has been laid out

    def _announce(self) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """A short message without buttons fits on one line: the title, then the text."""
        gap = theme().px(5)
        room = self.width() - self._column.contentsMargins().left() - theme().px(13)
        title, text = (
            QFontMetrics(label.font()).horizontalAdvance(label.text()) + 4
            for label in (self._title, self._text)
        )
        inline = self._short and title + gap + text <= room
        self._words.setSpacing(gap if inline else theme().px(2))
        self._title.setMinimumWidth(title if inline else 0)
        direction = QBoxLayout.Direction.LeftToRight if inline else QBoxLayout.Direction.TopToBottom
        if self._words.direction() is not direction:
            self._words.setDirection(direction)

    def _set_actions(self, actions: Sequence[MessageAction]) -> None:
        while item := self._buttons.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._buttons.setContentsMargins(0, theme().px(6) if actions else 0, 0, 0)
        for number, (word, run) in enumerate(actions):
            button = Button(word, self._first_kind if number == 0 else "link", small=True)
            button.clicked.connect(lambda _=False, run=run: run())
            self._buttons.addWidget(button)
            button.show()  # the layout would show it some time later
        if actions:
            self._buttons.addStretch(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        current = theme()
        tokens = current.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        soft, words = tone_colours(self._tone)
        line = {
            "failure": tokens.failure_border,
            "warning": tokens.warning_border,
            "accent": tokens.accent_border,
            "neutral": tokens.border,
        }.get(self._tone)
        fill = tokens.sidebar if self._tone == "neutral" else soft
        paint_box(painter, QRectF(self.rect()), fill, line, radius=8)
        if self._mark:
            rect = QRectF(current.px(13), current.px(11), current.px(16), current.px(16))
            paint_mark(painter, rect, _ICONS[self._tone], words, fill)


def without_full_stop(title: str) -> str:
    """Return the title of a message without the full stop of its only sentence."""
    sentence = title.removesuffix(".")
    return title if ". " in sentence else sentence


class ToastHost(QObject):
    """Shows notices at the bottom centre of `page`, the newest at the bottom.

    A plain message is replaced by the next one. An error, or a notice with Undo or Show, stays for its full
    time: later ones are stacked below it, unless they have the same `Notice.subject`.
    """

    def __init__(self, page: QWidget, *, bottom: int = 44) -> None:
        super().__init__(page)
        self._page, self._bottom = page, bottom
        self.toasts: list[Toast] = []
        self._watch = ResizeWatcher(page, self, self._arrange)

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
        self._arrange()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(toast, notice.text))

    def text(self) -> str:
        """The newest message that is visible."""
        return self.toasts[-1].notice.text if self.toasts else ""

    def _remove(self, toast: "Toast") -> None:
        if toast in self.toasts:
            self.toasts.remove(toast)
            toast.hide()
            toast.deleteLater()
            self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            QTimer.singleShot(0, self, self._arrange)
        return False

    def _arrange(self) -> None:
        y = self._page.height() - theme().px(self._bottom)  # above the status bar, and above bars in use
        for bar in self._page.findChildren(QWidget, AVOIDED_BY_TOASTS):
            bar.installEventFilter(self)  # once per event loop iteration
            top = bar.mapTo(self._page, QPoint(0, 0)).y()
            if bar.isVisible() and top > self._page.height() // 2:
                y = min(y, top - theme().px(GAP))
        for toast in reversed(self.toasts):
            toast.fit(self._page.width())
            y -= toast.height()
            toast.move((self._page.width() - toast.width()) // 2, y)
            toast.raise_()
            y -= theme().px(GAP)


def _replaces(new: Notice, old: Notice) -> bool:
    same = new.subject is not None and new.subject == old.subject
    return same or new.text == old.text or old.is_transient


class Toast(QWidget):
    """A message with its button; emits `closed` when its time is over or the button was used."""

    closed = Signal(object)

    def __init__(self, notice: Notice, page: QWidget) -> None:
        super().__init__(page)
        self.notice = notice
        self.setAccessibleName(notice.text)
        self._words = Label("", "body", "on_tooltip", wrap=False)
        self._words.setText(notice.text)
        if notice.has_action:
            self.button = _ToastButton(tr("Undo") if notice.undo else tr("Show"), self)
            self.button.clicked.connect(self._run_action)
        else:
            self.button = _ToastButton("", self, icon="x")
            self.button.setAccessibleName(tr("Dismiss"))
            self.button.clicked.connect(self._close)
        hbox((self._words, 1), self.button, parent=self, margins=(14, 5, 6, 5), spacing=12)
        self.timer = QTimer(self, singleShot=True)
        self.timer.timeout.connect(self._close)
        self.timer.start(1000 * (TRANSIENT_SECONDS if notice.is_transient else PERSISTENT_SECONDS))

    def fit(self, page_width: int) -> None:
        """Resize to the text, wrapped if the page is too narrow for one line."""
        widest = min(page_width - theme().px(160), theme().px(560))
        self._words.setWordWrap(False)
        self._words.setWordWrap(self._words.sizeHint().width() > widest)
        self._words.setMaximumWidth(max(theme().px(120), widest))
        self.adjustSize()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.timer.start(TRANSIENT_SECONDS * 1000)
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_box(painter, QRectF(self.rect()), theme().tokens.tooltip, None, radius=8)

    def _close(self) -> None:
        self.timer.stop()
        self.closed.emit(self)

    def _run_action(self) -> None:
        self._close()
        if action := self.notice.undo or self.notice.show:
            action()


class _ToastButton(FocusRinged, QPushButton):
    """A button on the dark (or, in the dark theme, light) background of a notice."""

    def __init__(self, text: str, parent: QWidget, icon: str | None = None) -> None:
        super().__init__(text, parent)
        self._icon = icon
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        px, font = theme().px, theme().font("semibold")
        width = px(28) if icon else max(px(50), QFontMetrics(font).horizontalAdvance(text) + px(20))
        self.setFixedSize(width, px(26))

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
