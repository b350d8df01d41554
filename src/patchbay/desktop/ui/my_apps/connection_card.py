"""One connection as a card: name, health, what can be done, how it signs in, who uses it, its last test."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from patchbay.desktop.state.my_apps_rows import BAD, health_word, is_unreached
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.chips import Tag
from patchbay.desktop.ui.kit.icons import icon
from patchbay.desktop.ui.kit.marks import Tone, mark_of
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.message import Action, MessageBox
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import ElidedLabel, Label, clock_time, count, when
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.connection_words import last_test, limited, signs_in, used_by
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import EpochMs
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.flows import Flow

_TONES: dict[ConnectionHealth, Tone] = {
    ConnectionHealth.VALID: "success",
    ConnectionHealth.NEEDS_ATTENTION: "warning",
    ConnectionHealth.EXPIRES_SOON: "warning",
    ConnectionHealth.NEVER_TESTED: "neutral",
}


class ConnectionCard(Card):
    """Emits what the person asked for; the page does it. F2 and Delete work wherever the focus is inside."""

    test_asked = Signal()
    reconnect_asked = Signal()
    rename_asked = Signal()
    limit_asked = Signal()
    duplicate_asked = Signal()
    delete_asked = Signal()
    flows_asked = Signal()
    failures_asked = Signal()

    def __init__(
        self, app: AppInfo, connection: Connection, now: EpochMs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app, self._now = app, now
        self._flows: Sequence[Flow] | None = None
        self.locked: str | None = None
        """Why its limit cannot be changed here; None when it can."""
        self._told: tuple[str, ...] = ()
        self._name, self._tag = ElidedLabel("", "semibold"), Tag("")
        self.reconnect = Button("Reconnect…", "primary", small=True)
        self.test = Button("Test", small=True)
        self.more = IconButton("ellipsis", "More")
        self._message = MessageBox("warning", mark=False, first_kind="link")
        self._signs_in, self._used_by = _fact(), _fact()
        self._last_test, self._limit = _fact(), _fact()
        self._limit_word = _word("Limit")
        self.body.addLayout(self._head())
        self.body.addWidget(self._message)
        self.body.addLayout(self._facts())
        self.reconnect.clicked.connect(self.reconnect_asked)
        self.test.clicked.connect(self.test_asked)
        self.more.clicked.connect(self.open_menu)
        for keys, asked in ((Qt.Key.Key_F2, self.rename_asked), (Qt.Key.Key_Delete, self.delete_asked)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(asked)
        self.show_connection(app, connection, now)

    def show_connection(self, app: AppInfo, connection: Connection, now: EpochMs) -> None:
        """Show the connection as it is now, in place."""
        self._app, self.connection, self._now = app, connection, now
        unreached = is_unreached(connection)
        name, word = connection.screen_name, health_word(connection, now)
        self._word = word
        self.setAccessibleName(f"Connection {name}, {word}")
        self.line_token = "warning_border" if connection.health in BAD or unreached else "border"
        self._name.setText(name)
        if not self.test.busy:
            self._show_health()
            self.test.setText("Test again" if unreached else "Test")
            self.test.set_kind("primary" if unreached else "default")
        self.reconnect.setVisible(connection.health in BAD)
        self.reconnect.setAccessibleName(f"Reconnect {name}")
        self.test.setAccessibleName(f"Test {name}")
        self.more.set_name(f"More for {name}")
        broken = "The app could not be loaded." if app.broken else None
        set_available(self.test, broken)
        set_available(self.reconnect, broken)
        self._signs_in.setText(signs_in(app, connection))
        self._last_test.setText(last_test(connection, now))
        self._limit.setText(limited(connection))
        for part in (self._limit_word, self._limit):
            part.setVisible(connection.rate_limit is not None)
        self._show_use()
        self.update()

    def set_flows(self, flows: Sequence[Flow] | None) -> None:
        """The flows that use this connection, once they are known."""
        self._flows = flows
        self._show_use()

    def set_testing(self, testing: bool) -> None:
        if testing == self.test.busy:
            return
        self.test.set_busy(testing, "Testing")
        if testing:
            self._tag.set("Testing", "accent")
        else:
            self.show_connection(self._app, self.connection, self._now)

    def _show_health(self) -> None:
        health = self.connection.health
        if self.connection.secrets_problem:
            self._tag.set(self._word, "warning", "lock")
        elif is_unreached(self.connection):
            self._tag.set(self._word, "warning", "unplug")
        else:
            self._tag.set(self._word, _TONES[health], mark_of(health).icon)

    def menu(self) -> Menu:
        """What the ⋯ button opens."""
        menu = Menu(self, self.more.accessibleName())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.add("Reconnect…", self.reconnect_asked.emit, "refresh-cw")
        menu.add("Rename…", self.rename_asked.emit, "pencil", "F2")
        menu.add("Limit calls…", self.limit_asked.emit, "clock", reason=self.locked)
        menu.add("Duplicate", self.duplicate_asked.emit, "copy")
        menu.add("Show flows", self.flows_asked.emit, "workflow")
        menu.addSeparator()
        menu.add("Delete…", self.delete_asked.emit, "trash-2", "Del").setIcon(icon("trash-2", "danger"))
        return menu

    def open_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme().px(8))
        row.addWidget(self._name)
        row.addWidget(self._tag)
        row.addStretch(1)
        for button in (self.reconnect, self.test, self.more):
            row.addWidget(button)
        return row

    def _facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme().px(16))
        grid.setVerticalSpacing(theme().px(4))
        grid.setColumnMinimumWidth(0, theme().px(68))
        grid.setColumnStretch(1, 1)
        facts = (
            (_word("Signs in"), self._signs_in), (_word("Used by"), self._used_by),
            (_word("Last test"), self._last_test), (self._limit_word, self._limit),
        )  # fmt: skip
        for line, (word, value) in enumerate(facts):
            grid.addWidget(word, line, 0)
            grid.addWidget(value, line, 1)
        return grid

    def _show_use(self) -> None:
        flows = self._flows
        self._used_by.setText(used_by(self.connection, flows))
        if is_unreached(self.connection):
            self._show_unreached()
            return
        locked = self.connection.secrets_problem
        reason = locked or self.connection.reason
        self._message.setVisible(bool(reason))
        if not reason:
            return
        known = flows or ()
        live = sum(flow.active for flow in known)
        until = "then" if locked else "you reconnect"
        fails = f"{count(live, 'published flow')} can't work until {until}. " if live else ""
        actions: list[Action] = []
        if known:
            actions = [
                (f"Show {count(len(known), 'flow')}", self.flows_asked.emit),
                ("Show failed executions", self.failures_asked.emit),
            ]
        kept = fails if locked else f"{fails}The old sign-in is replaced only when the new one works."
        self._tell(reason, kept, actions)

    def _show_unreached(self) -> None:
        moment = when(self.connection.unreachable_at, self._now)
        at = "at" if moment == clock_time(self.connection.unreachable_at or 0) else "on"
        kept = f"{self.connection.unreachable} The credentials weren't rejected, so flows keep using them."
        self._message.show()
        self._tell(f"{self._app.name} could not be reached {at} {moment}.", kept, [])

    def _tell(self, title: str, text: str, actions: list[Action]) -> None:
        told = (title, text, *(word for word, _ in actions))
        if told != self._told:  # its links are made anew each time, which can be seen
            self._told = told
            self._message.set("warning", title, text, actions)


def _word(text: str) -> Label:
    return Label(text, "caption", "text_tertiary")


def _fact() -> ElidedLabel:
    return ElidedLabel("…", "body", "text_secondary")
