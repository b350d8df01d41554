"""A message inside a page: tinted box with mark, sentence and actions."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.accessibility import SelfDescribing
from patchbay.desktop.ui.kit.buttons import Button, Kind, paint_box
from patchbay.desktop.ui.kit.chips import tone_colours
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.form_scroll import scroll_into_view
from patchbay.desktop.ui.kit.marks import Tone, paint_mark
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.errors import AppError

Action = tuple[str, Callable[[], object]]

_ICONS: dict[Tone, str] = {
    "neutral": "info",
    "accent": "info",
    "success": "circle-check",
    "warning": "triangle-alert",
    "failure": "circle-x",
}


class MessageBox(SelfDescribing, FocusRinged, QWidget):
    """What happened, in a title, and what it means, in a text; actions below. The first may be a button."""

    accessible_role = QAccessible.Role.AlertMessage
    ring_radius = 8

    def __init__(
        self,
        tone: Tone = "neutral",
        title: str = "",
        text: str = "",
        actions: Sequence[Action] = (),
        parent: QWidget | None = None,
        *,
        first_kind: Kind = "default",
        mark: bool = True,
    ) -> None:
        super().__init__(parent)
        self._tone: Tone = tone
        self._mark = mark
        self._error: AppError | None = None
        self._first_kind: Kind = first_kind
        self._title = Label("", "semibold", wrap=True)
        self._text = Label("", "body", "text_secondary", wrap=True)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme().px(12))
        self._words = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._words.setSpacing(theme().px(2))
        self._words.addWidget(self._title)
        self._words.addWidget(self._text, 1)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(theme().px(3))
        self._column.addLayout(self._words)
        self._column.addLayout(self._buttons)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.set(tone, title, text, actions)

    def set(self, tone: Tone, title: str, text: str = "", actions: Sequence[Action] = ()) -> None:
        self._tone = tone
        self._title.setText(title)
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
        self, error: AppError, actions: Sequence[Action] = (), *, takes_focus: bool = True
    ) -> None:
        """Tell why something failed; a new error is announced, and focused where it `takes_focus`."""
        self.set("failure", error.happened, " ".join(filter(None, (error.meaning, error.todo))), actions)
        self.show()
        if error is not self._error:
            self._error = error
            self.draw_attention() if takes_focus else self._announce()

    def draw_attention(self) -> None:
        """Focus it, scroll it into view and announce it."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._announce()
        QTimer.singleShot(0, self, lambda: scroll_into_view(self))  # once it has been given its place

    def _announce(self) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """A short message without actions takes one line: the title, then the text."""
        gap = theme().px(5)
        room = self.width() - self._column.contentsMargins().left() - theme().px(13)
        title, text = (
            QFontMetrics(label.font()).horizontalAdvance(label.text()) + 4
            for label in (self._title, self._text)
        )
        inline = self._short and title + gap + text <= room
        self._words.setSpacing(gap if inline else theme().px(2))
        self._title.setMinimumWidth(title if inline else 0)
        way = QBoxLayout.Direction.LeftToRight if inline else QBoxLayout.Direction.TopToBottom
        if self._words.direction() is not way:
            self._words.setDirection(way)

    def _set_actions(self, actions: Sequence[Action]) -> None:
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
