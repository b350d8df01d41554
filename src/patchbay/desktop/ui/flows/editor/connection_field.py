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

ADD_OPTION = "add a connection"
NO_CONNECTION = ""


class _ConnectionButton(ChoiceButton):
    """The name of the connection and, before the arrow, its health."""

    def __init__(self) -> None:
        super().__init__()
        self._tag, self._icon = "", ""
        self._tone: Tone = "neutral"

    def show_health(self, text: str, tone: Tone, icon: str) -> None:
        self._tag, self._tone, self._icon = text, tone, icon
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
    """`chosen(connection id)`; `add_requested` leads to My Apps."""

    chosen = Signal(object)
    add_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.button = _ConnectionButton()
        self.button.setAccessibleName("Connection")
        self.button.opened.connect(self.open)
        self.setFocusProxy(self.button)
        self._connections: tuple[Connection, ...] = ()
        self._current: ConnectionId | None = None
        self._optional, self._undecided = False, False
        self.popup: ChecklistPopup | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.button)

    def show_connections(
        self,
        connections: tuple[Connection, ...],
        current: ConnectionId | None,
        now: EpochMs,
        *,
        optional: bool = False,
        undecided: bool = False,
    ) -> None:
        """`undecided`: one is optional, and whether to use none has still to be chosen."""
        self._connections, self._current, self._optional = connections, current, optional
        self._undecided = undecided and current is None
        selected = next((item for item in connections if item.id == current), None)
        if selected is None:
            empty_text = "No connection" if optional and not self._undecided else "Choose a connection"
            text = "This connection was deleted" if current else empty_text
            self.button.show_words(text, placeholder=True)
            self.button.show_health("", "neutral", "")
            return
        mark = mark_of(selected.health)
        text = mark.word
        if selected.health is ConnectionHealth.VALID and selected.tested_at:
            same_day = now - selected.tested_at < 12 * 3_600_000
            tested_text = clock_time(selected.tested_at) if same_day else when(selected.tested_at, now)
            text = f"Valid, tested {tested_text}"
        self.button.show_words(selected.screen_name or "Unnamed connection")
        self.button.show_health(text, mark.tone, mark.icon)
        self.button.setAccessibleDescription(
            f"{selected.screen_name}, {text}. {selected.reason or ''}".strip()
        )

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self.button, invalid)

    def open(self) -> None:
        options: list[tuple[Any, str]] = [(item.id, _label(item)) for item in self._connections]
        if self._optional:
            options.insert(0, (NO_CONNECTION, "No connection"))
        options.append((ADD_OPTION, "Add connection…"))
        chosen = () if self._undecided else (self._current or NO_CONNECTION,)
        popup = ChecklistPopup(self.button, options, chosen, multiple=False)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.changed.connect(self._on_popup_changed)
        self.popup = popup
        popup.open_under(self.button, self.button.width())

    def _on_popup_changed(self, values: tuple[str, ...]) -> None:
        self._choose(values[0])

    def _choose(self, value: str) -> None:
        if value == ADD_OPTION:
            self.add_requested.emit()
        elif self._undecided or value != (self._current or NO_CONNECTION):
            self.chosen.emit(value or None)


def _label(connection: Connection) -> str:
    name = connection.screen_name or "Unnamed connection"
    return (
        name if connection.health is ConnectionHealth.VALID else f"{name} · {mark_of(connection.health).word}"
    )
