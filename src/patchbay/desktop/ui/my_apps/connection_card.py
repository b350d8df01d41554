"""One connection as a card: name, health, what can be done, how it signs in, who uses it, its last test."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMenu, QWidget

from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.chips import Tag, Tone
from patchbay.desktop.ui.kit.icons import icon
from patchbay.desktop.ui.kit.marks import mark_of
from patchbay.desktop.ui.kit.message import Action, MessageBox
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import ElidedLabel, Label, count, when
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import EpochMs
from patchbay.domain.connections import Connection, Health
from patchbay.domain.flows import Flow

_TONES: dict[Health, Tone] = {
    Health.VALID: "success",
    Health.NEEDS_ATTENTION: "warning",
    Health.EXPIRES_SOON: "warning",
    Health.NEVER_TESTED: "neutral",
}
SHOWN_FLOWS = 3


class ConnectionCard(Card):
    """Emits what the person asked for; the page does it."""

    test_asked = Signal()
    reconnect_asked = Signal()
    rename_asked = Signal()
    delete_asked = Signal()
    flows_asked = Signal()
    failures_asked = Signal()

    def __init__(
        self, app: AppInfo, connection: Connection, now: EpochMs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.connection = connection
        self.setAccessibleName(f"Connection {connection.screen_name}, {mark_of(connection.health).word}")
        if connection.health in (Health.NEEDS_ATTENTION, Health.EXPIRES_SOON):
            self.line_token = "warning_border"
        self.body.addLayout(self._head())
        self._message = MessageBox("warning", mark=False, first_kind="link")
        self.body.addWidget(self._message)
        self._used_by = ElidedLabel("…", "body", "text_secondary")
        self.body.addLayout(self._facts(app, now))
        self.set_flows(())

    def set_flows(self, flows: Sequence[Flow]) -> None:
        """The flows that use this connection, once they are known."""
        names = ", ".join(flow.name for flow in flows[:SHOWN_FLOWS])
        more = f" and {len(flows) - SHOWN_FLOWS} more" if len(flows) > SHOWN_FLOWS else ""
        self._used_by.setText(names + more if flows else self._count_only())
        self._tell_problem(flows)

    def set_testing(self, testing: bool) -> None:
        self._test.set_busy(testing, "Testing")

    def _count_only(self) -> str:
        number = self.connection.flow_count
        return count(number, "flow") if number else "No flow"

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme().px(8))
        mark = mark_of(self.connection.health)
        row.addWidget(ElidedLabel(self.connection.screen_name, "semibold"))
        row.addWidget(Tag(mark.word, _TONES[self.connection.health], mark.icon))
        row.addStretch(1)
        name = self.connection.screen_name
        if self.connection.health in (Health.NEEDS_ATTENTION, Health.EXPIRES_SOON):
            renew = Button("Reconnect…", "primary", small=True)
            renew.setAccessibleName(f"Reconnect {name}")
            renew.clicked.connect(self.reconnect_asked)
            row.addWidget(renew)
        self._test = Button("Test", small=True)
        self._test.setAccessibleName(f"Test {name}")
        self._test.clicked.connect(self.test_asked)
        row.addWidget(self._test)
        more = IconButton("ellipsis", f"More for {name}")
        more.clicked.connect(lambda: self._open_menu(more))
        row.addWidget(more)
        return row

    def _open_menu(self, anchor: QWidget) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("refresh-cw"), "Reconnect…", self.reconnect_asked.emit)
        menu.addAction(icon("pencil"), "Rename…", self.rename_asked.emit)
        menu.addAction(icon("workflow"), "Show flows", self.flows_asked.emit)
        menu.addSeparator()
        menu.addAction(icon("trash-2", "danger"), "Delete…", self.delete_asked.emit)
        menu.popup(anchor.mapToGlobal(QPoint(0, anchor.height())))

    def _facts(self, app: AppInfo, now: EpochMs) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme().px(16))
        grid.setVerticalSpacing(theme().px(4))
        grid.setColumnMinimumWidth(0, theme().px(68))
        grid.setColumnStretch(1, 1)
        facts = (
            ("Signs in", ElidedLabel(signs_in(app), "body", "text_secondary")),
            ("Used by", self._used_by),
            ("Last test", Label(self._last_test(now), "body", "text_secondary")),
        )
        for line, (word, value) in enumerate(facts):
            grid.addWidget(Label(word, "caption", "text_tertiary"), line, 0)
            grid.addWidget(value, line, 1)
        return grid

    def _last_test(self, now: EpochMs) -> str:
        tested = self.connection.tested_at
        if tested is None:
            return "Never"
        refused = self.connection.health is Health.NEEDS_ATTENTION
        return when(tested, now) + (", refused" if refused else ", accepted")

    def _tell_problem(self, flows: Sequence[Flow]) -> None:
        reason = self.connection.reason
        self._message.setVisible(bool(reason))
        if not reason:
            return
        live = sum(flow.active for flow in flows)
        fails = f"{count(live, 'published flow')} cannot work until you reconnect. " if live else ""
        actions: list[Action] = []
        if flows:
            actions = [
                (f"Show {count(len(flows), 'flow')}", self.flows_asked.emit),
                ("Show failed executions", self.failures_asked.emit),
            ]
        self._message.set(
            "warning", reason, f"{fails}The old sign-in is replaced only when the new one works.", actions
        )


def signs_in(app: AppInfo) -> str:
    """How one signs in to an app, in a few words."""
    if app.auth is None:
        return "API key"
    if app.auth.uses_browser:
        return "Browser sign-in (OAuth)"
    secrets = [field.label for field in app.auth.fields if field.is_secret]
    return " and ".join(secrets) or "Without a secret"
