"""What a list shows in place of rows: loading, first use, no match, or an error; and the refresh bar."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, ButtonKind, Spinner, paint_box
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.json_view import JsonView
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError, Forbidden, NotFound, TimedOut, Unreachable

SKELETON_DELAY_MS, CANCEL_DELAY_MS = 200, 1000
StateButton = tuple[str, Callable[[], object]] | tuple[str, Callable[[], object], str]
"""A label, what the button does, and optionally an icon. The first button is the primary one."""

_ERROR_ICONS: dict[type[AppError], str] = {
    Unreachable: "unplug",
    TimedOut: "unplug",
    NotFound: "search",
    Forbidden: "lock",
}


class Skeleton(QWidget):
    """Grey rows while a list loads for the first time, without animation."""

    _WIDTHS = ((58, 150, 40), (50, 190, 32), (62, 130, 46), (58, 170, 40), (54, 160, 30), (50, 130, 46))

    def __init__(self) -> None:
        super().__init__()
        px = theme().px
        self.shown = False
        self._label = Label("", "body", "text_secondary")
        self._spinner_at = px(16)
        self._spinner = Spinner(self)
        self._cancel = Button(tr("Cancel"), "link")
        vbox(hbox((self._label, 1), self._cancel, margins=(38, 6, 16, 6)), Stretch(), parent=self)
        self._show_timer = single_shot(self, SKELETON_DELAY_MS, self._show_rows)
        self._cancel_timer = single_shot(self, CANCEL_DELAY_MS, self._offer_cancel)
        self._on_cancel: Callable[[], object] | None = None
        self._cancel.clicked.connect(lambda: self._on_cancel() if self._on_cancel else None)

    def begin(self, what: str, on_cancel: Callable[[], object] | None) -> None:
        """Show what is loading. Both the text and the Cancel button appear only after a moment."""
        self._on_cancel = on_cancel
        self._label.setText(what)
        self._label.setVisible(self.shown)
        self._cancel.hide()
        if not self.shown:
            self._show_timer.start()
        self._cancel_timer.start()

    def end(self) -> None:
        """Stop the animation, as the rows have arrived."""
        self.shown = False
        self._show_timer.stop()
        self._cancel_timer.stop()
        self._spinner.run(False)

    def _show_rows(self) -> None:
        self.shown = True
        self._label.show()
        self._spinner.run(True)
        self.update()

    def _offer_cancel(self) -> None:
        self._cancel.setVisible(self._on_cancel is not None)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.shown:
            return
        current = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head = current.px(36)
        self._spinner.paint(painter, QRectF(self._spinner_at, 0, current.px(16), head))
        painter.fillRect(QRectF(0, head - 1, self.width(), 1), current.tokens.row_line)
        row = current.px(32)
        for number in range(max(0, (self.height() - head) // row)):
            self._paint_row(painter, number, head + number * row, row)

    def _paint_row(self, painter: QPainter, number: int, top: int, height: int) -> None:
        current = theme()
        grey = current.tokens.selected_inactive
        first, second, third = (current.px(width) for width in self._WIDTHS[number % len(self._WIDTHS)])
        bar, middle = current.px(10), top + height / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(grey)
        dot = current.px(16)
        painter.drawEllipse(QRectF(current.px(16), middle - dot / 2, dot, dot))
        x = current.px(44)
        for left, width in (
            (x, first),
            (x + first + current.px(12), second),
            (self.width() - current.px(16) - third, third),
        ):
            painter.drawRoundedRect(QRectF(left, middle - bar / 2, width, bar), bar / 2, bar / 2)
        painter.fillRect(QRectF(0, top + height - 1, self.width(), 1), current.tokens.row_line)


def single_shot(owner: QWidget, milliseconds: int, run: Callable[[], None]) -> QTimer:
    """A timer that calls `run` once, `milliseconds` after each start."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(run)
    return timer


class RefreshBar(QWidget):
    """A thin line above the rows while they are reloaded, after 200 ms."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._at = 0.0
        self._show_timer = single_shot(self, SKELETON_DELAY_MS, self._start_animation)
        self._animation_timer = QTimer(self)
        self._animation_timer.setInterval(30)
        self._animation_timer.timeout.connect(self._step)
        self.hide()

    def set_active(self, active: bool) -> None:
        """Show that rows are reloading, or hide it."""
        if active:
            self._show_timer.start()
            return
        self._show_timer.stop()
        self._animation_timer.stop()
        self.hide()

    def _start_animation(self) -> None:
        self.show()
        self.raise_()
        if not theme().reduces_motion:
            self._animation_timer.start()

    def _step(self) -> None:
        self._at = (self._at + 0.02) % 1.3
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        part = self.width() * 0.3
        left = self._at * self.width() - part
        if theme().reduces_motion:
            left, part = 0.0, float(self.width())
        QPainter(self).fillRect(QRectF(left, 0, part, self.height()), theme().tokens.accent)


class StatePage(QWidget):
    """One of the four states in place of the rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "surface")
        self._stack = QStackedLayout(self)
        self._message_page = _MessagePage()
        self._skeleton = Skeleton()
        self._stack.addWidget(self._message_page)
        self._stack.addWidget(self._skeleton)
        self.kind = ""
        """The state that is shown: empty, no_match, error, or loading."""

    @property
    def title(self) -> str:
        """The title of the message that is shown."""
        return self._message_page.title.text()

    def show_empty(self, icon: str, title: str, text: str, buttons: Sequence[StateButton] = ()) -> None:
        """Show that there is nothing yet, and how to begin."""
        self._show_message("empty", icon, title, text, buttons)

    def show_no_match(
        self,
        on_clear: Callable[[], object],
        title: str = tr("No matches"),
        text: str = tr("No entry matches all filters."),
        buttons: Sequence[StateButton] = (),
    ) -> None:
        """Show that no row matches the filter, with a button to clear it."""
        extra: list[StateButton] = [*buttons, (tr("Clear filters"), on_clear)]
        self._show_message("no_match", "search", title, text, extra, first="default")

    def show_error(
        self,
        error: AppError,
        on_retry: Callable[[], object] | None = None,
        buttons: Sequence[StateButton] = (),
    ) -> None:
        """Show an error with what to do; its details fold out below."""
        retry: list[StateButton] = [(tr("Try again"), on_retry)] if on_retry else []
        words = " ".join(filter(None, (error.meaning, error.todo)))
        self._show_message(
            "error", _ERROR_ICONS.get(type(error), "circle-alert"), error.happened, words, [*retry, *buttons]
        )
        self._message_page.set_details({name: fact for name, fact in error.extra().items() if fact})

    def show_loading(self, what: str = tr("Loading"), on_cancel: Callable[[], object] | None = None) -> None:
        """Show nothing for 200 ms, then grey rows, and after a second a Cancel button."""
        self.kind = "loading"
        self._stack.setCurrentWidget(self._skeleton)
        self._skeleton.begin(what, on_cancel)

    def _show_message(
        self,
        kind: str,
        icon: str,
        title: str,
        text: str,
        buttons: Sequence[StateButton],
        first: ButtonKind = "primary",
    ) -> None:
        self.kind = kind
        self._skeleton.end()
        self._message_page.show_message(icon, title, text, buttons, is_error=kind == "error", first=first)
        self._stack.setCurrentWidget(self._message_page)


class _Tile(QWidget):
    """The icon of a state: 24 px on a 48 px tile."""

    def __init__(self) -> None:
        super().__init__()
        self.icon, self.failed = "search", False
        self.setFixedSize(theme().px(48), theme().px(48))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = tokens.failure_soft if self.failed else tokens.hover
        paint_box(painter, QRectF(self.rect()), fill, None, radius=8)
        paint_icon(
            painter, QRectF(self.rect()), self.icon, "failure" if self.failed else "text_secondary", 24
        )


class _MessagePage(QWidget):
    """Icon, title, one sentence, up to a few buttons, and details."""

    def __init__(self) -> None:
        super().__init__()
        px = theme().px
        self._tile = _Tile()
        self.title = Label("", "title", wrap=True)
        self.text = Label("", "body", "text_secondary", wrap=True)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setMinimumWidth(px(200))
            label.setMaximumWidth(px(350))
            label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._buttons = hbox(spacing=8)
        self._details_button = Button(tr("Details"), "link", "chevron-right")
        self._details_button.clicked.connect(self._toggle_details)
        self._details_view = JsonView(search=False)
        self._details_view.setFixedHeight(px(130))
        self._details_view.setMaximumWidth(px(420))
        self._details: JsonObject = {}
        column = vbox(
            Stretch(2), (self._tile, 0, Qt.AlignmentFlag.AlignHCenter), 12, parent=self, margins=20, spacing=4
        )
        for label in (self.title, self.text):
            row = hbox(Stretch(), (label, 100), Stretch())
            column.addLayout(row)
        column.addSpacing(px(12))
        column.addLayout(self._buttons)
        column.addSpacing(px(6))
        column.addWidget(self._details_button, 0, Qt.AlignmentFlag.AlignHCenter)
        row = hbox(Stretch(), (self._details_view, 100), Stretch())
        column.addLayout(row)
        column.addStretch(3)

    def show_message(
        self,
        icon: str,
        title: str,
        text: str,
        buttons: Sequence[StateButton],
        *,
        is_error: bool,
        first: ButtonKind,
    ) -> None:
        self._tile.icon, self._tile.failed = icon, is_error
        self._tile.update()
        self.title.setText(title)
        self.text.setText(text)
        self.text.setVisible(bool(text))
        self._details_button.hide()
        self._details_view.hide()
        while item := self._buttons.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._buttons.addStretch(1)
        for number, entry in enumerate(buttons):
            kind: ButtonKind = first if number == 0 else "default"
            button = Button(entry[0], kind, entry[2] if len(entry) == 3 else None)
            button.clicked.connect(lambda _=False, run=entry[1]: run())
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)

    def set_details(self, details: JsonObject) -> None:
        self._details = details
        self._details_button.set_icon("chevron-right")
        self._details_button.setVisible(bool(details))

    def _toggle_details(self) -> None:
        shown = self._details_view.isHidden()
        if shown:
            self._details_view.set_value(self._details)
        self._details_view.setVisible(shown)
        self._details_button.set_icon("chevron-down" if shown else "chevron-right")


class ListStack(QWidget):
    """A list or its state page, with the refresh bar on top."""

    def __init__(self, view: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view, self.page = view, StatePage()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(view)
        self._stack.addWidget(self.page)
        self._bar = RefreshBar(self)
        self._focus_requested = False
        self._focus_before: QWidget | None = None

    def show_rows(self) -> None:
        """Show the rows."""
        self.page.kind = ""
        self._stack.setCurrentWidget(self.view)
        focused = self.window().focusWidget()
        if self._focus_requested and (focused is None or focused is self._focus_before):
            self.enter()
        self.cancel_focus_request()

    def enter(self) -> None:
        """Move the focus to the list, now or when it has rows, unless something else gets it meanwhile, such
        as the filter.
        """
        self._focus_requested = not self.is_showing_rows
        self._focus_before = self.window().focusWidget()
        if self.is_showing_rows:
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def cancel_focus_request(self) -> None:
        """Give up moving the focus, because something else got it."""
        self._focus_requested, self._focus_before = False, None

    def hideEvent(self, event: QHideEvent) -> None:
        """Give up moving the focus when the tab is left."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.cancel_focus_request()

    def show_page(self) -> StatePage:
        """Show the state page in place of the rows, and return it."""
        self._stack.setCurrentWidget(self.page)
        return self.page

    @property
    def is_showing_rows(self) -> bool:
        """Whether rows are shown, and not a message in their place."""
        return self._stack.currentWidget() is self.view

    def set_refreshing(self, active: bool) -> None:
        """Show that rows are reloading, or hide it."""
        self._bar.set_active(active)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bar.setGeometry(0, 0, self.width(), theme().px(2))
