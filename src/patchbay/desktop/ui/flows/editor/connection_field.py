"""The connection of a step: which account it uses, and how that account does."""

from typing import Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.chips import paint_tag, tag_width
from patchbay.desktop.ui.kit.fields.choice import ChoiceButton
from patchbay.desktop.ui.kit.inputs import mark_invalid
from patchbay.desktop.ui.kit.marks import Tone, mark_of
from patchbay.desktop.ui.kit.popups import ChecklistPopup
from patchbay.desktop.ui.kit.text import clock_time, when
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import ConnectionId, EpochMs
from patchbay.domain.connections import Connection, ConnectionHealth

ADD = "add a connection"
NONE = ""


class _ConnectionButton(ChoiceButton):
    """The name of the connection and, before the arrow, its health."""

    def __init__(self) -> None:
        super().__init__()
        self._tag, self._icon = "", ""
        self._tone: Tone = "neutral"

    def show_health(self, words: str, tone: Tone, icon: str) -> None:
        self._tag, self._tone, self._icon = words, tone, icon
        self.update()

    def room_at_end(self) -> int:
        return round(tag_width(self._tag, self._icon)) + theme().px(12) if self._tag else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._tag:
            px = theme().px
            width = tag_width(self._tag, self._icon)
            box = QRectF(self.width() - px(32) - width, (self.height() - px(18)) / 2, width, px(18))
            paint_tag(QPainter(self), box, self._tag, self._tone, self._icon)


class ConnectionField(QWidget):
    """`chosen(connection id)`; `add_wanted` leads to My Apps."""

    chosen = Signal(object)
    add_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.button = _ConnectionButton()
        self.button.setAccessibleName("Connection")
        self.button.opened.connect(self.open)
        self.setFocusProxy(self.button)
        self._known: tuple[Connection, ...] = ()
        self._current: ConnectionId | None = None
        self._optional, self._undecided = False, False
        self.popup: ChecklistPopup | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.button)

    def show_connections(
        self,
        known: tuple[Connection, ...],
        current: ConnectionId | None,
        now: EpochMs,
        *,
        optional: bool = False,
        undecided: bool = False,
    ) -> None:
        """`undecided`: one is optional, and whether to use none has still to be chosen."""
        self._known, self._current, self._optional = known, current, optional
        self._undecided = undecided and current is None
        mine = next((item for item in known if item.id == current), None)
        if mine is None:
            nothing = "No connection" if optional and not self._undecided else "Choose a connection"
            words = "This connection was deleted" if current else nothing
            self.button.show_words(words, placeholder=True)
            self.button.show_health("", "neutral", "")
            return
        mark = mark_of(mine.health)
        words = mark.word
        if mine.health is ConnectionHealth.VALID and mine.tested_at:
            same_day = now - mine.tested_at < 12 * 3_600_000
            moment = clock_time(mine.tested_at) if same_day else when(mine.tested_at, now)
            words = f"Valid, tested {moment}"
        self.button.show_words(mine.screen_name or "Unnamed connection")
        self.button.show_health(words, mark.tone, mark.icon)
        self.button.setAccessibleDescription(f"{mine.screen_name}, {words}. {mine.reason or ''}".strip())

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self.button, invalid)

    def open(self) -> None:
        options: list[tuple[Any, str]] = [(item.id, _label(item)) for item in self._known]
        if self._optional:
            options.insert(0, (NONE, "No connection"))
        options.append((ADD, "Add connection…"))
        chosen = () if self._undecided else (self._current or NONE,)
        popup = ChecklistPopup(self.button, options, chosen, multiple=False)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.changed.connect(self._chose)
        self.popup = popup
        popup.open_under(self.button, self.button.width())

    def _chose(self, values: tuple[str, ...]) -> None:
        self._picked(values[0])

    def _picked(self, value: str) -> None:
        if value == ADD:
            self.add_wanted.emit()
        elif self._undecided or value != (self._current or NONE):
            self.chosen.emit(value or None)


def _label(connection: Connection) -> str:
    name = connection.screen_name or "Unnamed connection"
    return (
        name if connection.health is ConnectionHealth.VALID else f"{name} · {mark_of(connection.health).word}"
    )
