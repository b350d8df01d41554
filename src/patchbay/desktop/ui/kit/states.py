"""What a list shows when it has no rows: first use, no match, an error, loading."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button, Kind, paint_box
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.json_view import JsonView
from patchbay.desktop.ui.kit.skeleton import RefreshBar, Skeleton
from patchbay.desktop.ui.kit.surface import surface
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import JsonObject
from patchbay.domain.errors import AppError, Forbidden, NotFound, TimedOut, Unreachable

__all__ = ["ListStack", "RefreshBar", "StateButton", "StatePage"]

StateButton = tuple[str, Callable[[], object]] | tuple[str, Callable[[], object], str]
"""Words, what to do, and an icon where wanted. The first button is the primary one."""

_ERROR_ICONS: dict[type[AppError], str] = {
    Unreachable: "unplug",
    TimedOut: "unplug",
    NotFound: "search",
    Forbidden: "lock",
}


class StatePage(QWidget):
    """One of the four designed states, in place of the rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "surface")
        self._stack = QStackedLayout(self)
        self._words = _WordsPage()
        self._skeleton = Skeleton()
        self._stack.addWidget(self._words)
        self._stack.addWidget(self._skeleton)
        self.kind = ""
        """empty, no_match, error or loading: what is shown now."""

    @property
    def title(self) -> str:
        return self._words.title.text()

    def show_empty(self, icon: str, title: str, text: str, buttons: Sequence[StateButton] = ()) -> None:
        """First use: what this is, and how to begin."""
        self._say("empty", icon, title, text, buttons)

    def show_no_match(
        self,
        on_clear: Callable[[], object],
        title: str = "Nothing matches",
        text: str = "No entry fits all the filters that are set.",
        buttons: Sequence[StateButton] = (),
    ) -> None:
        extra: list[StateButton] = [*buttons, ("Clear filters", on_clear)]
        self._say("no_match", "search", title, text, extra, first="default")

    def show_error(
        self,
        error: AppError,
        on_retry: Callable[[], object] | None = None,
        buttons: Sequence[StateButton] = (),
    ) -> None:
        """What happened, what it means, what to do; the raw facts fold out below."""
        retry: list[StateButton] = [("Try again", on_retry)] if on_retry else []
        words = " ".join(filter(None, (error.meaning, error.todo)))
        self._say(
            "error", _ERROR_ICONS.get(type(error), "circle-alert"), error.happened, words, [*retry, *buttons]
        )
        self._words.set_details({name: fact for name, fact in error.extra().items() if fact})

    def show_loading(self, what: str = "Loading", on_cancel: Callable[[], object] | None = None) -> None:
        """Nothing for 200 ms, then grey rows; after a second a way to give up."""
        self.kind = "loading"
        self._stack.setCurrentWidget(self._skeleton)
        self._skeleton.begin(what, on_cancel)

    def _say(
        self,
        kind: str,
        icon: str,
        title: str,
        text: str,
        buttons: Sequence[StateButton],
        first: Kind = "primary",
    ) -> None:
        self.kind = kind
        self._skeleton.end()
        self._words.say(icon, title, text, buttons, is_error=kind == "error", first=first)
        self._stack.setCurrentWidget(self._words)


class _Tile(QWidget):
    """The icon of a state: 24 px on a tile of 48."""

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


class _WordsPage(QWidget):
    """Icon, title, one sentence, up to a few buttons, details."""

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
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(px(8))
        self._more = Button("Details", "link", "chevron-right")
        self._more.clicked.connect(self._unfold)
        self._raw = JsonView(search=False)
        self._raw.setFixedHeight(px(130))
        self._raw.setMaximumWidth(px(420))
        self._details: JsonObject = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(px(20), px(20), px(20), px(20))
        column.setSpacing(px(4))
        column.addStretch(2)
        column.addWidget(self._tile, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(px(12))
        for label in (self.title, self.text):
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(label, 100)
            row.addStretch(1)
            column.addLayout(row)
        column.addSpacing(px(12))
        column.addLayout(self._buttons)
        column.addSpacing(px(6))
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignHCenter)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._raw, 100)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(3)

    def say(
        self, icon: str, title: str, text: str, buttons: Sequence[StateButton], *, is_error: bool, first: Kind
    ) -> None:
        self._tile.icon, self._tile.failed = icon, is_error
        self._tile.update()
        self.title.setText(title)
        self.text.setText(text)
        self.text.setVisible(bool(text))
        self._more.hide()
        self._raw.hide()
        self._fill_buttons(buttons, first)

    def set_details(self, details: JsonObject) -> None:
        self._details = details
        self._more.set_icon("chevron-right")
        self._more.setVisible(bool(details))

    def _fill_buttons(self, buttons: Sequence[StateButton], first: Kind) -> None:
        while item := self._buttons.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._buttons.addStretch(1)
        for number, entry in enumerate(buttons):
            kind: Kind = first if number == 0 else "default"
            button = Button(entry[0], kind, entry[2] if len(entry) == 3 else None)
            button.clicked.connect(lambda _=False, run=entry[1]: run())
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)

    def _unfold(self) -> None:
        shown = self._raw.isHidden()
        if shown:
            self._raw.set_value(self._details)
        self._raw.setVisible(shown)
        self._more.set_icon("chevron-down" if shown else "chevron-right")


class ListStack(QWidget):
    """A list and its state page in one place, with the refresh bar on top."""

    def __init__(self, view: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view, self.page = view, StatePage()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(view)
        self._stack.addWidget(self.page)
        self._bar = RefreshBar(self)
        self._entering = False
        self._focused_at_entry: QWidget | None = None

    def show_rows(self) -> None:
        """The list has rows: show them."""
        self.page.kind = ""
        self._stack.setCurrentWidget(self.view)
        focused = self.window().focusWidget()
        if self._entering and (focused is None or focused is self._focused_at_entry):
            self.enter()
        self.stay_out()

    def enter(self) -> None:
        """Its tab was entered: the list gets the focus, now or as soon as it has rows.

        Unless something else gets it meanwhile, such as the filter in which a person has begun to type.
        """
        self._entering = not self.showing_rows
        self._focused_at_entry = self.window().focusWidget()
        if self.showing_rows:
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def stay_out(self) -> None:
        """The focus was given to something else meanwhile, such as the filter."""
        self._entering, self._focused_at_entry = False, None

    def hideEvent(self, event: QHideEvent) -> None:
        """Rows that arrive after its tab was left don't take the focus away from another tab."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.stay_out()

    def show_page(self) -> StatePage:
        """Show the state page; returns it, to say what it shows."""
        self._stack.setCurrentWidget(self.page)
        return self.page

    @property
    def showing_rows(self) -> bool:
        return self._stack.currentWidget() is self.view

    def set_refreshing(self, active: bool) -> None:
        self._bar.set_active(active)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bar.setGeometry(0, 0, self.width(), theme().px(2))
